import { type Filter, readFilters } from '../insights/index.ts'

/** What somebody in a cohort did, as the form holds it: one sentence each. */
export const HOWS = ['did', 'not', 'times', 'first', 'sequence', 'stopped', 'restarted', 'regularly'] as const
export type How = (typeof HOWS)[number]

const UNITS = ['hour', 'day', 'week', 'month', 'year'] as const
export type SpanUnit = (typeof UNITS)[number]
export interface Span {
  count: number
  unit: SpanUnit
}

export const COUNTS = ['gte', 'lte', 'exact'] as const
export type Count = (typeof COUNTS)[number]

/** An event, or an action by its number and name. */
export interface Done {
  event: string | null
  action?: number
  name?: string
}

export interface Behaviour extends Done {
  how: How
  /** The time that is looked at; of what was done regularly, one period. */
  within: Span
  filters: Filter[]
  /** How often. */
  is: Count
  times: number
  /** What was done afterwards. */
  next: Done
  /** In which time afterwards, or how long ago it stopped or began again. */
  lately: Span
  /** In at least so many of so many periods. */
  least: number
  periods: number
}

export const NEW_BEHAVIOUR: Behaviour = {
  how: 'did',
  event: '$pageview',
  within: { count: 30, unit: 'day' },
  filters: [],
  is: 'gte',
  times: 3,
  next: { event: '$pageview' },
  lately: { count: 7, unit: 'day' },
  least: 3,
  periods: 4,
}

const VALUES: Record<How, string> = {
  did: 'performed_event',
  not: 'performed_event',
  times: 'performed_event_multiple',
  first: 'performed_event_first_time',
  sequence: 'performed_event_sequence',
  stopped: 'stopped_performing_event',
  restarted: 'restarted_performing_event',
  regularly: 'performed_event_regularly',
}

export type Leaf = Record<string, unknown>

/** As the API keeps it. */
export function leafOf(behaviour: Behaviour): Leaf {
  const { how, within, filters, is, times, next, lately, least, periods, name } = behaviour
  return {
    type: 'behavioral',
    value: VALUES[how],
    key: keyOf(behaviour),
    event_type: typeOf(behaviour),
    time_value: within.count,
    time_interval: within.unit,
    negation: how === 'not',
    ...(name ? { name } : {}),
    ...(filters.length > 0 ? { event_filters: filters } : {}),
    ...(how === 'times' || how === 'regularly' ? { operator: is, operator_value: times } : {}),
    ...(how === 'sequence'
      ? { seq_event: keyOf(next), seq_event_type: typeOf(next), ...(next.name ? { seq_name: next.name } : {}) }
      : {}),
    ...(USES_LATELY.has(how) ? { seq_time_value: lately.count, seq_time_interval: lately.unit } : {}),
    ...(how === 'regularly' ? { min_periods: least, total_periods: periods } : {}),
  }
}

export const USES_LATELY: ReadonlySet<How> = new Set(['sequence', 'stopped', 'restarted'])

const keyOf = ({ event, action }: Done): string | number => action ?? event ?? ''
const typeOf = ({ action }: Done): string => (action === undefined ? 'events' : 'actions')

/** Undefined where it says something that the form has no words for. */
export function behaviourIn(leaf: Leaf): Behaviour | undefined {
  const how = HOWS.find((known) => VALUES[known] === leaf.value && (known !== 'not') === !leaf.negation)
  const within = spanIn(leaf.time_value, leaf.time_interval)
  const lately = spanIn(leaf.seq_time_value, leaf.seq_time_interval)
  const given = Array.isArray(leaf.event_filters) ? leaf.event_filters : []
  const filters = readFilters(given)
  const is = COUNTS.find((known) => known === (leaf.operator ?? 'gte'))
  const isKnown = (leaf.event_filters ?? null) === null || Array.isArray(leaf.event_filters)
  if (!how || !within || !is || !isKnown || filters.length < given.length || leaf.explicit_datetime) return undefined
  if (USES_LATELY.has(how) && !lately) return undefined
  return {
    ...NEW_BEHAVIOUR,
    ...doneIn(leaf.key, leaf.event_type, leaf.name),
    how,
    within,
    filters,
    is,
    times: numberOr(leaf.operator_value, NEW_BEHAVIOUR.times),
    next: how === 'sequence' ? doneIn(leaf.seq_event, leaf.seq_event_type, leaf.seq_name) : NEW_BEHAVIOUR.next,
    lately: lately ?? NEW_BEHAVIOUR.lately,
    least: numberOr(leaf.min_periods, NEW_BEHAVIOUR.least),
    periods: numberOr(leaf.total_periods, NEW_BEHAVIOUR.periods),
  }
}

function spanIn(count: unknown, unit: unknown): Span | undefined {
  const known = UNITS.find((one) => one === unit)
  return known && Number(count) > 0 ? { count: Number(count), unit: known } : undefined
}

const doneIn = (key: unknown, type: unknown, name: unknown): Done =>
  type === 'actions'
    ? { event: null, action: Number(key), name: String(name ?? `Action ${key}`) }
    : { event: String(key) }

const numberOr = (given: unknown, usual: number): number => (Number(given) > 0 ? Number(given) : usual)

const DAYS: Record<SpanUnit, number> = { hour: 1 / 24, day: 1, week: 7, month: 30.5, year: 365 }
const daysIn = ({ count, unit }: Span): number => count * DAYS[unit]

/** Why it cannot be saved yet, in words. */
export function whyImpossible({ how, within, lately, least, periods }: Behaviour): string | null {
  if ((how === 'stopped' || how === 'restarted') && daysIn(lately) >= daysIn(within))
    return 'The recent time must be shorter than the whole time.'
  return how === 'regularly' && least > periods ? `${least} of ${periods} periods is more than there are.` : null
}
