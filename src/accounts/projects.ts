import type { ChannelRule } from '../contract/resources/channel-rule.ts'
import type { Sql, TransactionSql } from '../engines/postgres/index.ts'
import type { Json } from '../lib/json.ts'
import { newProjectToken } from './secrets.ts'

export interface Project {
  readonly id: number
  readonly uuid: string
  readonly organization_id: string
  readonly name: string
  readonly api_token: string
  readonly timezone: string
  readonly week_start_day: 0 | 1
  readonly autocapture_opt_out: boolean
  readonly session_recording_opt_in: boolean
  readonly heatmaps_opt_in: boolean
  readonly honor_do_not_track: boolean
  readonly anonymize_ips: boolean
  readonly test_account_filters: Json
  readonly channel_rules: readonly ChannelRule[]
  readonly person_display_name_properties: readonly string[] | null
  readonly drop_events_older_than_seconds: number | null
  readonly data_retention_days: number | null
  readonly recording_retention_days: number
  readonly recording_quota_per_month: number | null
  readonly ingested_event: boolean
  readonly created_at: Date
  readonly updated_at: Date
}

type Db = Sql | TransactionSql

const JSON_SETTINGS: ReadonlySet<string> = new Set(['test_account_filters', 'channel_rules'])

export const findProject = async (sql: Db, id: number): Promise<Project | undefined> =>
  (
    await sql<Project[]>`
      SELECT * FROM projects WHERE id = ${id} AND id NOT IN (SELECT project_id FROM deleted_projects)`
  )[0]

export const findProjectByToken = async (sql: Db, token: string): Promise<Project | undefined> =>
  (
    await sql<Project[]>`
      SELECT projects.* FROM projects JOIN capture_projects known ON known.id = projects.id
      WHERE known.api_token = ${token.replaceAll('\0', '')}`
  )[0]

/** The projects that a user may see: those of the user's organisations. */
export const projectsOf = (sql: Db, userId: number): Promise<Project[]> => sql<Project[]>`
  SELECT projects.* FROM projects
  JOIN organization_members USING (organization_id)
  WHERE user_id = ${userId} ORDER BY projects.id`

export async function createProject(
  sql: Db,
  {
    organizationId,
    name,
    id,
    apiToken = newProjectToken(),
    timezone = 'UTC',
  }: { organizationId: string; name: string; id?: number; apiToken?: string; timezone?: string },
): Promise<Project> {
  const columns = {
    organization_id: organizationId,
    name,
    api_token: apiToken,
    timezone,
    ...(id === undefined ? {} : { id }),
  }
  const [project] = await sql<Project[]>`INSERT INTO projects ${sql(columns)} RETURNING *`
  // An explicit id does not move the sequence; the next project without one must not collide with it.
  if (id !== undefined) {
    await sql`SELECT setval(pg_get_serial_sequence('projects', 'id'), (SELECT max(id) FROM projects))`
  }
  await announceProjects(sql)
  return project as Project
}

type ProjectSettings = Partial<
  Omit<Project, 'id' | 'uuid' | 'organization_id' | 'api_token' | 'ingested_event' | 'created_at' | 'updated_at'>
>

/** Changes the given fields; undefined ones stay. Processes that cache projects are notified. */
export async function updateProject(
  sql: Db,
  id: number,
  changes: { [K in keyof ProjectSettings]?: ProjectSettings[K] | undefined },
): Promise<Project> {
  const given = Object.fromEntries(
    Object.entries(changes)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, JSON_SETTINGS.has(name) ? sql.json(value as never) : value]),
  )
  const [project] = await sql<Project[]>`
    UPDATE projects SET ${sql({ ...given, updated_at: new Date() })} WHERE id = ${id} RETURNING *`
  await announceProjects(sql)
  return project as Project
}

/** Processes that cache projects (capture) read them again. */
export const announceProjects = (sql: Db) => sql`SELECT pg_notify('projects_changed', '')`
