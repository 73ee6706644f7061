import { propertyTexts } from '../engines/clickhouse/index.ts'
import { type JsonObject, stringifyJson } from '../lib/json.ts'

/** A row of the events table, before it is written as JSON. */
export interface EventRow {
  readonly projectId: number
  readonly uuid: string
  readonly event: string
  readonly timestamp: number
  readonly receivedAt: number
  readonly distinctId: string
  readonly personId: string
  readonly personMode: 'full' | 'propertyless' | 'force_upgrade'
  readonly personCreatedAt: number
  readonly sessionId: string
  readonly groups: readonly string[]
  readonly elementsChain: string
  readonly properties: JsonObject
  readonly personProperties: JsonObject
}

export function eventRowsAsNdjson(rows: readonly EventRow[]): Buffer {
  return ndjson(
    rows.map((row) => ({
      project_id: row.projectId,
      uuid: row.uuid,
      event: row.event,
      timestamp: clickhouseTime(row.timestamp),
      received_at: clickhouseTime(row.receivedAt),
      distinct_id: row.distinctId,
      person_id: row.personId,
      person_mode: row.personMode,
      person_created_at: clickhouseTime(row.personCreatedAt),
      session_id: row.sessionId,
      group_0: row.groups[0] ?? '',
      group_1: row.groups[1] ?? '',
      group_2: row.groups[2] ?? '',
      group_3: row.groups[3] ?? '',
      group_4: row.groups[4] ?? '',
      elements_chain: row.elementsChain,
      properties: stringifyJson(row.properties),
      person_properties: stringifyJson(row.personProperties),
      props: propertyTexts(row.properties),
      person_props: propertyTexts(row.personProperties),
    })),
  )
}

/** The rows by which a retry of these events is recognised, and by which an event is found by its uuid. */
export const uuidRowsAsNdjson = (rows: readonly EventRow[]): Buffer =>
  ndjson(
    rows.map((row) => ({
      project_id: row.projectId,
      uuid: uuidAsNumber(row.uuid),
      timestamp: clickhouseTime(row.timestamp),
    })),
  )

export const ndjson = (rows: readonly object[]): Buffer =>
  Buffer.from(`${rows.map((row) => JSON.stringify(row)).join('\n')}\n`)

/** The uuid as one big number, which sorts as its text does. */
export const uuidAsNumber = (uuid: string): string => BigInt(`0x${uuid.replaceAll('-', '')}`).toString()

/** `2020-01-01 12:00:05.200000`, as a DateTime64 column reads it. */
export function clickhouseTime(ms: number): string {
  const whole = Math.floor(ms)
  const micros = Math.min(999, Math.round((ms - whole) * 1000))
  const iso = new Date(whole).toISOString()
  return `${iso.slice(0, 10)} ${iso.slice(11, 23)}${String(micros).padStart(3, '0')}`
}
