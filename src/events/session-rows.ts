/**
 * What a batch of events adds to their sessions: rows of `sessions`, one for each session and day. ClickHouse merges
 * rows of one session, so any way to cut events into batches gives the same sessions.
 */
import { propertyText } from '../engines/clickhouse/index.ts'
import { DAY } from '../lib/durations.ts'
import type { Json, JsonObject } from '../lib/json.ts'
import { clickhouseTime, type EventRow } from './rows.ts'

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

type Texts = Record<string, string | number>

interface SessionRow {
  readonly project_id: number
  /** Since 1970. */
  readonly day: number
  readonly session_id: string
  first: number
  last: number
  readonly persons: Set<string>
  distinctId: { at: number; value: string }
  events: number
  readonly counts: Record<CountColumn, number>
  readonly urls: Set<string>
  entry: Texts
  exit: Texts
  client: Texts
  externalClick: Texts
  lcp: { at: number; value: number }
  isBot: boolean
  botReason: string
}

const URLS_OF_A_ROW = 1_000

/** Undefined when no event of the batch has a session. */
export function sessionRowsAsNdjson(events: readonly EventRow[]): Buffer | undefined {
  const rows = new Map<string, SessionRow>()
  for (const event of events) if (event.sessionId !== '') addEvent(rows, event)
  return rows.size === 0 ? undefined : Buffer.from([...rows.values()].map(lineOf).join(''))
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
  row.distinctId = earlier(row.distinctId, { at, value: event.distinctId })
  row.events += 1
  const counted = COLUMN_OF_EVENT.get(event.event)
  if (counted !== undefined) row.counts[counted] += 1
  const url = textOf(properties.$current_url)
  if (url !== '') {
    if (row.urls.size < URLS_OF_A_ROW) row.urls.add(url)
    if (at >= Number(row.exit.at)) row.exit = later(row.exit, tuple(at, EXIT, properties))
  }
  if ((url !== '' || textOf(properties.$screen_name) !== '') && at <= Number(row.entry.at))
    row.entry = earlier(row.entry, tuple(at, ENTRY, properties))
  if (at <= Number(row.client.at)) addClient(row, at, properties)
  const clicked = textOf(properties.$external_click_url)
  if (clicked !== '') row.externalClick = later(row.externalClick, { at, url: clicked })
  const lcp = Number(textOf(properties.$web_vitals_LCP_value) || Number.NaN)
  if (Number.isFinite(lcp)) row.lcp = earlier(row.lcp, { at, value: lcp })
  if (properties.$is_bot === true) {
    row.isBot = true
    const reason = textOf(properties.$bot_reason)
    if (reason > row.botReason) row.botReason = reason
  }
}

/** An event says with what it was sent when it names a browser, a system, a kind of device or a country. */
function addClient(row: SessionRow, at: number, properties: JsonObject): void {
  const found = tuple(at, CLIENT, properties)
  if (!found.browser && !found.os && !found.device_type && !found.country) return
  const { browser, os, device_type, ...others } = found
  const [width, height] = [textOf(properties.$viewport_width), textOf(properties.$viewport_height)]
  const viewport = width !== '' && height !== '' ? `${width}x${height}` : ''
  row.client = earlier(row.client, { at, browser, os, device_type, viewport, ...others } as Texts)
}

const newRow = (event: EventRow, day: number): SessionRow => ({
  project_id: event.projectId,
  day,
  session_id: event.sessionId,
  first: event.timestamp,
  last: event.timestamp,
  persons: new Set(),
  distinctId: { at: NEVER_FIRST, value: '' },
  events: 0,
  counts: { pageviews: 0, screens: 0, autocaptures: 0, rageclicks: 0, dead_clicks: 0, exceptions: 0 },
  urls: new Set(),
  entry: nothing(NEVER_FIRST, ENTRY),
  exit: nothing(NEVER_LAST, EXIT),
  client: { at: NEVER_FIRST, browser: '', os: '', device_type: '', viewport: '', ...nothing(NEVER_FIRST, CLIENT) },
  externalClick: { at: NEVER_LAST, url: '' },
  lcp: { at: NEVER_FIRST, value: 0 },
  isBot: false,
  botReason: '',
})

function tuple(at: number, names: Readonly<Record<string, string>>, properties: JsonObject): Texts {
  const found: Texts = { at }
  for (const name in names) found[name] = textOf(properties[names[name] as string])
  return found
}

const nothing = (at: number, names: Readonly<Record<string, string>>): Texts => tuple(at, names, {})

/** As min and max of ClickHouse compare tuples: by time, then by what they hold, in order. */
const earlier = <T extends object>(known: T, found: T): T => (compare(found, known) < 0 ? found : known)
const later = <T extends object>(known: T, found: T): T => (compare(found, known) > 0 ? found : known)

function compare(a: object, b: object): number {
  const others: unknown[] = Object.values(b)
  for (const [index, value] of Object.values(a).entries()) {
    const order = orderOf(value, others[index])
    if (order !== 0) return order
  }
  return 0
}

/** Texts as their bytes: JavaScript compares units of UTF-16, which order some characters otherwise. */
const orderOf = (a: unknown, b: unknown): number =>
  typeof a === 'string' && typeof b === 'string'
    ? a === b
      ? 0
      : Buffer.compare(Buffer.from(a), Buffer.from(b))
    : Number(a) - Number(b)

/** Cut between characters, never inside of one: half a character is no text. */
function textOf(value: Json | undefined): string {
  const text = value === undefined ? '' : (propertyText(value) ?? '')
  return text.length <= LONGEST_TEXT ? text : [...text.slice(0, 2 * LONGEST_TEXT)].slice(0, LONGEST_TEXT).join('')
}

const microsOf = (ms: number): number => {
  const whole = Math.floor(ms)
  return whole * 1000 + Math.min(999, Math.round((ms - whole) * 1000))
}

const lineOf = (row: SessionRow): string =>
  `${JSON.stringify({
    project_id: row.project_id,
    day: new Date(row.day * DAY).toISOString().slice(0, 10),
    session_id: row.session_id,
    first_at: clickhouseTime(row.first),
    last_at: clickhouseTime(row.last),
    persons: [...row.persons],
    distinct_id: row.distinctId,
    events: row.events,
    ...row.counts,
    urls: [...row.urls],
    entry: row.entry,
    exit: row.exit,
    client: row.client,
    external_click: row.externalClick,
    lcp: row.lcp,
    is_bot: row.isBot ? 1 : 0,
    bot_reason: row.botReason,
  })}\n`
