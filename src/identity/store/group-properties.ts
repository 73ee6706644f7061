import type { Sql } from '../../engines/postgres/index.ts'
import { storableText } from '../rules/storable.ts'

interface GroupPropertyName {
  readonly groupTypeIndex: number
  readonly name: string
  /** How many groups have it. */
  readonly count: number
}

/** The names of group properties, the most frequent of each type first. */
export async function groupPropertyNames(sql: Sql, project: number): Promise<GroupPropertyName[]> {
  return await sql<GroupPropertyName[]>`
    SELECT group_type_index AS "groupTypeIndex", name, count(*) AS count
    FROM groups, jsonb_object_keys(properties) AS name
    WHERE project_id = ${project} GROUP BY 1, 2 ORDER BY 1, 3 DESC, 2`
}

interface GroupPropertyValue {
  readonly name: string
  readonly count: number
}

const MOST_VALUES = 20

/**
 * Values of one property of the groups of a type as texts, the most frequent first. `search` matches a part, in any
 * case.
 */
export async function groupPropertyValues(
  sql: Sql,
  project: number,
  asked: { readonly groupTypeIndex: number; readonly key: string; readonly search?: string | undefined },
): Promise<GroupPropertyValue[]> {
  const key = storableText(asked.key)
  const search = storableText(asked.search ?? '')
  return await sql<GroupPropertyValue[]>`
    SELECT properties ->> ${key} AS name, count(*) AS count FROM groups
    WHERE project_id = ${project} AND group_type_index = ${asked.groupTypeIndex} AND properties ->> ${key} IS NOT NULL
      ${search === '' ? sql`` : sql`AND strpos(lower(properties ->> ${key}), lower(${search})) > 0`}
    GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${MOST_VALUES}`
}
