import type { Project } from '../accounts/index.ts'
import type { Sql } from '../engines/postgres/index.ts'
import type { JsonObject } from '../lib/json.ts'

/** A person as embedded in an event. */
export interface EmbeddedPerson {
  readonly id: number
  readonly uuid: string
  readonly name: string
  readonly distinct_ids: readonly string[]
  readonly properties: JsonObject
}

export async function personsOfDistinctIds(
  sql: Sql,
  project: Project,
  distinctIds: readonly string[],
): Promise<Map<string, EmbeddedPerson>> {
  if (distinctIds.length === 0) return new Map()
  const rows = await sql<(Omit<EmbeddedPerson, 'name'> & { asked: string[] })[]>`
    SELECT p.id, p.uuid, p.properties,
      array_agg(d.distinct_id) FILTER (WHERE d.distinct_id = ANY(${sql.array([...distinctIds])}::text[])) AS asked,
      (SELECT array_agg(distinct_id ORDER BY position, distinct_id) FROM person_distinct_ids i WHERE i.person_id = p.id) AS distinct_ids
    FROM person_distinct_ids d JOIN persons p ON p.id = d.person_id
    WHERE d.project_id = ${project.id} AND d.distinct_id = ANY(${sql.array([...distinctIds])}::text[])
    GROUP BY p.id`
  const found = new Map<string, EmbeddedPerson>()
  for (const { asked, ...person } of rows)
    for (const id of asked)
      found.set(id, { ...person, name: String(person.properties.email ?? person.distinct_ids[0]) })
  return found
}

export async function distinctIdsOf(sql: Sql, project: number, idOrUuid: string): Promise<string[]> {
  const rows = await sql<{ distinct_id: string }[]>`
    SELECT distinct_id FROM person_distinct_ids d JOIN persons p ON p.id = d.person_id
    WHERE p.project_id = ${project} AND (p.id::text = ${idOrUuid} OR p.uuid::text = lower(${idOrUuid}))`
  return rows.map((row) => row.distinct_id)
}
