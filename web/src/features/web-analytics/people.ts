/** The people behind a number of the page, and through them their recordings. */
import type { Json } from '../../lib/json.ts'
import { firstDay, LAST_30_DAYS } from '../../lib/ranges.ts'
import { quoted } from '../../lib/sql-text.ts'
import { type Filter, type PropertyFilter, propertiesOf } from './dimensions.ts'
import type { Goal, WebState } from './search.ts'

interface Behind {
  /** Filters besides those of the page. */
  readonly also?: readonly PropertyFilter[]
  readonly row?: Filter
  /** What they did; by default they saw a page. */
  readonly event?: string
  readonly goal?: Goal
  /** A bucket of the graph. */
  readonly day?: string
  readonly interval?: string
  /** Of the period before. */
  readonly before?: boolean
}

const seriesOf = ({ event = '$pageview', goal }: Behind): { [key: string]: Json } =>
  goal && 'action' in goal
    ? { kind: 'ActionsNode', id: goal.action, math: 'dau' }
    : { kind: 'EventsNode', event: goal ? goal.event : event, math: 'dau' }

export function peopleSource(state: WebState, behind: Behind): { [key: string]: Json } {
  const { from = LAST_30_DAYS, to, filters = [], bots } = state
  const { also = [], row, day, interval = 'day', before = false } = behind
  return {
    kind: 'InsightActorsQuery',
    source: {
      kind: 'TrendsQuery',
      series: [seriesOf(behind)],
      dateRange: { date_from: from, ...(to ? { date_to: to } : {}) },
      properties: [...filters.filter(({ on }) => on !== row?.on), ...(row ? [row] : [])]
        .flatMap(propertiesOf)
        .concat(also),
      bots: bots ?? 'exclude',
      interval,
      ...(before ? { compareFilter: { compare: true } } : {}),
      ...(day ? {} : { trendsFilter: { display: 'BoldNumber' } }),
    },
    series: 0,
    includeRecordings: true,
    ...(before ? { compare: 'previous' } : {}),
    ...(day ? { day } : {}),
  }
}

const exactly = (key: string, type: 'event' | 'session', value: string): PropertyFilter => ({
  key,
  type,
  operator: 'exact',
  value: [value],
})
export const BOUNCED = exactly('$is_bounce', 'session', 'true')

/** The people whose page was measured. */
export const measuredOn = (path: string): Behind => ({
  event: '$web_vitals',
  also: [exactly('$pathname', 'event', path)],
})

const OF_GOAL: ReadonlySet<string> = new Set(['total_conversions', 'unique_conversions', 'conversion_rate'])

/** The people behind a number of a row; null where there is no goal to reach. */
export function behindCell(column: string, row: Filter, state: WebState, zone: string): Behind | null {
  const { goal } = state
  const ofEvents = eventOf(row)
  if (OF_GOAL.has(column)) {
    if (!goal) return null
    return ofEvents ? { goal, also: [inSessionsWith(ofEvents, state, zone)] } : { row, goal }
  }
  const value = typeof row.is === 'string' ? row.is : ''
  if (row.on === 'outgoing') return { event: '$autocapture', also: [exactly('$external_click_url', 'event', value)] }
  if (column !== 'bounce_rate') return { row }
  // Of a page, those who began there.
  return row.on === 'page'
    ? { also: [exactly('$entry_pathname', 'session', value), BOUNCED] }
    : { row, also: [BOUNCED] }
}

interface RowEvent {
  readonly event: string
  readonly key: '$pathname' | '$external_click_url'
  readonly value: string
}

/** Rows of pages and links are about single events; all others are about sessions. */
function eventOf({ on, is }: Filter): RowEvent | null {
  const value = typeof is === 'string' ? is : ''
  if (on === 'page') return { event: '$pageview', key: '$pathname', value }
  return on === 'outgoing' ? { event: '$autocapture', key: '$external_click_url', value } : null
}

/** Whoever saw a page or followed a link reached the goal by another event of the same session. */
function inSessionsWith(row: RowEvent, { from = LAST_30_DAYS, to, filters = [] }: WebState, zone: string) {
  const since = firstDay({ from, to }, zone)
  // Of the filters, this one is about events; those about sessions hold for the goal, which is in the same session.
  const pages = filters.filter(({ on }) => on === 'page').flatMap((filter) => eventOf(filter) ?? [])
  const conditions = [
    `event = ${quoted(row.event)}`,
    ...[row, ...pages].map(({ key, value }) => `ifNull(properties.${key}, '') = ${quoted(value)}`),
    ...(since === null ? [] : [`timestamp >= toDateTime(${quoted(`${since} 00:00:00`)})`]),
  ]
  return {
    type: 'hogql',
    key: `$session_id in (select $session_id from events where ${conditions.join(' and ')})`,
  }
}

/** A weekday (1 is Monday) and an hour, in the time zone of the project. */
export const atHour = (weekday: number, hour: number): PropertyFilter => ({
  type: 'hogql',
  key: `toDayOfWeek(timestamp) = ${weekday} and toHour(timestamp) = ${hour}`,
})
