/**
 * What a batch of events adds to their sessions: rows of `sessions`, one for each session and day. ClickHouse merges
 * rows of one session, so any way to cut events into batches gives the same sessions.
 */
import { propertyText, RowBinary } from '../engines/clickhouse/index.ts'
import { DAY } from '../lib/durations.ts'
import type { Json, JsonObject } from '../lib/json.ts'
import { type EventRow, microsOf, writeMicros } from './rows.ts'

/** The times of what no event of a row has said. */
export const NEVER_FIRST = Number.MAX_SAFE_INTEGER
export const NEVER_LAST = 0
/** Longer texts are cut: an address of a page can be a document. */
export const LONGEST_TEXT = 2_000

/** Tuples of the table, and the event properties they are made of. */
export const ENTRY = {
  url: '$current_url',
  pathname: '$pathname',
  hostname: '$host',
  screen: '$screen_name',
  referrer: '$referrer',
  referring_domain: '$referring_domain',
  utm_source: 'utm_source',
  utm_medium: 'utm_medium',
  utm_campaign: 'utm_campaign',
  utm_term: 'utm_term',
  utm_content: 'utm_content',
  gclid: 'gclid',
  gad_source: 'gad_source',
  fbclid: 'fbclid',
  msclkid: 'msclkid',
} as const
export const EXIT = { url: '$current_url', pathname: '$pathname', hostname: '$host' } as const
export const CLIENT = {
  browser: '$browser',
  os: '$os',
  device_type: '$device_type',
  language: '$browser_language',
  timezone: '$timezone',
  country: '$geoip_country_code',
  region: '$geoip_subdivision_1_code',
  region_name: '$geoip_subdivision_1_name',
  city: '$geoip_city_name',
} as const
/** Events that are counted, by column. */
export const COUNTED = {
  pageviews: '$pageview',
  screens: '$screen',
  autocaptures: '$autocapture',
  rageclicks: '$rageclick',
  dead_clicks: '$dead_click',
  exceptions: '$exception',
} as const
const COLUMN_OF_EVENT = new Map<string, CountColumn>(
  (Object.entries(COUNTED) as [CountColumn, string][]).map(([column, event]) => [event, column]),
)
type CountColumn = keyof typeof COUNTED
const COUNT_COLUMNS = Object.keys(COUNTED) as CountColumn[]

/** The columns of `sessions` in the order in which `sessionRowsAsBinary` writes them. */
export const SESSION_COLUMNS = [
  'project_id',
  'day',
  'session_id',
  'first_at',
  'last_at',
  'persons',
  'distinct_id',
  'events',
  ...COUNT_COLUMNS,
  'urls',
  'entry',
  'exit',
  'client',
  'external_click',
  'lcp',
  'is_bot',
  'bot_reason',
] as const

/** A tuple of the table: what an event said, and when, in microseconds. */
interface Said {
  readonly at: number
  readonly texts: readonly string[]
}

export interface SessionRow {
  readonly projectId: number
  /** Since 1970. */
  readonly day: number
  readonly sessionId: string
  first: number
  last: number
  readonly persons: Set<string>
  distinctId: Said
  events: number
  readonly counts: Record<CountColumn, number>
  readonly urls: Set<string>
  entry: Said
  exit: Said
  client: Said
  externalClick: Said
  lcp: { readonly at: number; readonly value: number }
  isBot: boolean
  botReason: string
}

const URLS_OF_A_ROW = 1_000

export function sessionRowsOf(events: readonly EventRow[]): SessionRow[] {
  const rows = new Map<string, SessionRow>()
  for (const event of events) if (event.sessionId !== '') addEvent(rows, event)
  return [...rows.values()]
}

function addEvent(rows: Map<string, SessionRow>, event: EventRow): void {
  const { properties, timestamp } = event
  const day = Math.floor(timestamp / DAY)
  const key = `${event.projectId}/${day}/${event.sessionId}`
  let row = rows.get(key)
  if (row === undefined) {
    row = newRow(event, day)
    rows.set(key, row)
  }
  const at = microsOf(timestamp)
  row.first = Math.min(row.first, timestamp)
  row.last = Math.max(row.last, timestamp)
  row.persons.add(event.personId)
  if (at <= row.distinctId.at) row.distinctId = earlier(row.distinctId, { at, texts: [event.distinctId] })
  row.events += 1
  const counted = COLUMN_OF_EVENT.get(event.event)
  if (counted !== undefined) row.counts[counted] += 1
  const url = textOf(properties.$current_url)
  if (url !== '') {
    if (row.urls.size < URLS_OF_A_ROW) row.urls.add(url)
    if (at >= row.exit.at) row.exit = later(row.exit, said(at, EXIT_PROPERTIES, properties))
  }
  if (at <= row.entry.at && (url !== '' || textOf(properties.$screen_name) !== ''))
    row.entry = earlier(row.entry, said(at, ENTRY_PROPERTIES, properties))
  if (at <= row.client.at) addClient(row, at, properties)
  const clicked = textOf(properties.$external_click_url)
  if (clicked !== '') row.externalClick = later(row.externalClick, { at, texts: [clicked] })
  addLcp(row, at, properties)
  if (properties.$is_bot === true) {
    row.isBot = true
    const reason = textOf(properties.$bot_reason)
    if (orderOf(reason, row.botReason) > 0) row.botReason = reason
  }
}

