/** Where the people behind each point of a series are listed, as the legacy answers carry it. */
import type { Interval, SeriesNode } from '../../contract/queries/index.ts'
import type { PersonsUrl } from '../../contract/results/index.ts'
import type { Clock, DateRange } from '../plan/date-range.ts'
import { intervalBefore } from '../sql/interval-index.ts'
import { dayText, isoInZone } from './labels.ts'

/** Which point is meant, in the legacy keys of a list of people. */
type Point = Readonly<Record<string, string | number | readonly string[] | undefined>>
export type PointLink = (of: 'trends' | 'stickiness' | 'lifecycle', point: Point) => string

/** Beyond so many points the addresses would weigh many times what the numbers do: such an answer has none. */
const MOST_POINTS = 1_000

export const linksPoints = (points: number): boolean => points <= MOST_POINTS

/** What a series is about, in the legacy keys. */
export const entityOf = (node: SeriesNode, order: number) => ({
  entity_id: node.kind === 'EventsNode' ? (node.event ?? null) : node.kind === 'ActionsNode' ? node.id : null,
  entity_type: node.kind === 'ActionsNode' ? 'actions' : 'events',
  entity_math: node.math ?? null,
  entity_order: order,
})

/** One for each interval of the range: the address of the series, and the interval under the key `as`. */
export const intervalUrls = (
  spans: readonly Span[],
  filter: Readonly<Record<string, unknown>>,
  series: string,
  as: 'day' | 'target_date',
): PersonsUrl[] =>
  spans.map(({ day, date_from, date_to }) => ({
    filter: { ...filter, date_from, date_to },
    url: `${series}&${as}=${encodeURIComponent(day)}`,
  }))

/** An interval as clients read it. */
export interface Span {
  readonly day: string
  readonly date_from: string
  readonly date_to: string
}

/** The intervals of a range, worked out once for all series over it. */
export const spansOf = (range: DateRange, clock: Clock): Span[] =>
  range.buckets.map((start, at) => ({
    day: dayText(start, range, clock.timezone),
    date_from: isoInZone(start, clock.timezone),
    date_to: isoInZone((range.buckets[at + 1] ?? endOf(start, range.interval, clock)) - 1, clock.timezone),
  }))

const endOf = (start: number, interval: Interval, clock: Clock): number => intervalBefore(start, -1, interval, clock)
