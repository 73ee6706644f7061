import { z } from 'zod'
import {
  createProject,
  isTimezone,
  type Membership,
  organizationsOf,
  type Project,
  updateProject,
} from '../../accounts/index.ts'
import { ApiError } from '../../http/errors.ts'
import { readProperties } from '../../insights/index.ts'
import type { Call } from '../frame/context.ts'
import { envelope, PAGE, type Page } from '../frame/pagination.ts'
import { visibleProjects } from '../frame/project-access.ts'
import { type ApiRoutes, endpoint, projectEndpoint } from '../frame/route.ts'
import { organizationOf } from './organizations.ts'
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
  test_account_filters: z.array(z.record(z.string(), z.json())).superRefine((filters, context) => {
    readProperties(filters, (message, path) => context.addIssue({ code: 'custom', message, path }))
  }),
  person_display_name_properties: z.array(z.string().min(1).max(400)).max(20).nullable(),
  drop_events_older_than_seconds: z.int().min(3_600, 'Must be an hour at least.').nullable(),
  data_retention_days: days.nullable(),
  recording_retention_days: days,
  recording_quota_per_month: z.int().min(0).nullable(),
})

/** What a new project needs, and may have. */
const NEW_PROJECT = SETTINGS.partial().required({ name: true })

export function addProjectRoutes(routes: ApiRoutes): void {
  for (const path of ['/api/projects/', '/api/environments/'])
    routes.add(path, {
      GET: endpoint({
        summary: 'The projects the caller may see: this is where a project id is found',
        scope: null,
        forScopedKeys: true,
        query: PAGE,
        handle: async (call) => projectsPage(call, await visibleProjects(call.sql, call.caller)),
      }),
      POST: endpoint({
        summary: 'Create a project in an organisation of the caller',
        scope: 'project:write',
        body: NEW_PROJECT.extend({ organization: z.uuid().optional() }),
        status: 201,
        handle: async (call) => {
          const { organization, ...settings } = call.body
          const mine = await organizationsOf(call.sql, call.caller.user.id)
          const chosen = organization === undefined ? mine[0] : mine.find(({ id }) => id === organization)
          if (!chosen)
            throw new ApiError('invalid_input', 'Must be an organisation you belong to.', { attr: 'organization' })
          return created(call, chosen, settings)
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
      body: SETTINGS.partial(),
      handle: (call) => changed(call, call.project, call.body),
    }),
  })
  addProjectsOfOrganization(routes)
}

/** The same by organisation, as infrastructure tools ask: `:organization_id` is an id, a slug or `@current`. */
function addProjectsOfOrganization(routes: ApiRoutes): void {
  routes.add('/api/organizations/:organization_id/projects/', {
    GET: endpoint({
      summary: 'The projects of an organisation that the caller may see',
      scope: 'project:read',
      forScopedKeys: true,
      query: PAGE,
      handle: async (call) => projectsPage(call, await projectsIn(call)),
    }),
    POST: endpoint({
      summary: 'Create a project in an organisation',
      scope: 'project:write',
      body: NEW_PROJECT,
      exists: organizationOf,
      status: 201,
      handle: async (call) => created(call, await organizationOf(call), call.body),
    }),
  })
  routes.add('/api/organizations/:organization_id/projects/:id/', {
    GET: endpoint({
      summary: 'One project of an organisation',
      scope: 'project:read',
      forScopedKeys: true,
      handle: async (call) => projectRecord(await projectOf(call)),
    }),
    PATCH: endpoint({
      summary: 'Change the settings of a project of an organisation',
      scope: 'project:write',
      forScopedKeys: true,
      body: SETTINGS.partial(),
      exists: projectOf,
      handle: async (call) => changed(call, await projectOf(call), call.body),
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

function projectsPage({ url, query }: Pick<Call<Page>, 'url' | 'query'>, projects: readonly Project[]) {
  const page = projects.slice(query.offset, query.offset + query.limit)
  return envelope(url, query, projects.length, page.map(basicProject))
}

async function created(
  { sql, projectsChanged }: Pick<Call, 'sql' | 'projectsChanged'>,
  organization: Membership,
  { name, ...settings }: z.output<typeof NEW_PROJECT>,
) {
  if (organization.level === 'member')
    throw new ApiError('permission_denied', 'Your organization access level is insufficient.')
  const project = await sql.begin(async (tx) => {
    const { id } = await createProject(tx, { organizationId: organization.id, name })
    return updateProject(tx, id, settings)
  })
  await projectsChanged?.()
  return projectRecord(project)
}

async function changed(
  { sql, projectsChanged }: Pick<Call, 'sql' | 'projectsChanged'>,
  { id }: Project,
  settings: Parameters<typeof updateProject>[2],
) {
  const project = await updateProject(sql, id, settings)
  await projectsChanged?.()
  return projectRecord(project)
}

const projectRecord = ({ organization_id, ...project }: Project) => ({ ...project, organization: organization_id })
