import type { z } from 'zod'
import { deleteProject } from '../../accounts/index.ts'
import {
  confirmationSchema,
  retentionPreviewQuerySchema,
  retentionPreviewSchema,
} from '../../contract/resources/project.ts'
import { ApiError } from '../../http/errors.ts'
import { oldEvents } from '../../jobs/index.ts'
import { oldRecordings } from '../../recordings/index.ts'
import { noContent } from '../frame/answer.ts'
import { auditCall } from '../frame/audit.ts'
import type { ProjectCall } from '../frame/context.ts'
import { visibleProjects } from '../frame/project-access.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'
import type { GuessingGuard } from './guessing-guard.ts'
import { confirm, requireAdmin } from './project-admins.ts'

/** What takes data of a project away for good. */
export function addProjectDataRoutes(routes: ApiRoutes): void {
  routes.addToProject('retention_preview/', {
    GET: projectEndpoint({
      summary: 'What would be deleted if the project kept events or recordings for so many days',
      scope: 'project:read',
      query: retentionPreviewQuerySchema,
      answer: retentionPreviewSchema,
      handle: async ({ clickhouse, project, query, now }) => {
        const { data_retention_days: events, recording_retention_days: recordings } = query
        const asked = { project: project.id, now: now() }
        return {
          events: events === undefined ? null : await oldEvents(clickhouse, { ...asked, days: events }),
          recordings: recordings === undefined ? null : await oldRecordings(clickhouse, { ...asked, days: recordings }),
        }
      },
    }),
  })
}

/** What both addresses of a project say of it. */
export const PROJECT_DELETION = {
  summary: 'Delete a project with everything in it; its data are erased within minutes',
  scope: 'project:write',
  body: confirmationSchema,
  answer: noContent,
  errors: ['throttled'],
} as const

/** For good: asked for again, by admins only, and never the last one. */
export async function deleteWholeProject(
  call: ProjectCall<unknown, z.output<typeof confirmationSchema>>,
  guard: GuessingGuard,
): Promise<void> {
  await requireAdmin(call)
  await confirm(call, guard)
  const { sql, caller, project, projectsChanged } = call
  const others = (await visibleProjects(sql, caller)).filter(({ id }) => id !== project.id)
  if (others.length === 0)
    throw new ApiError('invalid_input', 'This is your only project. Create another one before you delete it.')
  await sql.begin((tx) => deleteProject(tx, project))
  await projectsChanged?.()
  await auditCall(call, {
    scope: 'Project',
    activity: 'deleted',
    itemId: String(project.id),
    detail: { name: project.name },
  })
}
