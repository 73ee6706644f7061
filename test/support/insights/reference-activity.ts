import { DAY } from '../../../src/lib/durations.ts'

/** Slow and obvious retention, lifecycle and stickiness over a list of events, by day in UTC. */
interface ActivityEvent {
  readonly event: string
  readonly person: string
  /** Number of the day, from 0. */
  readonly day: number
}

const persons = (events: readonly ActivityEvent[]): string[] => [...new Set(events.map(({ person }) => person))]

interface RetentionEvent extends ActivityEvent {
  /** ms since the start of day 0; no two events are at the same time. */
  readonly at: number
  /** Of the property to break down by. */
  readonly value: string
}

interface RetentionQuestion {
  readonly target: string
  readonly returning: string
  readonly firstDay: number
  readonly days: number
  readonly firstTime: boolean
  readonly cumulative: boolean
  /** How many returns make a day one of returning. */
  readonly atLeast: number
  /** Days are counted from the moment somebody came. */
  readonly rolling: boolean
}

/** Who (persons) came on day i (for the first time ever, when asked for) and came back j days later: who[i][j]. */
function whoReturned(
  events: readonly RetentionEvent[],
  query: RetentionQuestion,
  isMeant: (first: RetentionEvent) => boolean = () => true,
): string[][][] {
  const inRange = ({ day }: ActivityEvent) => day >= query.firstDay && day < query.firstDay + query.days
  const byTime = events.toSorted((a, b) => a.at - b.at)
  const cell = (person: string, row: number, after: number): boolean => {
    const mine = byTime.filter((each) => each.person === person)
    const came = mine.filter((each) => each.event === query.target)
    const first = came.find((each) => query.firstTime || inRange(each))
    if (first === undefined || !isMeant(first)) return false
    const start = query.firstDay + row
    const starts =
      query.firstTime || query.rolling ? first.day === start && inRange(first) : came.some(({ day }) => day === start)
    if (!starts) return false
    if (after === 0) return true
    const returns = mine.filter((each) => each.event === query.returning && inRange(each))
    const daysLater = ({ at, day }: RetentionEvent) => (query.rolling ? Math.floor((at - first.at) / DAY) : day - start)
    const cameBack = (days: number) => returns.filter((each) => daysLater(each) === days).length >= query.atLeast
    if (!query.cumulative) return cameBack(after)
    return Array.from({ length: query.days }, (_, more) => after + more).some(cameBack)
  }
  return Array.from({ length: query.days }, (_, row) =>
    Array.from({ length: query.days - row }, (_, after) => persons(events).filter((p) => cell(p, row, after))),
  )
}

const sizes = (table: readonly (readonly string[][])[]): number[][] =>
  table.map((row) => row.map((who) => new Set(who).size))

export const referenceRetention = (events: readonly RetentionEvent[], query: RetentionQuestion): number[][] =>
  sizes(whoReturned(events, query))

/** One table a value, the largest first; those beyond the limit are one. Whoever comes for the first time has the value of then. */
export function referenceRetentionByValue(
  events: readonly RetentionEvent[],
  query: RetentionQuestion & { readonly limit: number },
): { value: string; rows: number[][] }[] {
  const tables = [...new Set(events.map(({ value }) => value))]
    .map((value) => ({
      value,
      table: query.firstTime
        ? whoReturned(events, query, (first) => first.value === value)
        : whoReturned(
            events.filter((each) => each.value === value),
            query,
          ),
    }))
    .map((each) => ({ ...each, size: each.table.reduce((sum, [first]) => sum + (first?.length ?? 0), 0) }))
    .filter(({ size }) => size > 0)
    .toSorted((a, b) => b.size - a.size || (a.value < b.value ? -1 : 1))
  const rest = tables.slice(query.limit).map(({ table }) => table)
  const shown = tables.slice(0, query.limit).map(({ value, table }) => ({ value, rows: sizes(table) }))
  if (rest.length === 0) return shown
  const together = (rest[0] ?? []).map((row, at) =>
    row.map((_, after) => rest.flatMap((table) => table[at]?.[after] ?? [])),
  )
  return [...shown, { value: 'other', rows: sizes(together) }]
}

export function referenceLifecycle(
  events: readonly ActivityEvent[],
  createdOn: ReadonlyMap<string, number>,
  query: { readonly event: string; readonly firstDay: number; readonly days: number },
): Record<'new' | 'returning' | 'resurrecting' | 'dormant', number[]> {
  const active = (person: string, day: number): boolean =>
    events.some((each) => each.person === person && each.event === query.event && each.day === day)
  const count = (test: (person: string, day: number) => boolean): number[] =>
    Array.from({ length: query.days }, (_, at) => persons(events).filter((p) => test(p, query.firstDay + at)).length)
  const isNew = (person: string, day: number): boolean => createdOn.get(person) === day
  return {
    new: count((p, day) => active(p, day) && isNew(p, day)),
    returning: count((p, day) => active(p, day) && !isNew(p, day) && active(p, day - 1)),
    resurrecting: count((p, day) => active(p, day) && !isNew(p, day) && !active(p, day - 1)),
    dormant: count((p, day) => !active(p, day) && active(p, day - 1)).map((n) => (n === 0 ? 0 : -n)),
  }
}

export function referenceStickiness(
  events: readonly ActivityEvent[],
  query: { readonly event: string; readonly firstDay: number; readonly days: number },
): number[] {
  const activeDays = persons(events).map(
    (person) =>
      new Set(
        events
          .filter((each) => each.person === person && each.event === query.event)
          .map(({ day }) => day)
          .filter((day) => day >= query.firstDay && day < query.firstDay + query.days),
      ).size,
  )
  return Array.from({ length: query.days }, (_, at) => activeDays.filter((days) => days === at + 1).length)
}
