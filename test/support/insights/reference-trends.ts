/** A slow and obvious trends calculator over a list of events: what the engine's answers are held against. */
import type { JsonObject } from '../../../src/lib/json.ts'
import { groupHolds, numberOf, type ReferenceGroup, textOf } from './reference-filters.ts'

export interface ReferenceEvent {
  readonly event: string
  readonly person: string
  /** ms since epoch. */
  readonly at: number
  readonly session: string
  readonly properties: JsonObject
  readonly personProperties: JsonObject
}

interface ReferenceSeries {
  readonly event: string | null
  readonly math: string
  readonly properties: ReferenceGroup
}

export interface ReferenceQuery {
  readonly series: ReferenceSeries
  readonly interval: 'hour' | 'day' | 'week' | 'month'
  /** Days of the calendar, both included. */
  readonly from: string
  readonly to: string
  readonly timezone: string
  readonly weekStart: 0 | 1
  readonly properties: ReferenceGroup
  readonly breakdown?: { readonly key: string; readonly type: 'event' | 'person'; readonly limit: number }
  readonly cumulative: boolean
  readonly total: boolean
}

interface ReferenceResult {
  readonly label: string | undefined
  readonly data: number[]
}

const NULL = '$$_posthog_breakdown_null_$$'
const OTHER = '$$_posthog_breakdown_other_$$'
const MATH_PROPERTY = 'n'

export function referenceTrends(events: readonly ReferenceEvent[], query: ReferenceQuery): ReferenceResult[] {
  const named = events.filter((each) => query.series.event === null || each.event === query.series.event)
  const passes = (each: ReferenceEvent): boolean =>
    groupHolds(query.series.properties, each.properties, each.personProperties) &&
    groupHolds(query.properties, each.properties, each.personProperties)
  const start = bucketOf(query.from, query)
  const inRange = (each: ReferenceEvent): boolean => {
    const day = localTime(each.at, query.timezone).slice(0, 10)
    return day >= start.slice(0, 10) && day <= query.to
  }
  const kept = named.filter((each) => passes(each) && inRange(each))
  const labelOf = labelling(kept, query)
  if (slides(query)) return slidingTrends(named.filter(passes), labelOf, query)
  const counted = countedEvents(named, kept, passes, inRange, query)
  const labels = query.breakdown === undefined ? [undefined] : [...new Set(counted.map(labelOf))]
  const buckets = bucketsOf(query)
  return labels.map((label) => {
    const mine = label === undefined ? counted : counted.filter((each) => labelOf(each) === label)
    if (query.total) return { label, data: [aggregate(mine, query.series.math)] }
    let before: ReferenceEvent[] = []
    let sum = 0
    const data = buckets.map((bucket) => {
      const inBucket = mine.filter((each) => bucketOf(localTime(each.at, query.timezone), query) === bucket)
      if (!query.cumulative) return aggregate(inBucket, query.series.math)
      before = [...before, ...inBucket]
      sum += aggregate(inBucket, query.series.math)
      return query.series.math === 'dau' ? aggregate(before, 'dau') : sum
    })
    return { label, data }
  })
}

const slides = ({ series, interval }: ReferenceQuery): boolean => series.math === 'weekly_active' && interval === 'day'

/** Everyone seen in the seven days that end with the bucket's; midnight belongs to the day before it. */
function slidingTrends(
  events: readonly ReferenceEvent[],
  labelOf: (event: ReferenceEvent) => string,
  query: ReferenceQuery,
): ReferenceResult[] {
  const dayOf = (each: ReferenceEvent): string => localTime(each.at - 1, query.timezone).slice(0, 10)
  const past = events.filter((each) => localTime(each.at, query.timezone).slice(0, 10) <= query.to)
  const buckets = bucketsOf(query)
  const seenIn = (bucket: string): ReferenceEvent[] => {
    const first = new Date(Date.parse(`${bucket}T00:00:00Z`) - 6 * 86_400_000).toISOString().slice(0, 10)
    return past.filter((each) => dayOf(each) >= first && dayOf(each) <= bucket)
  }
  const shown = query.breakdown === undefined ? [undefined] : [...new Set(buckets.flatMap(seenIn).map(labelOf))]
  return shown.map((label) => ({
    label,
    data: buckets.map((bucket) =>
      aggregate(
        seenIn(bucket).filter((each) => label === undefined || labelOf(each) === label),
        'dau',
      ),
    ),
  }))
}

/** First-time maths count one event a person; all others those that are kept. */
function countedEvents(
  named: readonly ReferenceEvent[],
  kept: readonly ReferenceEvent[],
  passes: (event: ReferenceEvent) => boolean,
  inRange: (event: ReferenceEvent) => boolean,
  query: ReferenceQuery,
): readonly ReferenceEvent[] {
  const { math } = query.series
  if (math !== 'first_time_for_user' && math !== 'first_matching_event_for_user') return kept
  const candidates = math === 'first_time_for_user' ? named : named.filter(passes)
  const past = candidates.filter((each) => localTime(each.at, query.timezone).slice(0, 10) <= query.to)
  const firsts: ReferenceEvent[] = []
  for (const person of new Set(past.map((each) => each.person))) {
    const mine = past.filter((each) => each.person === person)
    const earliest = Math.min(...mine.map((each) => each.at))
    const first = mine.filter((each) => each.at === earliest)
    firsts.push(first.find(passes) ?? (first[0] as ReferenceEvent))
  }
  return firsts.filter((each) => passes(each) && inRange(each))
}

