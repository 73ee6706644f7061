import { z } from 'zod'
import {
  createProject,
  isTimezone,
  type Membership,
  organizationsOf,
  type Project,
  reachesOrganization,
  updateProject,
} from '../../accounts/index.ts'
import { type PageQuery, pageOf, pageQuerySchema } from '../../contract/envelopes.ts'
import { readProperties } from '../../contract/queries/index.ts'
import {
  confirmationSchema,
  listedProjectSchema,
  projectSchema,
  projectSettingsSchema,
} from '../../contract/resources/project.ts'
import { ApiError } from '../../http/errors.ts'
import { auditCall } from '../frame/audit.ts'
import type { Call, ProjectCall } from '../frame/context.ts'
import { envelope } from '../frame/pagination.ts'
import { visibleProjects } from '../frame/project-access.ts'
import { type ApiRoutes, endpoint, projectEndpoint } from '../frame/route.ts'
import type { GuessingGuard } from './guessing-guard.ts'
import { organizationOf } from './organizations.ts'
import { confirm, requireAdmin } from './project-admins.ts'
import { deleteWholeProject, PROJECT_DELETION } from './project-data.ts'
import { basicProject } from './users.ts'

/** What only the service knows about the settings of a project: its time zones and its filters. */
const SETTINGS = projectSettingsSchema.extend({
  timezone: projectSettingsSchema.shape.timezone.refine(isTimezone, {
    error: 'Must be an IANA time zone such as "Europe/Berlin".',
  }),
  test_account_filters: projectSettingsSchema.shape.test_account_filters.superRefine((filters, context) => {
    readProperties(filters, (message, path) => context.addIssue({ code: 'custom', message, path }))
  }),
})

/** What a new project needs, and may have. */
const NEW_PROJECT = SETTINGS.partial().required({ name: true })
const CHANGED_SETTINGS = SETTINGS.partial().extend(confirmationSchema.shape)

/** What decides which data are taken and kept: for admins. */
const ABOUT_DATA = [
  'autocapture_opt_out',
  'session_recording_opt_in',
  'heatmaps_opt_in',
  'honor_do_not_track',
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
        summary: 'The projects the caller may see: this is where a project id is found',
        scope: null,
        forScopedKeys: true,
        query: pageQuerySchema,
        answer: pageOf(listedProjectSchema),
        handle: async (call) => projectsPage(call, await visibleProjects(call.sql, call.caller)),
      }),
      POST: endpoint({
        summary: 'Create a project in an organisation of the caller',
        scope: 'project:write',
        body: NEW_PROJECT.extend({ organization: z.uuid().optional() }),
        answer: projectSchema,
        status: 201,
        handle: async (call) => {
          const { organization, ...settings } = call.body
          const { sql, caller } = call
          const mine = (await organizationsOf(sql, caller.user.id)).filter(({ id }) => reachesOrganization(caller, id))
          const chosen = organization === undefined ? mine[0] : mine.find(({ id }) => id === organization)
          if (!chosen)
            throw new ApiError('invalid_input', 'Must be an organisation you belong to, and your key may act in.', {
              attr: 'organization',
            })
          return created(call, chosen, settings)
        },
      }),
    })
  routes.addToProject('', {
    GET: projectEndpoint({
      summary: 'One project',
      scope: 'project:read',
      answer: projectSchema,
      handle: ({ project }) => projectRecord(project),
    }),
    PATCH: projectEndpoint({
      summary: 'Change the settings of a project',
      scope: 'project:write',
      body: CHANGED_SETTINGS,
      answer: projectSchema,
      errors: ['throttled'],
      handle: (call) => changed(call, guard),
    }),
    DELETE: projectEndpoint({ ...PROJECT_DELETION, handle: (call) => deleteWholeProject(call, guard) }),
  })
  addProjectsOfOrganization(routes, guard)
}

/** The same by organisation, as infrastructure tools ask: `:organization_id` is an id, a slug or `@current`. */
function addProjectsOfOrganization(routes: ApiRoutes, guard: GuessingGuard): void {
  routes.add('/api/organizations/:organization_id/projects/', {
    GET: endpoint({
      summary: 'The projects of an organisation that the caller may see',
      scope: 'project:read',
      forScopedKeys: true,
      query: pageQuerySchema,
      answer: pageOf(listedProjectSchema),
      handle: async (call) => projectsPage(call, await projectsIn(call)),
    }),
    POST: endpoint({
      summary: 'Create a project in an organisation',
      scope: 'project:write',
      body: NEW_PROJECT,
      exists: organizationOf,
      answer: projectSchema,
      status: 201,
      handle: async (call) => created(call, await organizationOf(call), call.body),
    }),
  })
  routes.add('/api/organizations/:organization_id/projects/:id/', {
    GET: endpoint({
      summary: 'One project of an organisation',
      scope: 'project:read',
      forScopedKeys: true,
      answer: projectSchema,
      handle: async (call) => projectRecord(await projectOf(call)),
    }),
    PATCH: endpoint({
      summary: 'Change the settings of a project of an organisation',
      scope: 'project:write',
      forScopedKeys: true,
      body: CHANGED_SETTINGS,
      answer: projectSchema,
      errors: ['throttled'],
      exists: projectOf,
      handle: async (call) => changed({ ...call, project: await projectOf(call) }, guard),
    }),
    DELETE: endpoint({
      ...PROJECT_DELETION,
      forScopedKeys: true,
      exists: projectOf,
      handle: async (call) => deleteWholeProject({ ...call, project: await projectOf(call) }, guard),
    }),
  })
}

type Asker = Pick<Call, 'sql' | 'caller' | 'params'>

async function projectsIn(call: Asker): Promise<Project[]> {
  const { id } = await organizationOf(call)
  return (await visibleProjects(call.sql, call.caller)).filter(({ organization_id }) => organization_id === id)
}

async function projectOf(call: Asker): Promise<Project> {
  const found = (await projectsIn(call)).find(({ id }) => String(id) === call.params.id)
  if (!found) throw new ApiError('not_found', 'Project not found.')
  return found
}

function projectsPage({ url, query }: Pick<Call<PageQuery>, 'url' | 'query'>, projects: readonly Project[]) {
  const page = projects.slice(query.offset, query.offset + query.limit)
  return envelope(url, query, projects.length, page.map(basicProject))
}

async function created(call: Call, organization: Membership, { name, ...settings }: z.output<typeof NEW_PROJECT>) {
  if (organization.level === 'member')
    throw new ApiError('permission_denied', 'Your organization access level is insufficient.')
  const project = await call.sql.begin(async (tx) => {
    const { id } = await createProject(tx, { organizationId: organization.id, name })
    return updateProject(tx, id, settings)
  })
  await call.projectsChanged?.()
  const note = { scope: 'Project', activity: 'created', itemId: String(project.id), detail: { name } } as const
  await auditCall({ ...call, project }, note)
  return projectRecord(project)
}

async function changed(call: ProjectCall<unknown, z.output<typeof CHANGED_SETTINGS>>, guard: GuessingGuard) {
  const { sql, project, projectsChanged } = call
  const { confirm: _typed, current_password: _password, ...changes } = call.body
  if (ABOUT_DATA.some((name) => isChange(project, changes, name))) await requireAdmin(call)
  if (deletesData(project, changes)) await confirm(call, guard)
  const updated = await updateProject(sql, project.id, changes)
  await projectsChanged?.()
  await auditCall(call, {
    scope: 'Project',
    activity: 'updated',
    itemId: String(project.id),
    detail: { name: project.name, changes: changesOf(project, changes) },
  })
  return projectRecord(updated)
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
