import type { TransactionSql } from '../../engines/postgres/index.ts'
import type { JsonObject } from '../../lib/json.ts'
import { uuidV5 } from '../../lib/uuid.ts'
import { jsonText, storableObject } from '../rules/storable.ts'
import type { ClickHouseCopies, IdentityEvent, PersonRow } from '../rules/types.ts'
import { type PersonRecord, personColumns, personOf } from '../store/persons.ts'
import { resolveIdentities } from '../store/resolve.ts'
import { rowOf } from './change-persons.ts'

/** Imports persons, before their events, so that every event gets its final person. */
interface ImportedPerson {
  readonly uuid: string
  readonly distinct_ids: readonly string[]
  readonly main_distinct_ids: readonly string[]
  readonly created_at: string
  readonly is_identified: boolean
}

/**
 * A person without a known distinct id is created as exported, with its uuid. If one of its distinct ids is known, the
 * merge rules decide, as if an event had eventOf that these ids belong to one person; ids that already belong together
 * stay as they are.
 */
export async function importPersons(
  tx: TransactionSql,
  project: number,
  persons: readonly ImportedPerson[],
): Promise<ClickHouseCopies> {
  const known = await knownIds(tx, project, persons)
  const taken = await takenUuids(tx, project, persons)
  const isNew = (person: ImportedPerson) =>
    !taken.has(person.uuid) && person.distinct_ids.every((id) => known.get(id) === undefined)
  const isWhole = ({ distinct_ids: [first = '', ...others] }: ImportedPerson) => {
    const owner = known.get(first)
    return typeof owner === 'number' && others.every((id) => known.get(id) === owner)
  }
  const fresh = await insert(tx, project, persons.filter(isNew))
  const merges = persons
    .filter((person) => !isNew(person) && !isWhole(person))
    .flatMap((person) => asEvents(project, person))
  const { rows } = await resolveIdentities(tx, merges, new Date())
  return { ...rows, persons: [...fresh, ...rows.persons] }
}

/** By distinct id: its person, or null while it has none. */
async function knownIds(
  tx: TransactionSql,
  project: number,
  persons: readonly ImportedPerson[],
): Promise<Map<string, number | null>> {
  const ids = persons.flatMap(({ distinct_ids }) => distinct_ids)
  const rows = await tx<{ distinct_id: string; person_id: number | null }[]>`
    SELECT distinct_id, person_id FROM person_distinct_ids WHERE project_id = ${project} AND distinct_id = ANY(${ids}::text[])`
  return new Map(rows.map(({ distinct_id, person_id }) => [distinct_id, person_id]))
}

/** Uuids that belong or belonged to a person: for these the merge rules decide. */
async function takenUuids(
  tx: TransactionSql,
  project: number,
  persons: readonly ImportedPerson[],
): Promise<Set<string>> {
  const uuids = persons.map(({ uuid }) => uuid)
  const rows = await tx<{ uuid: string }[]>`
    SELECT uuid FROM persons WHERE project_id = ${project} AND uuid = ANY(${uuids}::uuid[])
    UNION ALL SELECT uuid FROM person_tombstones WHERE project_id = ${project} AND uuid = ANY(${uuids}::uuid[])
    UNION ALL SELECT old_person_uuid FROM person_overrides WHERE project_id = ${project} AND old_person_uuid = ANY(${uuids}::uuid[])`
  return new Set(rows.map(({ uuid }) => uuid))
}