/** The value an event is shown under: its own when it is among the most frequent, "other" when not. */
function labelling(kept: readonly ReferenceEvent[], query: ReferenceQuery): (event: ReferenceEvent) => string {
  const { breakdown } = query
  if (breakdown === undefined) return () => ''
  const shownAs = (each: ReferenceEvent): string =>
    textOf((breakdown.type === 'person' ? each.personProperties : each.properties)[breakdown.key]) || NULL
  const groups = new Map<string, ReferenceEvent[]>()
  for (const each of kept) groups.set(shownAs(each), [...(groups.get(shownAs(each)) ?? []), each])
  const weight = (of: readonly ReferenceEvent[]): number => {
    const { math } = query.series
    if (!['sum', 'avg', 'min', 'max', 'median'].includes(math)) return of.length
    if (!of.some((each) => numberOf(textOf(each.properties[MATH_PROPERTY])) !== undefined))
      return Number.NEGATIVE_INFINITY
    return math === 'min' ? -aggregate(of, math) : aggregate(of, math)
  }
  const ranked = [...groups].toSorted(
    ([a, ofA], [b, ofB]) => compare(weight(ofB), weight(ofA)) || Buffer.compare(Buffer.from(b), Buffer.from(a)),
  )
  const top = new Set(ranked.slice(0, breakdown.limit).map(([value]) => value))
  return (each) => (top.has(shownAs(each)) ? shownAs(each) : OTHER)
}

const compare = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1)

function aggregate(events: readonly ReferenceEvent[], math: string): number {
  const numbers = events.map((each) => numberOf(textOf(each.properties[MATH_PROPERTY]))).filter((n) => n !== undefined)
  const perPerson = [...new Set(events.map((each) => each.person))].map(
    (person) => events.filter((each) => each.person === person).length,
  )
  switch (math) {
    case 'total':
    case 'first_time_for_user':
    case 'first_matching_event_for_user':
      return events.length
    case 'dau':
    case 'weekly_active':
      return perPerson.length
    case 'unique_session':
      return new Set(events.map((each) => each.session)).size
    case 'sum':
      return numbers.reduce((a, b) => a + b, 0)
    case 'avg':
      return mean(numbers)
    case 'min':
      return numbers.length === 0 ? 0 : Math.min(...numbers)
    case 'max':
      return numbers.length === 0 ? 0 : Math.max(...numbers)
    case 'median':
      return median(numbers)
    case 'avg_count_per_actor':
      return mean(perPerson)
    case 'max_count_per_actor':
      return Math.max(0, ...perPerson)
    case 'median_count_per_actor':
      return median(perPerson)
    default:
      throw new Error(`the reference does not know ${math}`)
  }
}

const mean = (numbers: readonly number[]): number =>
  numbers.length === 0 ? 0 : numbers.reduce((a, b) => a + b, 0) / numbers.length

function median(numbers: readonly number[]): number {
  if (numbers.length === 0) return 0
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle)] as number)) / 2
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** What the wall shows, with the offset, so that an hour that comes twice is two: "2024-10-27 02:30:00 GMT+1". */
function localTime(at: number, timezone: string): string {
  const format =
    formats.get(timezone) ??
    new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short', timeStyle: 'long' })
  formats.set(timezone, format)
  return format.format(at)
}

function bucketOf(local: string, query: Pick<ReferenceQuery, 'interval' | 'weekStart'>): string {
  const day = local.slice(0, 10)
  if (query.interval === 'day') return day
  if (query.interval === 'month') return `${day.slice(0, 7)}-01`
  if (query.interval === 'hour') return `${local.slice(0, 13)}${local.slice(19)}`
  const date = new Date(`${day}T00:00:00Z`)
  while (date.getUTCDay() !== query.weekStart) date.setUTCDate(date.getUTCDate() - 1)
  return date.toISOString().slice(0, 10)
}

/** Walks through the range half an hour at a time and notes every bucket it meets. */
export function bucketsOf(query: ReferenceQuery): string[] {
  const first = bucketOf(`${query.from} 00:00:00`, {
    ...query,
    interval: query.interval === 'hour' ? 'day' : query.interval,
  })
  const buckets: string[] = []
  for (let at = Date.parse(`${first}T00:00:00Z`) - 86_400_000; ; at += 1_800_000) {
    const local = localTime(at, query.timezone)
    if (local.slice(0, 10) < first) continue
    if (local.slice(0, 10) > query.to) return buckets
    const bucket = bucketOf(local, query)
    if (buckets.at(-1) !== bucket) buckets.push(bucket)
  }
}
