import { z } from 'zod'
import {
  createProject,
  isTimezone,
  organizationsOf,
  type Project,
  reachesOrganization,
  updateProject,
} from '../../accounts/index.ts'
import { ApiError } from '../../http/errors.ts'
import { envelope, PAGE } from '../frame/pagination.ts'
import { visibleProjects } from '../frame/project-access.ts'
import { type ApiRoutes, endpoint, projectEndpoint } from '../frame/route.ts'
import type { GuessingGuard } from './guessing-guard.ts'
import { CONFIRMATION, confirm, requireAdmin } from './project-admins.ts'
import { basicProject } from './users.ts'

const days = z.int().positive().max(36_500)

/** What people may decide about a project. Anything else in a body is ignored. */
const SETTINGS = z.object({
  name: z.string().trim().min(1).max(200),
  timezone: z.string().refine(isTimezone, { error: 'Must be an IANA time zone such as "Europe/Berlin".' }),
  week_start_day: z
    .union([z.literal(0), z.literal(1)], 'Must be 0 (Sunday) or 1 (Monday).')
    .nullable()
    .transform((day) => day ?? 0),
  autocapture_opt_out: z
    .boolean()
    .nullable()
    .transform((out) => out ?? false),
  session_recording_opt_in: z.boolean(),
  anonymize_ips: z.boolean(),
  test_account_filters: z.array(z.record(z.string(), z.json())),
  person_display_name_properties: z.array(z.string().min(1).max(400)).max(20).nullable(),
  drop_events_older_than_seconds: z.int().min(3_600, 'Must be an hour at least.').nullable(),
  data_retention_days: days.nullable(),
  recording_retention_days: days,
  recording_quota_per_month: z.int().min(0).nullable(),
})

/** What decides which data are taken and kept: for admins. */
const ABOUT_DATA = [
  'autocapture_opt_out',
  'session_recording_opt_in',
  'anonymize_ips',
  'drop_events_older_than_seconds',
  'data_retention_days',
  'recording_retention_days',
  'recording_quota_per_month',
] as const

export function addProjectRoutes(routes: ApiRoutes, guard: GuessingGuard): void {
  for (const path of ['/api/projects/', '/api/environments/'])
    routes.add(path, {
      GET: endpoint({
        summary: 'The projects the caller may see',
        scope: 'project:read',
        query: PAGE,
        handle: async ({ sql, caller, query, url }) => {
          const visible = await visibleProjects(sql, caller)
          const page = visible.slice(query.offset, query.offset + query.limit)
          return envelope(url, query, visible.length, page.map(basicProject))
        },
      }),
      POST: endpoint({
        summary: 'Create a project in an organisation of the caller',
        scope: 'project:write',
        body: SETTINGS.partial().required({ name: true }).extend({ organization: z.uuid().optional() }),
        status: 201,
        handle: async ({ sql, caller, projectsChanged, body: { organization, name, ...settings } }) => {
          const mine = (await organizationsOf(sql, caller.user.id)).filter(({ id }) => reachesOrganization(caller, id))
          const chosen = organization === undefined ? mine[0] : mine.find(({ id }) => id === organization)
          if (!chosen)
            throw new ApiError('invalid_input', 'Must be an organisation you belong to, and your key may act in.', {
              attr: 'organization',
            })
          if (chosen.level === 'member')
            throw new ApiError('permission_denied', 'Your organization access level is insufficient.')
          const project = await sql.begin(async (tx) => {
            const { id } = await createProject(tx, { organizationId: chosen.id, name })
            return updateProject(tx, id, settings)
          })
          await projectsChanged?.()
          return projectRecord(project)
        },
        audit: (_, answer) => {
          const { id, name, organization } = answer as ReturnType<typeof projectRecord>
          const detail = { name }
          return { scope: 'Project', activity: 'created', itemId: String(id), detail, organizationId: organization }
        },
      }),
    })
  routes.addToProject('', {
    GET: projectEndpoint({
      summary: 'One project',
      scope: 'project:read',
      handle: ({ project }) => projectRecord(project),
    }),
    PATCH: projectEndpoint({
      summary: 'Change the settings of a project',
      scope: 'project:write',
      body: SETTINGS.partial().extend(CONFIRMATION),
      errors: ['throttled'],
      handle: async (call) => {
        const { sql, project, projectsChanged } = call
        const { confirm: _typed, current_password: _password, ...changes } = call.body
        if (ABOUT_DATA.some((name) => isChange(project, changes, name))) await requireAdmin(call)
        if (deletesData(project, changes)) await confirm(call, guard)
        const changed = await updateProject(sql, project.id, changes)
        await projectsChanged?.()
        return projectRecord(changed)
      },
      audit: ({ project, body }) => ({
        scope: 'Project',
        activity: 'updated',
        itemId: String(project.id),
        detail: { name: project.name, changes: changesOf(project, body) },
      }),
    }),
  })
}

type Settings = Partial<Pick<Project, keyof typeof SETTINGS.shape>>
type Changes = { readonly [K in keyof Settings]?: Settings[K] | undefined }

const isChange = (project: Project, changes: Changes, name: keyof Settings): boolean =>
  changes[name] !== undefined && JSON.stringify(changes[name]) !== JSON.stringify(project[name])

/** The next run deletes what is older, for good. */
function deletesData(project: Project, { data_retention_days, recording_retention_days }: Changes): boolean {
  const shorter = (now: number | null, before: number | null) => now !== null && (before === null || now < before)
  return (
    (data_retention_days !== undefined && shorter(data_retention_days, project.data_retention_days)) ||
    (recording_retention_days !== undefined && shorter(recording_retention_days, project.recording_retention_days))
  )
}

/** What really changed, for the audit log. */
const changesOf = (project: Project, changes: Changes) =>
  (Object.keys(SETTINGS.shape) as (keyof typeof SETTINGS.shape)[])
    .filter((name) => isChange(project, changes, name))
    .map((name) => ({ field: name, before: project[name], after: changes[name] }))

const projectRecord = ({ organization_id, ...project }: Project) => ({ ...project, organization: organization_id })
