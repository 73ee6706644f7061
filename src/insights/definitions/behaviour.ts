/** What somebody in a cohort did: once, so many times, for the first time, in order, regularly, not any more, again. */
import { z } from 'zod'
import { parsedBy } from '../../contract/parsed-by.ts'
import {
  actionsNodeSchema,
  eventsNodeSchema,
  type Fields,
  rememberPlaces,
  type SeriesNode,
} from '../../contract/queries/index.ts'
import { isDate, notADate } from '../../lib/parse-date.ts'

export interface Behaviour {
  readonly kind: 'behaviour'
  readonly node: SeriesNode
  readonly did: Did
  /** The time that is looked at; of what was done regularly, one period. */
  readonly within: Span | { readonly from: string; readonly to?: string }
}

export type Did =
  | { readonly how: 'ever'; readonly times: Times }
  /** For the first time ever. */
  | { readonly how: 'first' }
  /** And then something else, at most so long after it. */
  | { readonly how: 'sequence'; readonly then: SeriesNode; readonly after: Span }
  /** But not lately. */
  | { readonly how: 'stopped'; readonly lately: Span }
  /** Lately, and before the time that is looked at, but not in between. */
  | { readonly how: 'restarted'; readonly lately: Span }
  /** So often in at least so many of the last periods. */
  | { readonly how: 'regularly'; readonly times: Times; readonly least: number; readonly periods: number }

export interface Span {
  readonly count: number
  readonly unit: TimeUnit
}

export interface Times {
  readonly is: '=' | '>=' | '>' | '<=' | '<'
  readonly count: number
}

const TIME_UNITS = ['minute', 'hour', 'day', 'week', 'month', 'year'] as const
export type TimeUnit = (typeof TIME_UNITS)[number]

/** Longer than any month has days, so that lengths of different units can be compared. */
const DAYS: Record<TimeUnit, number> = { minute: 1 / 1440, hour: 1 / 24, day: 1, week: 7, month: 30.5, year: 365 }
export const daysIn = ({ count, unit }: Span): number => count * DAYS[unit]

/** A period more is a count more in every row: as many as somebody would look back on. */
const MOST_PERIODS = 100

type Path = readonly (string | number)[]
type Refuse = (message: string, path: Path) => never

const COUNTS = { exact: '=', eq: '=', gte: '>=', gt: '>', lte: '<=', lt: '<' } as const
const whole = z.coerce.number().int().min(0).max(1_000_000)
const unit = z.enum(TIME_UNITS).nullish()
const eventType = z.enum(['events', 'actions']).nullish()
const key = z.union([z.string(), z.number()]).transform(String)
const behaviour = z.object({
  key,
  value: z.string(),
  event_type: eventType,
  time_value: whole.nullish(),
  time_interval: unit,
  explicit_datetime: z.string().nullish(),
  explicit_datetime_to: z.string().nullish(),
  operator: z.enum(['exact', 'eq', 'gte', 'gt', 'lte', 'lt']).nullish(),
  operator_value: whole.nullish(),
  event_filters: z.unknown().optional(),
  seq_event: key.nullish(),
  seq_event_type: eventType,
  seq_time_value: whole.nullish(),
  seq_time_interval: unit,
  min_periods: whole.nullish(),
  total_periods: whole.nullish(),
})
type Given = z.output<typeof behaviour>

export function readBehaviour(fields: Fields, path: Path, refuse: Refuse): Behaviour {
  const parsed = parsedBy(behaviour, fields)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return refuse(issue?.message ?? 'Not understood.', [...path, ...(issue?.path ?? []).map(String)])
  }
  const given = parsed.data
  const at = (field: string): Path => [...path, field]
  const read = Object.hasOwn(READ, given.value) ? READ[given.value] : undefined
  if (read === undefined)
    return refuse(`${JSON.stringify(given.value)} is not supported: send ${Object.keys(READ).join(', ')}.`, at('value'))
  const { explicit_datetime, explicit_datetime_to } = given
  for (const [name, text] of Object.entries({ explicit_datetime, explicit_datetime_to }))
    if (text && !isDate(text)) return refuse(notADate(text), at(name))
  if (!explicit_datetime && !(given.time_value && given.time_interval))
    return refuse('Say in which time: time_value and time_interval, or explicit_datetime.', at('time_value'))
  const within = explicit_datetime
    ? { from: explicit_datetime, ...(explicit_datetime_to ? { to: explicit_datetime_to } : {}) }
    : { count: given.time_value as number, unit: given.time_interval as TimeUnit }
  const did = read(given, within, at, refuse)
  const node = nodeOf(given.event_type, given.key, given.event_filters, at, refuse)
  return { kind: 'behaviour', node, did, within }
}

