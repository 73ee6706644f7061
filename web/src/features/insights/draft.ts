import * as z from 'zod/mini'
import { date, field, flag, number, oneOf, someOf } from '../../lib/search-schema.ts'
import { LAST_7_DAYS, LAST_30_DAYS } from '../../lib/usual-ranges.ts'
import { type Filter, filterGroupsSchema, filterSchema } from './filter.ts'
import { looksFields } from './looks.ts'

export { type Filter, filterSchema, readFilters } from './filter.ts'

const KINDS = ['trends', 'funnel', 'retention', 'paths', 'lifecycle', 'stickiness', 'sql'] as const
export type Kind = (typeof KINDS)[number]
const DISPLAYS = ['line', 'area', 'bar', 'cumulative', 'number', 'pie', 'ranking', 'table'] as const
export type Display = (typeof DISPLAYS)[number]
const INTERVALS = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'] as const
export type Interval = (typeof INTERVALS)[number]

const seriesSchema = z.object({
  /** null: any event. */
  event: z.nullable(z.string()),
  /** Events of this action instead; `name` is what it is called. */
  action: field(z.number()),
  math: field(z.string()),
  /** For maths over a property. */
  property: field(z.string()),
  /** Which groups are counted, where groups are. */
  groupIndex: field(z.number()),
  filters: z.optional(z.array(filterSchema)),
  name: field(z.string()),
})
export type Series = z.infer<typeof seriesSchema>

export const BREAKDOWN_TYPES = ['event', 'person', 'group', 'session', 'hogql', 'event_metadata', 'cohort'] as const

const breakdownSchema = z.object({
  /** Of cohorts the id, or `all` for everyone. */
  property: z.string(),
  type: z._default(z.enum(BREAKDOWN_TYPES), 'event'),
  group_type_index: field(z.number()),
  /** Of numbers: so many ranges instead of each value. */
  bins: field(z.int().check(z.minimum(1), z.maximum(1000))),
})
export type Breakdown = z.infer<typeof breakdownSchema>
export const MOST_BREAKDOWNS = 3
/** Each is a question of its own to the service, so they do not combine with properties. */
export const MOST_COHORTS = 10
export const isByCohort = ({ breakdown }: Pick<Draft, 'breakdown'>): boolean => breakdown?.[0]?.type === 'cohort'

/**
 * The question being asked, as the builder holds it and the address carries it: short, and only what differs from the
 * default. What the page cannot show is left out; the service validates the rest.
 */
export const draftSchema = z.object({
  kind: z.enum(KINDS),
  series: someOf(seriesSchema),
  filters: field(z.array(filterSchema)),
  /** Instead of `filters`, where some are joined by "any". */
  filterGroups: field(filterGroupsSchema),
  /** Addresses and insights of version 0.1 have one that stands alone. */
  breakdown: field(
    z.pipe(
      z.union([breakdownSchema, z.array(breakdownSchema).check(z.maxLength(MOST_COHORTS))]),
      z.transform((given): Breakdown[] => [given].flat()),
    ),
  ),
  breakdownLimit: field(z.int().check(z.minimum(1), z.maximum(1000))),
  hideOther: flag,
  from: date,
  to: date,
  interval: oneOf(INTERVALS),
  compare: flag,
  /** How far back the other period lies: -1w. The period right before when absent. */
  compareTo: field(z.string()),
  formula: field(z.string()),
  /** Mean over so many intervals. */
  smoothing: field(z.int().check(z.minimum(1), z.maximum(1000))),
  ...looksFields,
  display: oneOf(DISPLAYS),
  testAccounts: flag,
  /** Events of bots: counted unless this says otherwise. */
  bots: oneOf(['exclude', 'only']),
  order: oneOf(['ordered', 'strict', 'unordered']),
  window: number,
  windowUnit: oneOf(['second', 'minute', 'hour', 'day', 'week', 'month']),
  viz: oneOf(['steps', 'trends', 'time_to_convert']),
  returning: field(z.nullable(z.string())),
  period: oneOf(['Hour', 'Day', 'Week', 'Month']),
  intervals: number,
  firstTime: flag,
  pathTypes: field(z.array(z.string())),
  startPoint: field(z.string()),
  endPoint: field(z.string()),
  steps: number,
  sql: field(z.string()),
})
export type Draft = z.infer<typeof draftSchema>

export function emptyDraft(kind: Kind): Draft {
  if (kind === 'funnel' || kind === 'sql') return { kind, series: [] }
  if (kind === 'paths') return { kind, series: [], pathTypes: ['$pageview'] }
  return { kind, series: [{ event: '$pageview' }] }
}

export const defaultFrom = (kind: Kind): string =>
  kind === 'retention' || kind === 'paths' ? LAST_7_DAYS : LAST_30_DAYS

export const hasBreakdown = (kind: Kind): boolean => kind === 'trends' || kind === 'funnel' || kind === 'retention'

/** Whether numbers may be put into ranges. */
export const hasBins = (kind: Kind): boolean => kind === 'trends' || kind === 'retention'

/** The draft as another kind, keeping the fields that apply to it. */
export function changeKind(draft: Draft, kind: Kind): Draft {
  if (kind === 'sql') return emptyDraft(kind)
  const {
    series,
    filters,
    filterGroups,
    breakdown,
    breakdownLimit,
    hideOther,
    from,
    to,
    interval,
    testAccounts,
    bots,
  } = draft
  const kept = series.length > 0 ? series : emptyDraft(kind).series
  return {
    ...emptyDraft(kind),
    series:
      kind === 'lifecycle' || kind === 'retention'
        ? kept.slice(0, 1)
        : kind === 'funnel'
          ? kept.map(({ math: _, property: __, groupIndex: ___, ...step }) => step)
          : kept,
    ...(filters ? { filters } : {}),
    ...(filterGroups ? { filterGroups } : {}),
    ...(breakdown && hasBreakdown(kind)
      ? {
          breakdown: hasBins(kind) ? breakdown : breakdown.map(({ bins: _, ...plain }) => plain),
          ...(breakdownLimit ? { breakdownLimit } : {}),
          ...(hideOther ? { hideOther } : {}),
        }
      : {}),
    ...(from ? { from } : {}),
    ...(to ? { to } : {}),
    ...(interval ? { interval } : {}),
    ...(testAccounts ? { testAccounts } : {}),
    ...(bots ? { bots } : {}),
  }
}

/** What is typed letter by letter, emptied: two drafts that differ only there are one entry of the history. */
function untyped(draft: Draft): string {
  const {
    formula: _,
    startPoint: __,
    endPoint: ___,
    window: ____,
    prefix: _p,
    suffix: _s,
    filters,
    filterGroups,
    goals,
    series,
    ...rest
  } = draft
  const emptied = (list: readonly Filter[] = []) =>
    list.map((filter) => (Array.isArray(filter.value) ? filter : { ...filter, value: null }))
  const bare = series.map(({ name: _name, filters: own, ...one }) => ({ ...one, filters: emptied(own) }))
  const groups = filterGroups?.groups.map((group) => ({ ...group, filters: emptied(group.filters) }))
  const kept = { filters: emptied(filters), filterGroups: { ...filterGroups, groups }, goals: goals?.length }
  return JSON.stringify({ ...rest, series: bare, ...kept })
}

/** Typing in a field changes the entry in the history; choosing something else makes a new one. */
export const isTyping = (before: Draft, after: Draft): boolean => untyped(before) === untyped(after)

/** What another program, or an older version, kept as a draft. */
export const readDraft = (value: unknown): Draft | undefined => z.safeParse(draftSchema, value).data
