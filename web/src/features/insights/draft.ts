import { LAST_7_DAYS, LAST_30_DAYS } from '../../lib/ranges.ts'

/** The question being asked, as the builder holds it and the address carries it: short, and only what differs from the default. */
export type Kind = 'trends' | 'funnel' | 'retention' | 'paths' | 'lifecycle' | 'stickiness' | 'sql'
export type Display = 'line' | 'area' | 'bar' | 'cumulative' | 'number' | 'pie' | 'ranking' | 'table'
export type Interval = 'hour' | 'day' | 'week' | 'month'

export interface Filter {
  key: string
  /** Of a cohort the key is `id`, and the value its number. */
  type: 'event' | 'person' | 'group' | 'session' | 'cohort'
  operator: string
  value?: string | number | boolean | (string | number)[] | null
  group_type_index?: number
}

export interface Series {
  /** null: any event. */
  event: string | null
  /** Events of this action instead; `name` is what it is called. */
  action?: number
  math?: string
  /** For maths over a property. */
  property?: string
  /** Which groups are counted, where groups are. */
  groupIndex?: number
  filters?: Filter[]
  name?: string
}

interface Breakdown {
  property: string
  type: 'event' | 'person' | 'group' | 'session'
  group_type_index?: number
}

export interface Draft {
  kind: Kind
  series: Series[]
  filters?: Filter[]
  breakdown?: Breakdown
  from?: string
  to?: string
  interval?: Interval
  compare?: boolean
  formula?: string
  display?: Display
  testAccounts?: boolean
  order?: 'ordered' | 'strict' | 'unordered'
  window?: number
  windowUnit?: 'minute' | 'hour' | 'day' | 'week'
  viz?: 'steps' | 'trends' | 'time_to_convert'
  returning?: string | null
  period?: 'Day' | 'Week' | 'Month'
  intervals?: number
  firstTime?: boolean
  pathTypes?: string[]
  startPoint?: string
  endPoint?: string
  steps?: number
  sql?: string
}

const KINDS: readonly Kind[] = ['trends', 'funnel', 'retention', 'paths', 'lifecycle', 'stickiness', 'sql']

export function emptyDraft(kind: Kind): Draft {
  if (kind === 'funnel' || kind === 'sql') return { kind, series: [] }
  if (kind === 'paths') return { kind, series: [], pathTypes: ['$pageview'] }
  return { kind, series: [{ event: '$pageview' }] }
}

export const defaultFrom = (kind: Kind): string =>
  kind === 'retention' || kind === 'paths' ? LAST_7_DAYS : LAST_30_DAYS

/** Of another kind, with whatever still makes sense. */
export function changeKind(draft: Draft, kind: Kind): Draft {
  if (kind === 'sql') return emptyDraft(kind)
  const { series, filters, breakdown, from, to, interval, testAccounts } = draft
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
    ...(breakdown && (kind === 'trends' || kind === 'funnel') ? { breakdown } : {}),
    ...(from ? { from } : {}),
    ...(to ? { to } : {}),
    ...(interval ? { interval } : {}),
    ...(testAccounts ? { testAccounts } : {}),
  }
}

/** What is typed letter by letter, emptied: two drafts that differ only there are one entry of the history. */
function untyped({ formula: _, startPoint: __, endPoint: ___, window: ____, filters, series, ...rest }: Draft): string {
  const emptied = (list: readonly Filter[] = []) =>
    list.map((filter) => (Array.isArray(filter.value) ? filter : { ...filter, value: null }))
  const bare = series.map(({ name: _name, filters: own, ...one }) => ({ ...one, filters: emptied(own) }))
  return JSON.stringify({ ...rest, series: bare, filters: emptied(filters) })
}

/** Typing in a field changes the entry in the history; choosing something else makes a new one. */
export const isTyping = (before: Draft, after: Draft): boolean => untyped(before) === untyped(after)

const isText = (value: unknown): boolean => typeof value === 'string'
const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value)
const isFlag = (value: unknown): boolean => typeof value === 'boolean'
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const isFilters = (value: unknown): boolean =>
  Array.isArray(value) && value.every((filter) => isObject(filter) && isText((filter as Filter).key))
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText)

/** What the views could not draw, or the builder not show. The service judges the rest in words. */
const RIGHT: Readonly<Partial<Record<keyof Draft, (value: unknown) => boolean>>> = {
  filters: isFilters,
  breakdown: (value) => isObject(value) && isText((value as Breakdown).property),
  from: isText,
  to: isText,
  interval: isText,
  compare: isFlag,
  formula: isText,
  display: isText,
  testAccounts: isFlag,
  window: isNumber,
  intervals: isNumber,
  steps: isNumber,
  returning: (value) => value === null || isText(value),
  pathTypes: isTexts,
  startPoint: isText,
  endPoint: isText,
  sql: isText,
}

/** From an address, which anybody may have written. */
export function readDraft(value: unknown): Draft | undefined {
  if (!isObject(value)) return undefined
  const draft = value as Draft
  if (!KINDS.includes(draft.kind) || !Array.isArray(draft.series)) return undefined
  const sound = Object.entries(draft).filter(([key, one]) => RIGHT[key as keyof Draft]?.(one) ?? true)
  return { ...(Object.fromEntries(sound) as unknown as Draft), series: draft.series.filter(isSeries) }
}

const isSeries = (value: unknown): value is Series => {
  if (!isObject(value) || !('event' in value)) return false
  const { event, filters } = value as Series
  return (event === null || isText(event)) && (filters === undefined || isFilters(filters))
}
