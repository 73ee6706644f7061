import { RowBinary, writePropertyTexts } from '../engines/clickhouse/index.ts'
import { type JsonObject, parseJson, stringifyJson } from '../lib/json.ts'
import { TextBuffer } from '../lib/text-buffer.ts'
import type { HeatmapPoint } from './heatmap-points.ts'

/** A row of the events table, before it is encoded. */
export interface EventRow extends RowTexts {
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

/**
 * The exact JSON texts of a row. They are needed twice, for the outbox and for ClickHouse, and built once. Kept in the
 * row: a weak map of objects costs the garbage collector more than it saves.
 */
interface RowTexts {
  propertiesText?: string | undefined
  personText?: string | undefined
}

const propertiesText = (row: EventRow): string => {
  row.propertiesText ??= stringifyJson(row.properties)
  return row.propertiesText
}

const personText = (row: EventRow): string => {
  row.personText ??= stringifyJson(row.personProperties)
  return row.personText
}

/** The columns of `events` in the order in which `eventRowsAsBinary` writes them. */
export const EVENT_COLUMNS = [
  'project_id',
  'uuid',
  'event',
  'timestamp',
  'received_at',
  'distinct_id',
  'person_id',
  'person_mode',
  'person_created_at',
  'session_id',
  'group_0',
  'group_1',
  'group_2',
  'group_3',
  'group_4',
  'elements_chain',
  'in_sessions',
  'properties',
  'props',
  'person_properties',
  'person_props',
] as const

const PERSON_MODES = { full: 0, propertyless: 1, force_upgrade: 2 } as const
/** Of an ordinary event, so that a batch grows its buffer seldom. */
const ROW_BYTES = 2_048

/**
 * In binary, because this is the hottest loop of the pipeline and of the engine that reads it. Rows of a person between
 * two changes have the same properties, which are written once and then copied. `inSessions`: rows of `sessions` are
 * inserted for them too.
 */
export function eventRowsAsBinary(rows: readonly EventRow[], { inSessions }: { readonly inSessions: boolean }): Buffer {
  const out = new RowBinary(rows.length * ROW_BYTES)
  const persons = new Map<JsonObject, { readonly from: number; readonly to: number }>()
  for (const row of rows) {
    out.uint32(row.projectId).uuid(row.uuid).string(row.event)
    writeMicros(out, row.timestamp)
    out.int64(Math.floor(row.receivedAt)).string(row.distinctId).uuid(row.personId)
    out.uint8(PERSON_MODES[row.personMode]).int64(Math.floor(row.personCreatedAt)).string(row.sessionId)
    for (let index = 0; index < 5; index++) out.string(row.groups[index] ?? '')
    out.string(row.elementsChain).uint8(inSessions ? 1 : 0)
    writePropertyTexts(out.string(propertiesText(row)), row.properties)
    const person = persons.get(row.personProperties)
    if (person === undefined) {
      const from = out.length
      writePropertyTexts(out.string(personText(row)), row.personProperties)
      persons.set(row.personProperties, { from, to: out.length })
    } else out.again(person.from, person.to)
  }
  return out.done()
}

/** Microseconds since 1970, as a DateTime64(6) column has them. Beyond the year 2255 a double does not hold them. */
export function writeMicros(out: RowBinary, ms: number): void {
  const micros = microsOf(ms)
  if (Number.isSafeInteger(micros)) out.int64(micros)
  else out.uint64(BigInt.asUintN(64, BigInt(Math.floor(ms)) * 1000n + BigInt(fractionOf(ms))))
}

export const microsOf = (ms: number): number => Math.floor(ms) * 1000 + fractionOf(ms)

/** The microseconds after a whole millisecond. */
const fractionOf = (ms: number): number => Math.min(999, Math.round((ms - Math.floor(ms)) * 1000))

/**
 * Event rows as the outbox stores them: properties once instead of twice, because the outbox is written to disk and its
 * content is almost always deleted unread. Line by line into one buffer: as one text of a whole batch they would be the
 * largest part of what the garbage collector of the pipeline has to copy.
 */
export function packEventRows(rows: readonly EventRow[]): Buffer {
  const persons = new Map<JsonObject, string>()
  const out = new TextBuffer(rows.length * ROW_BYTES)
  for (const row of rows) {
    row.personText ??= persons.get(row.personProperties)
    const person = personText(row)
    persons.set(row.personProperties, person)
    out.add(headOf(row)).add(propertiesText(row)).add(',"personProperties":').add(person).add('}\n')
  }
  return out.done()
}

/** The other fields, and the name of the first that follows: the text that `stringifyJson` would give, assembled by hand because this is the hot path. */
const headOf = (row: EventRow): string =>
  `{"projectId":${row.projectId},"uuid":"${row.uuid}","event":${stringifyJson(row.event)},"timestamp":${row.timestamp},` +
  `"receivedAt":${row.receivedAt},"distinctId":${stringifyJson(row.distinctId)},"personId":"${row.personId}",` +
  `"personMode":"${row.personMode}","personCreatedAt":${row.personCreatedAt},"sessionId":${stringifyJson(row.sessionId)},` +
  `"groups":${row.groups.every((key) => key === '') ? NO_GROUPS : stringifyJson(row.groups)},` +
  `"elementsChain":${row.elementsChain === '' ? '""' : stringifyJson(row.elementsChain)}` +
  (row.heatmap === undefined ? '' : `,"heatmap":${stringifyJson(row.heatmap)}`) +
  ',"properties":'

const NO_GROUPS = JSON.stringify(['', '', '', '', ''])

export const unpackEventRows = (packed: Buffer): EventRow[] =>
  packed
    .toString('utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => parseJson(line) as unknown as EventRow)

export const UUID_COLUMNS = ['project_id', 'uuid', 'timestamp'] as const

/** The rows of `event_uuids`: they recognise retries and find an event by its uuid. */
export function uuidRowsAsBinary(rows: readonly EventRow[]): Buffer {
  const out = new RowBinary(rows.length * 28)
  for (const row of rows) {
    out.uint32(row.projectId).uuidAsUint128(row.uuid)
    writeMicros(out, row.timestamp)
  }
  return out.done()
}

export const ndjson = (rows: readonly object[]): Buffer =>
  Buffer.from(`${rows.map((row) => JSON.stringify(row)).join('\n')}\n`)

/** The uuid as one big number, which sorts like its text. */
export const uuidAsNumber = (uuid: string): string => BigInt(`0x${uuid.replaceAll('-', '')}`).toString()

/** `2020-01-01 12:00:05.200000`, as a DateTime64 column reads it. */
export function clickhouseTime(ms: number): string {
  const iso = new Date(Math.floor(ms)).toISOString()
  return `${iso.slice(0, 10)} ${iso.slice(11, 23)}${String(fractionOf(ms)).padStart(3, '0')}`
}