async function insert(tx: TransactionSql, project: number, persons: readonly ImportedPerson[]): Promise<PersonRow[]> {
  if (persons.length === 0) return []
  await tx`
    INSERT INTO persons (project_id, uuid, created_at, is_identified)
    SELECT ${project}, uuid, created_at::timestamptz, is_identified::boolean
    FROM unnest(${persons.map(({ uuid }) => uuid)}::uuid[], ${persons.map(({ created_at }) => created_at)}::text[],
                ${persons.map(({ is_identified }) => String(is_identified))}::text[]) AS new (uuid, created_at, is_identified)`
  const ids = persons.flatMap(({ uuid, distinct_ids, main_distinct_ids: main }) =>
    // In order of arrival; a main id set by an alias comes first.
    distinct_ids.map((id, at) => ({ uuid, id, position: main.includes(id) ? at - distinct_ids.length : at })),
  )
  await tx`
    INSERT INTO person_distinct_ids (project_id, distinct_id, person_id, position)
    SELECT ${project}, new.id, p.id, new.position
    FROM unnest(${ids.map(({ uuid }) => uuid)}::uuid[], ${ids.map(({ id }) => id)}::text[], ${ids.map(({ position }) => position)}::bigint[])
         AS new (uuid, id, position)
    JOIN persons p ON p.project_id = ${project} AND p.uuid = new.uuid ORDER BY new.id`
  const records = await tx<PersonRecord[]>`
    SELECT ${personColumns(tx)} FROM persons p
    WHERE p.project_id = ${project} AND p.uuid = ANY(${persons.map(({ uuid }) => uuid)}::uuid[])`
  return records.map((record) => rowOf(project, personOf(record)))
}

/** Events for the merge rules only; they are not stored. */
function asEvents(
  project: number,
  { uuid, distinct_ids: [first = '', ...others], created_at }: ImportedPerson,
): IdentityEvent[] {
  const timestamp = Date.parse(created_at)
  const eventOf = (event: string, properties: JsonObject): IdentityEvent => ({
    project,
    uuid: uuidV5(uuid, `${event} ${jsonText(properties)}`),
    event,
    distinctId: first,
    timestamp,
    properties,
    personProcessing: 'full',
  })
  if (others.length === 0) return [eventOf('$set', {})]
  return others.map((alias) => eventOf('$merge_dangerously', { alias }))
}

/** Imports the final properties of persons, after their events, so that no event overwrites them. */
interface ImportedProperties {
  readonly distinct_id: string
  readonly last_seen_at: string | null
  readonly properties: JsonObject
}

/** A person seen here after the export keeps its properties, and only gets the missing ones. */
export async function importPersonProperties(
  tx: TransactionSql,
  project: number,
  lines: readonly ImportedProperties[],
): Promise<PersonRow[]> {
  const byId = new Map(lines.map((line) => [line.distinct_id, line]))
  const locked = await tx<{ id: number; distinct_id: string }[]>`
    SELECT p.id, d.distinct_id FROM persons p JOIN person_distinct_ids d ON d.person_id = p.id
    WHERE d.project_id = ${project} AND d.distinct_id = ANY(${[...byId.keys()]}::text[]) ORDER BY p.id FOR UPDATE OF p`
  const idOf = new Map(locked.map(({ id, distinct_id }) => [id, distinct_id]))
  const records = await tx<
    PersonRecord[]
  >`SELECT ${personColumns(tx)} FROM persons p WHERE p.id = ANY(${[...idOf.keys()]}::bigint[])`
  const changed = records.map(personOf).flatMap((person) => {
    const line = byId.get(idOf.get(person.id) as string) as ImportedProperties
    const given = storableObject(line.properties)
    const later = (person.lastSeenAt?.getTime() ?? 0) > (line.last_seen_at === null ? 0 : Date.parse(line.last_seen_at))
    const properties = later ? { ...given, ...person.properties } : given
    return sameJson(properties, person.properties) ? [] : [{ ...person, properties, version: person.version + 1 }]
  })
  if (changed.length > 0)
    await tx`
      UPDATE persons SET properties = new.properties::jsonb, version = new.version
      FROM unnest(${changed.map(({ id }) => id)}::bigint[], ${changed.map(({ properties }) => jsonText(properties))}::text[],
                  ${changed.map(({ version }) => version)}::bigint[]) AS new (id, properties, version)
      WHERE persons.id = new.id`
  return changed.map((person) => rowOf(project, person))
}

const sameJson = (a: JsonObject, b: JsonObject): boolean => textInOrder(a) === textInOrder(b)
const textInOrder = (object: JsonObject): string =>
  jsonText(
    Object.keys(object)
      .sort()
      .map((key) => [key, object[key] ?? null]),
  )