/** An event says with what it was sent when it names a browser, a system, a kind of device or a country. */
function addClient(row: SessionRow, at: number, properties: JsonObject): void {
  const { $browser, $os, $device_type, $geoip_country_code } = properties
  if (!textOf($browser) && !textOf($os) && !textOf($device_type) && !textOf($geoip_country_code)) return
  const found = said(at, CLIENT_PROPERTIES, properties)
  const [width, height] = [textOf(properties.$viewport_width), textOf(properties.$viewport_height)]
  const viewport = width !== '' && height !== '' ? `${width}x${height}` : ''
  row.client = earlier(row.client, { at, texts: found.texts.toSpliced(VIEWPORT_AT, 0, viewport) })
}

function addLcp(row: SessionRow, at: number, { $web_vitals_LCP_value: sent }: JsonObject): void {
  if (sent === undefined) return
  const value = Number(textOf(sent) || Number.NaN)
  if (!Number.isFinite(value)) return
  const { lcp } = row
  if (at < lcp.at || (at === lcp.at && value < lcp.value)) row.lcp = { at, value }
}

const newRow = (event: EventRow, day: number): SessionRow => ({
  projectId: event.projectId,
  day,
  sessionId: event.sessionId,
  first: event.timestamp,
  last: event.timestamp,
  persons: new Set(),
  distinctId: NOTHING_FIRST.distinctId,
  events: 0,
  counts: { pageviews: 0, screens: 0, autocaptures: 0, rageclicks: 0, dead_clicks: 0, exceptions: 0 },
  urls: new Set(),
  entry: NOTHING_FIRST.entry,
  exit: NOTHING_LAST.exit,
  client: NOTHING_FIRST.client,
  externalClick: NOTHING_LAST.externalClick,
  lcp: { at: NEVER_FIRST, value: 0 },
  isBot: false,
  botReason: '',
})

const ENTRY_PROPERTIES = Object.values(ENTRY)
const EXIT_PROPERTIES = Object.values(EXIT)
const CLIENT_PROPERTIES = Object.values(CLIENT)
/** The size of the window comes after the kind of device. */
const VIEWPORT_AT = Object.keys(CLIENT).indexOf('device_type') + 1

const nothing = (at: number, texts: number): Said => ({ at, texts: Array<string>(texts).fill('') })
const NOTHING_FIRST = {
  distinctId: nothing(NEVER_FIRST, 1),
  entry: nothing(NEVER_FIRST, ENTRY_PROPERTIES.length),
  client: nothing(NEVER_FIRST, CLIENT_PROPERTIES.length + 1),
}
const NOTHING_LAST = { exit: nothing(NEVER_LAST, EXIT_PROPERTIES.length), externalClick: nothing(NEVER_LAST, 1) }

const said = (at: number, names: readonly string[], properties: JsonObject): Said => ({
  at,
  texts: names.map((name) => textOf(properties[name])),
})

/** As min and max of ClickHouse compare tuples: by time, then by what they hold, in order. */
const earlier = (known: Said, found: Said): Said => (compare(found, known) < 0 ? found : known)
const later = (known: Said, found: Said): Said => (compare(found, known) > 0 ? found : known)

function compare(a: Said, b: Said): number {
  if (a.at !== b.at) return a.at - b.at
  for (const [index, text] of a.texts.entries()) {
    const order = orderOf(text, b.texts[index] ?? '')
    if (order !== 0) return order
  }
  return 0
}

/** Texts as their bytes: JavaScript compares units of UTF-16, which order some characters otherwise. */
const orderOf = (a: string, b: string): number => (a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b)))

/** Cut between characters, never inside of one: half a character is no text. */
function textOf(value: Json | undefined): string {
  const text = value === undefined ? '' : (propertyText(value) ?? '')
  return text.length <= LONGEST_TEXT ? text : [...text.slice(0, 2 * LONGEST_TEXT)].slice(0, LONGEST_TEXT).join('')
}

/** Of an ordinary row. */
const ROW_BYTES = 512

export function sessionRowsAsBinary(rows: readonly SessionRow[]): Buffer {
  const out = new RowBinary(rows.length * ROW_BYTES)
  for (const row of rows) writeRow(out, row)
  return out.done()
}

function writeRow(out: RowBinary, row: SessionRow): void {
  out.uint32(row.projectId).int32(row.day).string(row.sessionId)
  writeMicros(out, row.first)
  writeMicros(out, row.last)
  out.size(row.persons.size)
  for (const person of row.persons) out.uuid(person)
  writeSaid(out, row.distinctId)
  out.int64(row.events)
  for (const column of COUNT_COLUMNS) out.int64(row.counts[column])
  out.size(row.urls.size)
  for (const url of row.urls) out.string(url)
  writeSaid(out, row.entry)
  writeSaid(out, row.exit)
  writeSaid(out, row.client)
  writeSaid(out, row.externalClick)
  out.int64(row.lcp.at).float64(row.lcp.value)
  out.uint8(row.isBot ? 1 : 0).string(row.botReason)
}

function writeSaid(out: RowBinary, { at, texts }: Said): void {
  out.int64(at)
  for (const text of texts) out.string(text)
}
