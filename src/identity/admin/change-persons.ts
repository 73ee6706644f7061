import { propertyTexts } from '../../engines/clickhouse/index.ts'
import type { TransactionSql } from '../../engines/postgres/index.ts'
import { InvalidInput } from '../../lib/invalid-input.ts'
import type { JsonObject } from '../../lib/json.ts'
import { isUuid } from '../../lib/uuid.ts'
import { MAX_PERSON_BYTES } from '../rules/person-rules.ts'
import { changedProperties } from '../rules/property-changes.ts'
import { jsonText, storableObject } from '../rules/storable.ts'
import type { PersonRow } from '../rules/types.ts'
import { clickhouseTime } from '../store/clickhouse-rows.ts'
import { findPerson, looksLikePersonId, type Person } from '../store/persons.ts'

/**
 * Changes made through the API, unlike those made by events. They lock first, so that a batch that has read meanwhile
 * runs again.
 */

/**
 * Sets and removes properties one by one. Null when there is no such person; no row for ClickHouse when nothing
 * changed.
 */
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
    throw new InvalidInput(`The person would carry more than ${MAX_PERSON_BYTES} bytes of properties.`, ['properties'])
  const version = person.version + 1
  await tx`UPDATE persons SET properties = ${text}::text::jsonb, version = ${version} WHERE id = ${person.id}`
  const changed = { ...person, properties, version }
  return { person: changed, rows: { persons: [rowOf(project, changed)] } }
}

/** Locks the person and returns it. */
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
