import { propertyTexts } from '../engines/clickhouse/index.ts'
import type { TransactionSql } from '../engines/postgres/index.ts'
import { ApiError } from '../http/errors.ts'
import type { JsonObject } from '../lib/json.ts'
import { isUuid } from '../lib/uuid.ts'
import { clickhouseTime, deletedPersonRow } from './clickhouse-rows.ts'
import { MAX_PERSON_BYTES } from './person-rules.ts'
import { findPerson, looksLikePersonId, type Person } from './persons.ts'
import { changedProperties } from './property-changes.ts'
import { jsonText, storableObject } from './storable.ts'
import type { PersonRow } from './types.ts'
import { TOMBSTONE_STEP } from './write.ts'

/** Changes that people ask for, as against those that events make. They lock first, so that a batch which has read meanwhile runs again. */

/** Sets and removes properties one by one. Null when there is no such person; no row for ClickHouse when nothing changed. */
export async function patchPersonProperties(
  tx: TransactionSql,
  project: number,
  idOrUuid: string | number,
  changes: { readonly set?: JsonObject; readonly unset?: readonly string[] },
): Promise<{ person: Person; rows: { persons: PersonRow[] } } | null> {
  const person = await lockPerson(tx, project, idOrUuid)
  if (!person) return null
  const set = storableObject(changes.set ?? {})
  const properties = changedProperties(person.properties, '$set', { set, setOnce: {}, unset: changes.unset ?? [] })
  if (!properties) return { person, rows: { persons: [] } }
  const text = jsonText(properties)
  if (Buffer.byteLength(text) > MAX_PERSON_BYTES)
    throw new ApiError('invalid_input', `The person would carry more than ${MAX_PERSON_BYTES} bytes of properties.`, {
      attr: 'properties',
    })
  const version = person.version + 1
  await tx`UPDATE persons SET properties = ${text}::text::jsonb, version = ${version} WHERE id = ${person.id}`
  const changed = { ...person, properties, version }
  return { person: changed, rows: { persons: [rowOf(project, changed)] } }
}

export interface DeletedPerson extends Person {
  /** Uuids under which ClickHouse may hold events of this person beside its own: those of persons merged into it. */
  readonly formerUuids: readonly string[]
}

export type PersonChoice =
  | { readonly uuids: readonly string[] }
  | { readonly ids: readonly number[] }
  | { readonly distinctIds: readonly string[] }

/** Deletes persons and forgets their distinct ids. Their events stay until somebody deletes those too. */
export async function deletePersons(
  tx: TransactionSql,
  project: number,
  choice: PersonChoice,
): Promise<{ deleted: DeletedPerson[]; rows: { persons: PersonRow[] } }> {
  const locked = await tx<{ id: number }[]>`
    SELECT id FROM persons p WHERE project_id = ${project} AND ${chosen(tx, project, choice)} ORDER BY id FOR UPDATE`
  const deleted: DeletedPerson[] = []
  for (const { id } of locked) {
    const person = await findPerson(tx, project, id)
    if (!person) continue
    const former = await tx<{ uuid: string }[]>`
      SELECT old_person_uuid AS uuid FROM person_overrides WHERE project_id = ${project} AND person_uuid = ${person.uuid}`
    deleted.push({ ...person, formerUuids: former.map(({ uuid }) => uuid) })
  }
  if (deleted.length === 0) return { deleted, rows: { persons: [] } }
  const ids = deleted.map(({ id }) => id)
  await tx`DELETE FROM person_distinct_ids WHERE person_id = ANY(${ids}::bigint[])`
  await tx`DELETE FROM persons WHERE id = ANY(${ids}::bigint[])`
  await tx`
    INSERT INTO person_tombstones (project_id, uuid, version)
    SELECT ${project}::int, * FROM unnest(${deleted.map(({ uuid }) => uuid)}::uuid[], ${deleted.map(tombstone)}::bigint[])
    ON CONFLICT (project_id, uuid) DO UPDATE SET version = excluded.version, deleted_at = excluded.deleted_at`
  const persons = deleted.map((person) =>
    deletedPersonRow(project, person.uuid, person.createdAt.getTime(), tombstone(person)),
  )
  return { deleted, rows: { persons } }
}

function chosen(tx: TransactionSql, project: number, choice: PersonChoice) {
  if ('uuids' in choice) return tx`uuid = ANY(${choice.uuids.filter(isUuid)}::uuid[])`
  if ('ids' in choice) return tx`id = ANY(${choice.ids as number[]}::bigint[])`
  return tx`id IN (SELECT person_id FROM person_distinct_ids
                   WHERE project_id = ${project} AND distinct_id = ANY(${choice.distinctIds as string[]}::text[]))`
}

/** The person as it is once nobody else can change it. */
export async function lockPerson(
  tx: TransactionSql,
  project: number,
  idOrUuid: string | number,
): Promise<Person | null> {
  const text = String(idOrUuid)
  if (!looksLikePersonId(text)) return null
  const [row] = await tx<{ id: number }[]>`
    SELECT id FROM persons WHERE project_id = ${project} AND ${isUuid(text) ? tx`uuid = ${text}` : tx`id = ${Number(text)}`} FOR UPDATE`
  return row ? findPerson(tx, project, row.id) : null
}

const tombstone = (person: Person): number => person.version + TOMBSTONE_STEP

export const rowOf = (project: number, person: Person): PersonRow => ({
  project_id: project,
  id: person.uuid,
  created_at: clickhouseTime(person.createdAt.getTime()),
  properties: jsonText(person.properties),
  props: propertyTexts(person.properties),
  is_identified: person.isIdentified ? 1 : 0,
  is_deleted: 0,
  version: person.version,
})
