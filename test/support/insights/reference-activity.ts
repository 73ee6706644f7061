/** Slow and obvious retention, lifecycle and stickiness over a list of events, by day in UTC. */
export interface ActivityEvent {
  readonly event: string
  readonly person: string
  /** Number of the day, from 0. */
  readonly day: number
}

const persons = (events: readonly ActivityEvent[]): string[] => [...new Set(events.map(({ person }) => person))]

/** table[i][j]: did `target` on day i (for the first time ever, when asked for) and `returning` j days later. */
export function referenceRetention(
  events: readonly ActivityEvent[],
  query: {
    readonly target: string
    readonly returning: string
    readonly firstDay: number
    readonly days: number
    readonly firstTime: boolean
    readonly cumulative: boolean
  },
): number[][] {
  const did = (person: string, event: string, day: number): boolean =>
    events.some((each) => each.person === person && each.event === event && each.day === day)
  const before = (person: string, day: number): boolean =>
    events.some((each) => each.person === person && each.event === query.target && each.day < day)
  return Array.from({ length: query.days }, (_, row) =>
    Array.from({ length: query.days - row }, (_, after) => {
      const start = query.firstDay + row
      const last = query.firstDay + query.days - 1
      return persons(events).filter((person) => {
        if (!did(person, query.target, start)) return false
        if (query.firstTime && before(person, start)) return false
        if (after === 0) return true
        for (let day = start + after; day <= (query.cumulative ? last : start + after); day++) {
          if (did(person, query.returning, day)) return true
        }
        return false
      }).length
    }),
  )
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
