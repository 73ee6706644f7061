import { RowBinary, writePropertyTexts } from '../engines/clickhouse/index.ts'
import { type JsonObject, parseJson, stringifyJson } from '../lib/json.ts'
import { TextBuffer } from '../lib/text-buffer.ts'
import type { HeatmapPoint } from './heatmap-points.ts'

/** A row of the events table, before it is encoded. */
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
  /** Of a row that was packed for the outbox. */
  packed?: PackedTexts | undefined
}

/**
 * Where the exact JSON texts of a row stand among the packed rows. They are made once and needed twice, for the outbox
 * and for ClickHouse; kept as texts until then, they would be most of what the garbage collector has to copy.
 */
interface PackedTexts {
  /** All rows that were packed together: known when the last of them is. */
  readonly rows: { bytes: Buffer }
  readonly properties: Span
  readonly person: Span
}

interface Span {
  readonly from: number
  readonly to: number
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
/** What an ordinary event has besides its properties. */
const BESIDES_BYTES = 300

/**
 * In binary, because this is the hottest loop of the pipeline and of the engine that reads it. Rows of a person between
 * two changes have the same properties, which are written once and then copied. `inSessions`: rows of `sessions` are
 * inserted for them too.
 */
export function eventRowsAsBinary(rows: readonly EventRow[], { inSessions }: { readonly inSessions: boolean }): Buffer {
  const out = new RowBinary(expectedBytes(rows))
  const persons = new Map<JsonObject, Span>()
  for (const row of rows) {
    out.uint32(row.projectId).uuid(row.uuid).string(row.event)
    writeMicros(out, row.timestamp)
    out.int64(Math.floor(row.receivedAt)).string(row.distinctId).uuid(row.personId)
    out.uint8(PERSON_MODES[row.personMode]).int64(Math.floor(row.personCreatedAt)).string(row.sessionId)
    for (let index = 0; index < 5; index++) out.string(row.groups[index] ?? '')
    out.string(row.elementsChain).uint8(inSessions ? 1 : 0)
    writeText(out, row.properties, row.packed?.rows, row.packed?.properties)
    writePropertyTexts(out, row.properties)
    const person = persons.get(row.personProperties)
    if (person === undefined) {
      const from = out.length
      writeText(out, row.personProperties, row.packed?.rows, row.packed?.person)
      writePropertyTexts(out, row.personProperties)
      persons.set(row.personProperties, { from, to: out.length })
    } else out.again(person.from, person.to)
  }
  return out.done()
}

/** Texts of properties are written twice: whole, and path by path. */
function expectedBytes(rows: readonly EventRow[]): number {
  let bytes = 0
  for (const { packed } of rows)
    bytes +=
      packed === undefined ? ROW_BYTES : BESIDES_BYTES + 2 * (lengthOf(packed.properties) + lengthOf(packed.person))
  return bytes
}

const lengthOf = ({ from, to }: Span): number => to - from

function writeText(
  out: RowBinary,
  properties: JsonObject,
  packed: PackedTexts['rows'] | undefined,
  at: Span | undefined,
): void {
  if (packed !== undefined && at !== undefined) out.stringOf(packed.bytes, at.from, at.to)
  else out.string(stringifyJson(properties))
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
  const out = new TextBuffer(rows.length * ROW_BYTES)
  const packed: PackedTexts['rows'] = { bytes: NO_BYTES }
  const persons = new Map<JsonObject, Span>()
  for (const row of rows) {
    packFields(out, row)
    const properties = added(out.add(',"properties":'), stringifyJson(row.properties))
    out.add(',"personProperties":')
    const known = persons.get(row.personProperties)
    const person = known ?? added(out, stringifyJson(row.personProperties))
    if (known === undefined) persons.set(row.personProperties, person)
    else out.again(known.from, known.to)
    out.add('}\n')
    row.packed = { rows: packed, properties, person }
  }
  packed.bytes = out.done()
  return packed.bytes
}

const NO_BYTES = Buffer.alloc(0)

function added(out: TextBuffer, text: string): Span {
  const from = out.length
  return { from, to: out.add(text).length }
}

/** The other fields: the text that `stringifyJson` would give, written piece by piece because this is the hot path. */
function packFields(out: TextBuffer, row: EventRow): void {
  out.add('{"projectId":').add(String(row.projectId))
  out.add(',"uuid":"').add(row.uuid)
  out.add('","event":').quoted(row.event)
  out.add(',"timestamp":').add(String(row.timestamp))
  out.add(',"receivedAt":').add(String(row.receivedAt))
  out.add(',"distinctId":').quoted(row.distinctId)
  out.add(',"personId":"').add(row.personId)
  out.add('","personMode":"').add(row.personMode)
  out.add('","personCreatedAt":').add(String(row.personCreatedAt))
  out.add(',"sessionId":').quoted(row.sessionId)
  out.add(',"groups":').add(row.groups.every((key) => key === '') ? NO_GROUPS : stringifyJson(row.groups))
  out.add(',"elementsChain":').quoted(row.elementsChain)
  if (row.heatmap !== undefined) out.add(',"heatmap":').add(stringifyJson(row.heatmap))
}

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
