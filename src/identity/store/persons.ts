import type { Sql, Statements, TransactionSql } from '../../engines/postgres/index.ts'
import type { JsonObject } from '../../lib/json.ts'
import { isUuid } from '../../lib/uuid.ts'
import { orderedDistinctIds, type PositionedId } from '../rules/display.ts'

export interface Person {
  readonly id: number
  readonly uuid: string
  readonly properties: JsonObject
  readonly createdAt: Date
  readonly version: number
  readonly isIdentified: boolean
  readonly lastSeenAt: Date | null
  /** In the order they are shown. */
  readonly distinctIds: readonly string[]
}

const MAX_DISTINCT_IDS = 1_000

export interface PersonRecord extends Omit<Person, 'distinctIds'> {
  readonly ids: PositionedId[]
}

/** A person from the columns that `personColumns` selects. */
export const personOf = ({ ids, ...person }: PersonRecord): Person => ({
  ...person,
  distinctIds: orderedDistinctIds(ids),
})

/** A person id in a path is a uuid or an integer. */
export const looksLikePersonId = (text: string): boolean => isUuid(text) || /^\d{1,15}$/.test(text)

/** For other modules that select from persons `p`. */
export const personColumns = (sql: Statements, distinctIds = MAX_DISTINCT_IDS) => columns(sql, distinctIds)

const columns = (sql: Statements, limit: number) => sql`
  p.id, p.uuid, p.properties, p.created_at AS "createdAt", p.version, p.is_identified AS "isIdentified",
  CASE WHEN p.last_seen_at < p.created_at THEN p.created_at ELSE p.last_seen_at END AS "lastSeenAt",
  (SELECT coalesce(jsonb_agg(jsonb_build_object('distinctId', d.distinct_id, 'position', d.position)), '[]')
   FROM (SELECT distinct_id, position FROM person_distinct_ids WHERE person_id = p.id ORDER BY position LIMIT ${limit}) d) AS ids`

/** When somebody was last seen, to order persons `p` by: as the index `persons_last_seen` has it. */
export const lastSeen = (sql: Statements) => sql`greatest(p.last_seen_at, p.created_at)`

export async function findPerson(
  sql: Sql | TransactionSql,
  project: number,
  idOrUuid: string | number,
): Promise<Person | null> {
  const text = String(idOrUuid)
  if (!looksLikePersonId(text)) return null
  const found = await sql<PersonRecord[]>`
    SELECT ${columns(sql, MAX_DISTINCT_IDS)} FROM persons p
    WHERE p.project_id = ${project} AND ${isUuid(text) ? sql`p.uuid = ${text}` : sql`p.id = ${Number(text)}`}`
  return found[0] ? personOf(found[0]) : null
}

export async function findPersonByDistinctId(
  sql: Sql | TransactionSql,
  project: number,
  distinctId: string,
): Promise<Person | null> {
  const found = await sql<PersonRecord[]>`
    SELECT ${columns(sql, MAX_DISTINCT_IDS)} FROM person_distinct_ids own JOIN persons p ON p.id = own.person_id
    WHERE own.project_id = ${project} AND own.distinct_id = ${distinctId}`
  return found[0] ? personOf(found[0]) : null
}

/** The persons that have these distinct ids now, by distinct id. */
export async function personsByDistinctIds(
  sql: Sql | TransactionSql,
  project: number,
  ids: readonly string[],
  { distinctIds = 10 }: { readonly distinctIds?: number } = {},
): Promise<Map<string, Person>> {
  if (ids.length === 0) return new Map()
  const found = await sql<(PersonRecord & { asked: string[] })[]>`
    SELECT own.asked, ${columns(sql, distinctIds)}
    FROM (SELECT person_id, array_agg(distinct_id) AS asked FROM person_distinct_ids
          WHERE project_id = ${project} AND distinct_id = ANY(${[...new Set(ids)]}::text[]) AND person_id IS NOT NULL GROUP BY person_id) own
    JOIN persons p ON p.id = own.person_id`
  return new Map(
    found.flatMap(({ asked, ...record }) => {
      const person = personOf(record)
      return asked.map((id) => [id, person] as const)
    }),
  )
}

/** The persons of uuids in events. The uuid of a merged person leads to the survivor. */
export async function personsByUuid(
  sql: Sql | TransactionSql,
  project: number,
  uuids: readonly string[],
  { distinctIds = 10 }: { readonly distinctIds?: number } = {},
): Promise<Map<string, Person>> {
  if (uuids.length === 0) return new Map()
  const found = await sql<(PersonRecord & { asked: string })[]>`
    SELECT k.uuid AS asked, ${columns(sql, distinctIds)}
    FROM unnest(${[...new Set(uuids)]}::uuid[]) AS k (uuid)
    LEFT JOIN person_overrides o ON o.project_id = ${project} AND o.old_person_uuid = k.uuid
    JOIN persons p ON p.project_id = ${project} AND p.uuid = coalesce(o.person_uuid, k.uuid)`
  return new Map(found.map(({ asked, ...person }) => [asked, personOf(person)]))
}

interface MergeHistoryEntry {
  readonly personUuid: string
  readonly mergedPersonUuid: string | null
  readonly distinctId: string
  readonly otherDistinctId: string
  readonly event: string
  readonly eventUuid: string
  readonly mergedAt: Date
}

/** The merge history of a person, newest first, including that of persons merged into it. */
export async function mergeHistory(sql: Sql, project: number, uuid: string, limit = 100): Promise<MergeHistoryEntry[]> {
  return await sql<MergeHistoryEntry[]>`
    WITH RECURSIVE part (uuid) AS (
      SELECT ${uuid}::uuid
      UNION
      SELECT m.merged_person_uuid FROM part JOIN person_merges m ON m.project_id = ${project} AND m.person_uuid = part.uuid
      WHERE m.merged_person_uuid IS NOT NULL
    )
    SELECT person_uuid AS "personUuid", merged_person_uuid AS "mergedPersonUuid", distinct_id AS "distinctId",
           other_distinct_id AS "otherDistinctId", event, event_uuid AS "eventUuid", merged_at AS "mergedAt"
    FROM person_merges JOIN part ON person_uuid = part.uuid WHERE project_id = ${project} ORDER BY id DESC LIMIT ${limit}`
}
