import { findProject, type KeyHolder, type Project, projectsOf } from '../accounts/index.ts'
import type { Sql } from '../engines/postgres/index.ts'
import { ApiError } from '../http/errors.ts'

/** The project of the path, if the caller may see it: an integer id, or `@current` for the caller's first. */
export async function accessProject(sql: Sql, { key, user }: KeyHolder, segment: string): Promise<Project> {
  if (segment === '@current') {
    const visible = (await projectsOf(sql, user.id)).find((project) => allows(key.scoped_projects, project.id))
    if (!visible) throw new ApiError('not_found', 'Project not found.')
    return visible
  }
  const id = /^\d{1,9}$/.test(segment) ? Number(segment) : undefined
  if (id !== undefined && !allows(key.scoped_projects, id)) {
    throw new ApiError('permission_denied', `API key does not have access to the requested project: ID ${id}.`)
  }
  const project = id === undefined ? undefined : await findProject(sql, id)
  if (!project) throw new ApiError('not_found', 'Project not found.')
  if (!allows(key.scoped_organizations, project.organization_id)) {
    throw new ApiError(
      'permission_denied',
      `API key does not have access to the requested organization: ID ${project.organization_id}.`,
    )
  }
  const [member] = await sql`
    SELECT 1 FROM organization_members WHERE organization_id = ${project.organization_id} AND user_id = ${user.id}`
  if (!member) throw new ApiError('permission_denied', "You don't have access to the project.")
  return project
}

const allows = <T>(restriction: readonly T[], wanted: T) => restriction.length === 0 || restriction.includes(wanted)
