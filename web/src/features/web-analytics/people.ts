/** The people behind a number of the page, and through them their recordings. */
import type { Json } from '../../lib/json.ts'
import { LAST_30_DAYS } from '../../lib/ranges.ts'
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
}

const seriesOf = ({ event = '$pageview', goal }: Behind): { [key: string]: Json } =>
  goal && 'action' in goal
    ? { kind: 'ActionsNode', id: goal.action, math: 'dau' }
    : { kind: 'EventsNode', event: goal ? goal.event : event, math: 'dau' }

export function peopleSource(state: WebState, behind: Behind): { [key: string]: Json } {
  const { from = LAST_30_DAYS, to, filters = [], bots } = state
  const { also = [], row, day, interval = 'day' } = behind
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
      ...(day ? {} : { trendsFilter: { display: 'BoldNumber' } }),
    },
    series: 0,
    includeRecordings: true,
    ...(day ? { day } : {}),
  }
}

/** A weekday (1 is Monday) and an hour, in the time zone of the project. */
export const atHour = (weekday: number, hour: number): PropertyFilter => ({
  type: 'hogql',
  key: `toDayOfWeek(timestamp) = ${weekday} and toHour(timestamp) = ${hour}`,
})
