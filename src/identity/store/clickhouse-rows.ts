import { propertyTexts } from '../../engines/clickhouse/index.ts'
import type { PersonRow } from '../rules/types.ts'
import type { PersonState } from '../rules/working-set.ts'

/** The range of ClickHouse's DateTime64 is 1900 to 2299. */
const EARLIEST = Date.UTC(1900, 0, 1)
const LATEST = Date.UTC(2299, 11, 31)

export function clickhouseTime(ms: number): string {
  const iso = new Date(Math.min(Math.max(ms, EARLIEST), LATEST)).toISOString()
  return `${iso.slice(0, 10)} ${iso.slice(11, 23)}`
}

/** `text` is the JSON of the person's properties. */
export const personRow = (person: PersonState, text: string): PersonRow => ({
  project_id: person.project,
  id: person.uuid,
  created_at: clickhouseTime(person.createdAt),
  properties: text,
  props: propertyTexts(person.properties),
  is_identified: person.isIdentified ? 1 : 0,
  is_deleted: 0,
  version: person.version,
})

export const deletedPersonRow = (project: number, uuid: string, createdAt: number, version: number): PersonRow => ({
  project_id: project,
  id: uuid,
  created_at: clickhouseTime(createdAt),
  properties: '{}',
  props: {},
  is_identified: 0,
  is_deleted: 1,
  version,
})
