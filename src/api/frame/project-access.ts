import {
  type Caller,
  findProject,
  findProjectByToken,
  type Project,
  projectsOf,
  reachesOrganization,
  reachesProject,
} from '../../accounts/index.ts'
import type { Sql } from '../../engines/postgres/index.ts'
import { ApiError } from '../../http/errors.ts'

/**
 * The project of the path, if the caller may see it: an integer id, or `@current` for the caller's first. A project API
 * key beside it must be one, and of that project; for `@current` it says which.
 */
export async function accessProject(sql: Sql, caller: Caller, segment: string, token?: string): Promise<Project> {
  if (token === undefined) return ofPath(sql, caller, segment)
  const named = await findProjectByToken(sql, token)
  if (!named) throw new ApiError('authentication_failed')
  if (segment === '@current') return ofPath(sql, caller, String(named.id))
  const project = await ofPath(sql, caller, segment)
  if (project.id === named.id) return project
  throw new ApiError(
    'authentication_failed',
    `The project API key in the query string is of another project than the path: leave it out, or use the path of its project.`,
  )
}

async function ofPath(sql: Sql, caller: Caller, segment: string): Promise<Project> {
  if (segment === '@current') {
    const [first] = await visibleProjects(sql, caller)
    if (!first) throw new ApiError('not_found', 'Project not found.')
    return first
  }
  const id = /^\d{1,9}$/.test(segment) ? Number(segment) : undefined
  if (id !== undefined && !reachesProject(caller, id)) {
    throw new ApiError('permission_denied', `API key does not have access to the requested project: ID ${id}.`)
  }
  const project = id === undefined ? undefined : await findProject(sql, id)
  if (!project) throw new ApiError('not_found', 'Project not found.')
  if (!reachesOrganization(caller, project.organization_id)) {
    throw new ApiError(
      'permission_denied',
      `API key does not have access to the requested organization: ID ${project.organization_id}.`,
    )
  }
  const [member] = await sql`
    SELECT 1 FROM organization_members WHERE organization_id = ${project.organization_id} AND user_id = ${caller.user.id}`
  if (!member) throw new ApiError('permission_denied', "You don't have access to the project.")
  return project
}

export const visibleProjects = async (sql: Sql, caller: Caller): Promise<Project[]> =>
  (await projectsOf(sql, caller.user.id)).filter(
    ({ id, organization_id }) => reachesProject(caller, id) && reachesOrganization(caller, organization_id),
  )
