import type { Sql } from '../../engines/postgres/index.ts'
import type { JsonObject } from '../../lib/json.ts'
import { storableText } from '../rules/storable.ts'

interface GroupType {
  readonly groupType: string
  readonly groupTypeIndex: number
  readonly nameSingular: string | null
  readonly namePlural: string | null
}

export interface Group {
  readonly groupTypeIndex: number
  readonly groupKey: string
  readonly properties: JsonObject
  readonly createdAt: Date
}

export async function listGroupTypes(sql: Sql, project: number): Promise<GroupType[]> {
  return await sql<GroupType[]>`
    SELECT group_type AS "groupType", group_type_index AS "groupTypeIndex", name_singular AS "nameSingular", name_plural AS "namePlural"
    FROM group_types WHERE project_id = ${project} ORDER BY group_type_index`
}

/** A page of groups begins after this one. */
export interface GroupCursor {
  readonly createdAt: Date
  readonly groupKey: string
}

interface GroupPage {
  readonly results: Group[]
  readonly next: GroupCursor | null
}

/** Groups of a type, newest first. `search` matches keys and names. */
export async function listGroups(
  sql: Sql,
  project: number,
  options: {
    readonly groupTypeIndex: number
    readonly search?: string | undefined
    readonly groupKey?: string | undefined
    readonly cursor?: GroupCursor | null | undefined
    readonly limit?: number
  },
): Promise<GroupPage> {
  const { groupTypeIndex, groupKey, cursor, limit = 100 } = options
  const search = storableText(options.search ?? '')
  const found = await sql<Group[]>`
    SELECT ${columns(sql)} FROM groups
    WHERE project_id = ${project} AND group_type_index = ${groupTypeIndex}
      ${groupKey === undefined ? sql`` : sql`AND group_key = ${storableText(groupKey)}`}
      ${search === '' ? sql`` : sql`AND (strpos(lower(group_key), lower(${search})) > 0 OR strpos(lower(properties ->> 'name'), lower(${search})) > 0)`}
      ${cursor ? sql`AND (created_at < ${cursor.createdAt} OR (created_at = ${cursor.createdAt} AND group_key > ${cursor.groupKey}))` : sql``}
    ORDER BY created_at DESC, group_key LIMIT ${limit + 1}`
  const results = found.slice(0, limit)
  const last = results.at(-1)
  const more = found.length > limit && last
  return { results, next: more ? { createdAt: last.createdAt, groupKey: last.groupKey } : null }
}

export async function findGroup(
  sql: Sql,
  project: number,
  groupTypeIndex: number,
  groupKey: string,
): Promise<Group | null> {
  const [group] = await sql<Group[]>`
    SELECT ${columns(sql)} FROM groups WHERE project_id = ${project} AND group_type_index = ${groupTypeIndex} AND group_key = ${storableText(groupKey)}`
  return group ?? null
}

const columns = (sql: Sql) =>
  sql`group_type_index AS "groupTypeIndex", group_key AS "groupKey", properties, created_at AS "createdAt"`
