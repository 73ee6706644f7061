import * as z from 'zod/mini'
import { date, field, flag, oneOf, someOf } from '../../lib/search-schema.ts'
import { DIMENSION_IDS, GROUPS } from './dimensions.ts'

const part = z.nullable(z.string())

export const METRICS = ['visitors', 'views', 'sessions', 'duration', 'bounce'] as const
export type Metric = (typeof METRICS)[number]

export const INTERVALS = ['hour', 'day', 'week', 'month'] as const
export const VITALS = ['LCP', 'INP', 'CLS', 'FCP'] as const

/** Everything the page shows is in its address. */
export const webSearch = z.object({
  from: date,
  to: date,
  /** Only `false` is kept: a comparison is the default. */
  compare: flag,
  metric: oneOf(METRICS),
  interval: oneOf(INTERVALS),
  filters: field(someOf(z.object({ on: z.enum(DIMENSION_IDS), is: z.union([part, z.readonly(z.array(part))]) }))),
  /** What counts as a conversion. */
  goal: field(z.union([z.object({ action: z.int(), name: z.string() }), z.object({ event: z.string() })])),
  bots: oneOf(['include', 'only']),
  /** The tab of each card. */
  sources: oneOf(GROUPS.sources),
  pages: oneOf(GROUPS.pages),
  places: oneOf(['map', ...GROUPS.places]),
  devices: oneOf(GROUPS.devices),
  vital: oneOf(VITALS),
  /** Tables that are ordered by another column than their first; `up`: the smallest number first. */
  order: field(someOf(z.object({ on: z.enum([...DIMENSION_IDS, 'goals', 'vitals']), by: z.string(), up: flag }))),
  /** The table that is shown whole. */
  all: oneOf(DIMENSION_IDS),
})

export type WebState = z.infer<typeof webSearch>

/** The address after a change; an empty list of filters is none. */
export const withChange = <S extends WebState>(was: S, next: Partial<WebState>): S => ({
  ...was,
  ...next,
  ...(next.filters?.length === 0 ? { filters: undefined } : {}),
})

export type Goal = NonNullable<WebState['goal']>
