import { propertyTextsAsJson } from '../engines/clickhouse/index.ts'
import { type JsonObject, parseJson, stringifyJson } from '../lib/json.ts'
import type { HeatmapPoint } from './heatmap-points.ts'

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
  /** One object shared by all rows of a person between two changes. */
  readonly personProperties: JsonObject
  /** Points of heatmaps that came with the event. */
  readonly heatmap?: readonly HeatmapPoint[] | undefined
}

/** The exact JSON text of properties. It is needed twice, for the outbox and for ClickHouse, and built once. */
const texts = new WeakMap<JsonObject, string>()

function textOf(properties: JsonObject): string {
  let text = texts.get(properties)
  if (text === undefined) {
    text = stringifyJson(properties)
    texts.set(properties, text)
  }
  return text
}

/**
 * The text is assembled by hand instead of through an object: this is the hottest loop of the pipeline. Person
 * properties and times repeat within a batch, so their texts are cached while the batch is written. `inSessions`: rows
 * of `sessions` are inserted for them too.
 */
export function eventRowsAsNdjson(rows: readonly EventRow[], { inSessions }: { readonly inSessions: boolean }): Buffer {
  const added = inSessions ? ',"in_sessions":1' : ''
  const time = remembered(clickhouseTime)
  const person = remembered(
    (properties: JsonObject) => `"person_properties":${propertyColumns(properties, 'person_props')}`,
  )
  return Buffer.from(
    rows
      .map(
        (row) =>
          `{"project_id":${row.projectId},"uuid":"${row.uuid}","event":${JSON.stringify(row.event)},"timestamp":"${time(row.timestamp)}",` +
          `"received_at":"${time(row.receivedAt)}","distinct_id":${JSON.stringify(row.distinctId)},"person_id":"${row.personId}",` +
          `"person_mode":"${row.personMode}","person_created_at":"${time(row.personCreatedAt)}","session_id":${JSON.stringify(row.sessionId)},` +
          `${groupColumns(row.groups)}"elements_chain":${JSON.stringify(row.elementsChain)},` +
          `"properties":${propertyColumns(row.properties, 'props')},${person(row.personProperties)}${added}}\n`,
      )
      .join(''),
  )
}

/** The exact text, and the same for the JSON column. */
const propertyColumns = (properties: JsonObject, column: string): string =>
  `${JSON.stringify(textOf(properties))},"${column}":${propertyTextsAsJson(properties)}`

const groupColumns = (groups: readonly string[]): string =>
  groups.map((key, index) => (key === '' ? '' : `"group_${index}":${JSON.stringify(key)},`)).join('')

/** Caches the results of a function. */
function remembered<A, R>(work: (argument: A) => R): (argument: A) => R {
  const known = new Map<A, R>()
  return (argument) => {
    let result = known.get(argument)
    if (result === undefined) {
      result = work(argument)
      known.set(argument, result)
    }
    return result
  }
}

/**
 * Event rows as the outbox stores them: properties once instead of twice, because the outbox is written to disk and its
 * content is almost always deleted unread.
 */
export const packEventRows = (rows: readonly EventRow[]): Buffer =>
  Buffer.from(
    rows
      .map((row) => {
        const head = stringifyJson(withoutProperties(row)).slice(0, -1)
        return `${head},"properties":${textOf(row.properties)},"personProperties":${textOf(row.personProperties)}}\n`
      })
      .join(''),
  )

const withoutProperties = (row: EventRow): Omit<EventRow, 'properties' | 'personProperties'> => ({
  projectId: row.projectId,
  uuid: row.uuid,
  event: row.event,
  timestamp: row.timestamp,
  receivedAt: row.receivedAt,
  distinctId: row.distinctId,
  personId: row.personId,
  personMode: row.personMode,
  personCreatedAt: row.personCreatedAt,
  sessionId: row.sessionId,
  groups: row.groups,
  elementsChain: row.elementsChain,
  heatmap: row.heatmap,
})

export const unpackEventRows = (packed: Buffer): EventRow[] =>
  packed
    .toString('utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => parseJson(line) as unknown as EventRow)

/** The rows of `event_uuids`: they recognise retries and find an event by its uuid. */
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

/** The uuid as one big number, which sorts like its text. */
export const uuidAsNumber = (uuid: string): string => BigInt(`0x${uuid.replaceAll('-', '')}`).toString()

/** `2020-01-01 12:00:05.200000`, as a DateTime64 column reads it. */
export function clickhouseTime(ms: number): string {
  const whole = Math.floor(ms)
  const micros = Math.min(999, Math.round((ms - whole) * 1000))
  const iso = new Date(whole).toISOString()
  return `${iso.slice(0, 10)} ${iso.slice(11, 23)}${String(micros).padStart(3, '0')}`
}