type Reader = (given: Given, within: Behaviour['within'], at: (field: string) => Path, refuse: Refuse) => Did

const READ: Record<string, Reader> = {
  performed_event: () => ({ how: 'ever', times: { is: '>=', count: 1 } }),
  performed_event_multiple: (given, _, at, refuse) => ({ how: 'ever', times: timesIn(given, at, refuse) }),
  performed_event_first_time: () => ({ how: 'first' }),
  performed_event_sequence: (given, _, at, refuse) => {
    if (!given.seq_event) return refuse('Say what was done afterwards: seq_event.', at('seq_event'))
    const then = nodeOf(given.seq_event_type, given.seq_event, undefined, () => at('seq_event'), refuse)
    return { how: 'sequence', then, after: latelyIn(given, at, refuse) }
  },
  stopped_performing_event: (given, within, at, refuse) => {
    const lately = latelyIn(given, at, refuse)
    return { how: 'stopped', lately: shorter(lately, within, at, refuse) }
  },
  restarted_performing_event: (given, within, at, refuse) => {
    const lately = latelyIn(given, at, refuse)
    return { how: 'restarted', lately: shorter(lately, within, at, refuse) }
  },
  performed_event_regularly: (given, within, at, refuse) => {
    const { min_periods, total_periods } = given
    if (!('unit' in within))
      return refuse('Say how long a period is: time_value and time_interval.', at('explicit_datetime'))
    if (!min_periods) return refuse('Say in how many periods at least: min_periods.', at('min_periods'))
    if (!total_periods || total_periods > MOST_PERIODS)
      return refuse(`Say of how many periods: total_periods, up to ${MOST_PERIODS}.`, at('total_periods'))
    if (min_periods > total_periods)
      return refuse(
        `${min_periods} of the last ${total_periods} periods is more than there are: send a smaller min_periods.`,
        at('min_periods'),
      )
    return { how: 'regularly', times: timesIn(given, at, refuse), least: min_periods, periods: total_periods }
  },
}

function timesIn({ operator, operator_value }: Given, at: (field: string) => Path, refuse: Refuse): Times {
  if (operator_value === undefined || operator_value === null)
    return refuse('Say how often: operator_value.', at('operator_value'))
  return { is: COUNTS[operator ?? 'gte'], count: operator_value }
}

function latelyIn({ seq_time_value, seq_time_interval }: Given, at: (field: string) => Path, refuse: Refuse): Span {
  if (!seq_time_value || !seq_time_interval)
    return refuse('Say in which time: seq_time_value and seq_time_interval.', at('seq_time_value'))
  return { count: seq_time_value, unit: seq_time_interval }
}

/** What happened lately is a part of the time that is looked at. */
function shorter(lately: Span, within: Behaviour['within'], at: (field: string) => Path, refuse: Refuse): Span {
  if ('unit' in within && daysIn(lately) >= daysIn(within))
    return refuse('The recent time (seq_time_value) is shorter than the whole (time_value).', at('seq_time_value'))
  return lately
}

function nodeOf(
  type: Given['event_type'],
  about: string,
  properties: unknown,
  at: (field: string) => Path,
  refuse: Refuse,
): SeriesNode {
  const node =
    type === 'actions'
      ? parsedBy(actionsNodeSchema, { properties, kind: 'ActionsNode', id: about })
      : parsedBy(eventsNodeSchema, { properties, kind: 'EventsNode', event: about })
  if (!node.success) {
    const [issue] = node.error.issues
    const [first, ...rest] = (issue?.path ?? []).map(String)
    return refuse(
      issue?.message ?? 'Not understood.',
      first === 'properties' ? [...at('event_filters'), ...rest] : at('key'),
    )
  }
  rememberPlaces(node.data.properties, at('event_filters'))
  return node.data
}
