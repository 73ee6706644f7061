/** Facts of sessions, out of the rows that were kept while their events arrived (`sessions AS s`, by session). */
import type { ChannelRule } from '../../contract/resources/channel-rule.ts'
import { type Fragment, ident, sql } from '../../engines/clickhouse-sql.ts'
import { channelType } from './channel-type.ts'

export interface SessionColumn {
  readonly value: Fragment
  readonly type: 'text' | 'number' | 'time' | 'boolean' | 'list'
  /** The others may be NULL, where no event of the session says anything about them. */
  readonly inEverySession?: boolean
}

/** How facts are read: over all kept rows of a session, in a statement that groups by session, or of the only row it has. */
export interface SessionReading {
  min(value: Fragment): Fragment
  max(value: Fragment): Fragment
  sum(value: Fragment): Fragment
  union(most: Fragment, sets: Fragment): Fragment
  argMin(value: Fragment, at: Fragment): Fragment
  argMax(value: Fragment, at: Fragment): Fragment
}

export const OVER_ROWS: SessionReading = {
  min: (value) => sql`min(${value})`,
  max: (value) => sql`max(${value})`,
  sum: (value) => sql`sum(${value})`,
  union: (most, sets) => sql`groupUniqArrayArray(${most})(${sets})`,
  argMin: (value, at) => sql`argMin(${value}, ${at})`,
  argMax: (value, at) => sql`argMax(${value}, ${at})`,
}

const itself = (value: Fragment): Fragment => value
export const OF_ONE_ROW: SessionReading = {
  min: itself,
  max: itself,
  sum: itself,
  union: (_, sets) => sets,
  argMin: itself,
  argMax: itself,
}

const text = (value: Fragment): SessionColumn => ({ value, type: 'text' })
const number = (value: Fragment): SessionColumn => ({ value, type: 'number', inEverySession: true })

const entryOf =
  ({ argMin }: SessionReading) =>
  (name: string): Fragment =>
    argMin(sql`s.entry.${ident(name)}`, sql`s.entry.at`)

function columnsBy(reading: SessionReading): Readonly<Record<string, SessionColumn>> {
  const { min, max, union, argMin, argMax } = reading
  const entry = entryOf(reading)
  const ofEntry = (name: string) => text(entry(name))
  const ofExit = (name: string) => text(argMax(sql`s.exit.${ident(name)}`, sql`s.exit.at`))
  const ofClient = (name: string) => text(argMin(sql`s.client.${ident(name)}`, sql`s.client.at`))
  const start = min(sql`s.first_at`)
  const end = max(sql`s.last_at`)
  const duration = sql`dateDiff('second', ${start}, ${end})`
  const sum = (name: string): Fragment => reading.sum(sql`s.${ident(name)}`)
  const pages = sql`(${sum('pageviews')} + ${sum('screens')})`
  return {
    session_id: { value: sql`s.session_id`, type: 'text', inEverySession: true },
    id: { value: sql`s.session_id`, type: 'text', inEverySession: true },
    distinct_id: { value: argMin(sql`s.distinct_id.value`, sql`s.distinct_id.at`), type: 'text', inEverySession: true },
    $start_timestamp: { value: start, type: 'time' },
    $end_timestamp: { value: end, type: 'time' },
    $session_duration: number(duration),
    duration: number(duration),
    $num_uniq_urls: number(sql`length(${union(sql`1000`, sql`s.urls`)})`),
    $urls: { value: union(sql`1000`, sql`s.urls`), type: 'list', inEverySession: true },
    $entry_current_url: ofEntry('url'),
    $entry_pathname: ofEntry('pathname'),
    $entry_hostname: ofEntry('hostname'),
    $end_current_url: ofExit('url'),
    $end_pathname: ofExit('pathname'),
    $end_hostname: ofExit('hostname'),
    $exit_current_url: ofExit('url'),
    $exit_pathname: ofExit('pathname'),
    $entry_referrer: ofEntry('referrer'),
    $entry_referring_domain: ofEntry('referring_domain'),
    $entry_utm_source: ofEntry('utm_source'),
    $entry_utm_campaign: ofEntry('utm_campaign'),
    $entry_utm_medium: ofEntry('utm_medium'),
    $entry_utm_term: ofEntry('utm_term'),
    $entry_utm_content: ofEntry('utm_content'),
    $entry_gclid: ofEntry('gclid'),
    $entry_gad_source: ofEntry('gad_source'),
    $entry_fbclid: ofEntry('fbclid'),
    $entry_msclkid: ofEntry('msclkid'),
    $pageview_count: number(sum('pageviews')),
    $autocapture_count: number(sum('autocaptures')),
    $screen_count: number(sum('screens')),
    // A session without a page or a screen says nothing about bouncing.
    $is_bounce: {
      value: sql`if(${pages} = 0, NULL, ${pages} = 1 AND ${sum('autocaptures')} = 0 AND ${duration} < 10)`,
      type: 'boolean',
    },
    $last_external_click_url: text(argMax(sql`s.external_click.url`, sql`s.external_click.at`)),
    $vitals_lcp: {
      value: sql`if(${min(sql`s.lcp.at`)} = 9007199254740991, NULL, ${argMin(sql`s.lcp.value`, sql`s.lcp.at`)})`,
      type: 'number',
    },
    $browser: ofClient('browser'),
    $os: ofClient('os'),
    $device_type: ofClient('device_type'),
    $viewport: ofClient('viewport'),
    $browser_language: ofClient('language'),
    $timezone: ofClient('timezone'),
    $geoip_country_code: ofClient('country'),
    $geoip_subdivision_1_code: ofClient('region'),
    $geoip_subdivision_1_name: ofClient('region_name'),
    $geoip_city_name: ofClient('city'),
    $is_bot: { value: sql`(${max(sql`s.is_bot`)} = 1)`, type: 'boolean', inEverySession: true },
    // Kept as the greatest of several; a plain text to who asks.
    $bot_reason: text(sql`toString(${max(sql`s.bot_reason`)})`),
  }
}

const COLUMNS = columnsBy(OVER_ROWS)
const COLUMNS_OF_ONE_ROW = columnsBy(OF_ONE_ROW)

const CHANNEL = '$channel_type'

export const SESSION_COLUMNS: readonly string[] = [...Object.keys(COLUMNS), CHANNEL]

export function sessionColumn(
  name: string,
  rules: readonly ChannelRule[],
  reading: SessionReading = OVER_ROWS,
): SessionColumn | undefined {
  if (name === CHANNEL) return text(channelOfSession(rules, entryOf(reading)))
  const columns = reading === OF_ONE_ROW ? COLUMNS_OF_ONE_ROW : COLUMNS
  return Object.hasOwn(columns, name) ? columns[name] : undefined
}

const channelOfSession = (rules: readonly ChannelRule[], entry: (name: string) => Fragment): Fragment =>
  channelType(
    {
      source: entry('utm_source'),
      medium: entry('utm_medium'),
      campaign: entry('utm_campaign'),
      referringDomain: entry('referring_domain'),
      gclid: entry('gclid'),
      gadSource: entry('gad_source'),
      fbclid: entry('fbclid'),
      url: entry('url'),
      pathname: entry('pathname'),
      hostname: entry('hostname'),
    },
    rules,
  )
