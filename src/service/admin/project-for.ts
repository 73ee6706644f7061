import type { Sql } from '../../engines/postgres/index.ts'
import { ApiError } from '../../http/errors.ts'

interface Project {
  readonly id: number
  readonly name: string
  readonly api_token: string
  readonly organization_id: string
}

/** The project of a command: the one it names, or the first. */
export async function projectFor(sql: Sql, id: number | undefined): Promise<Project> {
  const [found] = await sql<Project[]>`
    SELECT id, name, api_token, organization_id FROM projects
    WHERE (id = ${id ?? 0} OR ${id === undefined}) AND id NOT IN (SELECT project_id FROM deleted_projects)
    ORDER BY id LIMIT 1`
  if (!found)
    throw new ApiError('not_found', id === undefined ? 'There is no project yet.' : `There is no project ${id}.`)
  return found
}
