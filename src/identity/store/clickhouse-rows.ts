import { propertyTexts } from '../../engines/clickhouse/index.ts'
import { jsonText } from '../rules/storable.ts'
import type { PersonRow } from '../rules/types.ts'
import type { PersonState } from '../rules/working-set.ts'

/** The range of ClickHouse's DateTime64 is 1900 to 2299. */
const EARLIEST = Date.UTC(1900, 0, 1)
const LATEST = Date.UTC(2299, 11, 31)

export const clickhouseTime = (ms: number): string =>
  new Date(Math.min(Math.max(ms, EARLIEST), LATEST)).toISOString().replace('T', ' ').slice(0, 23)

export const personRow = (person: PersonState): PersonRow => ({
  project_id: person.project,
  id: person.uuid,
  created_at: clickhouseTime(person.createdAt),
  properties: jsonText(person.properties),
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
