import { z } from 'zod'
import { acceptedTokens, endGrace, rotateProjectToken } from '../../accounts/index.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'
import type { GuessingGuard } from './guessing-guard.ts'
import { CONFIRMATION, confirm, requireAdmin } from './project-admins.ts'

const GRACE = z.object({
  grace_hours: z
    .int()
    .min(0)
    .max(24 * 90)
    .default(7 * 24),
  ...CONFIRMATION,
})

/** A new API key for a project, and the ones it replaced. */
export function addProjectTokenRoutes(routes: ApiRoutes, guard: GuessingGuard): void {
  routes.addToProject('reset_token/', {
    PATCH: projectEndpoint({
      summary: 'Give a project a new API key; the old one is accepted for grace_hours (a week unless told otherwise)',
      scope: 'project:write',
      body: GRACE,
      errors: ['throttled'],
      handle: async (call) => {
        await requireAdmin(call)
        await confirm(call, guard)
        const { sql, project, body, projectsChanged } = call
        const { organization_id, ...rotated } = await sql.begin((tx) =>
          rotateProjectToken(tx, project, body.grace_hours),
        )
        await projectsChanged?.()
        return { ...rotated, organization: organization_id, accepted_tokens: await acceptedTokens(sql, project.id) }
      },
      audit: ({ project, body }) => ({
        scope: 'Project',
        activity: 'token_rotated',
        itemId: String(project.id),
        detail: { name: project.name, grace_hours: body.grace_hours },
      }),
    }),
  })
  routes.addToProject('accepted_tokens/', {
    GET: projectEndpoint({
      summary: 'Replaced API keys of the project that are still accepted',
      scope: 'project:read',
      handle: async ({ sql, project }) => ({ results: await acceptedTokens(sql, project.id) }),
    }),
    DELETE: projectEndpoint({
      summary: 'Stop accepting the replaced API keys now',
      scope: 'project:write',
      status: 204,
      handle: async (call) => {
        await requireAdmin(call)
        await call.sql.begin((tx) => endGrace(tx, call.project.id))
        await call.projectsChanged?.()
      },
      audit: ({ project }) => ({
        scope: 'Project',
        activity: 'token_grace_ended',
        itemId: String(project.id),
        detail: { name: project.name },
      }),
    }),
  })
}
