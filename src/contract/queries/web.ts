/**
 * Questions of web analytics. What they count are sessions (`$session_id`) that began in the date range, with the
 * pages seen in them. Bots are left out unless they are asked for.
 */
import { z } from 'zod'
import { compareFilterSchema } from './breakdown.ts'
import { botsSchema } from './common.ts'
import { dateRangeSchema, intervalSchema } from './dates.ts'
import { flag, optional } from './fields.ts'
import { propertiesSchema } from './property-filters.ts'
import { trendsQuerySchema } from './trends.ts'

export const webGoalSchema = z
  .union([z.object({ actionId: z.int() }), z.object({ customEventName: z.string().min(1) })])
  .meta({
    id: 'WebGoal',
    description: 'What counts as a conversion: an action of the project, or an event by its name.',
  })
export type WebGoal = z.infer<typeof webGoalSchema>

export const WEB_ORDERS = [
  'Visitors',
  'Views',
  'Clicks',
  'BounceRate',
  'AverageScrollPercentage',
  'ScrollGt80Percentage',
  'AvgTimeOnPage',
  'TotalConversions',
  'UniqueConversions',
  'ConversionRate',
  'ConvertingUsers',
  'RageClicks',
  'DeadClicks',
  'Errors',
] as const
export type WebOrder = (typeof WEB_ORDERS)[number]

const orderBy = optional(z.tuple([z.enum(WEB_ORDERS), z.enum(['ASC', 'DESC'])]))
const page = {
  limit: optional(z.int().min(1).max(1_000)),
  offset: optional(z.int().min(0).max(1_000_000)),
}

const webFields = {
  dateRange: dateRangeSchema,
  properties: propertiesSchema,
  compareFilter: compareFilterSchema,
  filterTestAccounts: flag,
  doPathCleaning: flag.meta({ description: 'Numbers and uuids in paths are shown as <id>.' }),
  conversionGoal: optional(webGoalSchema),
  bots: optional(botsSchema).meta({ description: 'Bots are left out unless this says otherwise.' }),
  /** Of every session, so few are needed that none is left out: kept for clients that send it. */
  sampling: optional(z.object({ enabled: flag })),
  includeRevenue: flag.meta({ description: 'Revenue is not counted; kept for clients that send it.' }),
}

export const webOverviewQuerySchema = z
  .object({
    kind: z.literal('WebOverviewQuery'),
    ...webFields,
    includeLive: flag.meta({ description: 'Ours: also count who is there now.' }),
  })
  .meta({ id: 'WebOverviewQuery', description: 'Visitors, views, sessions, their duration and the bounce rate.' })
export type WebOverviewQuery = z.infer<typeof webOverviewQuerySchema>

export const WEB_BREAKDOWNS = [
  'Page',
  'InitialPage',
  'ExitPage',
  'ExitClick',
  'PreviousPage',
  'ScreenName',
  'InitialChannelType',
  'InitialReferringDomain',
  'InitialUTMSource',
  'InitialUTMCampaign',
  'InitialUTMMedium',
  'InitialUTMTerm',
  'InitialUTMContent',
  'InitialUTMSourceMediumCampaign',
  'Browser',
  'OS',
  'Viewport',
  'DeviceType',
  'Country',
  'Region',
  'City',
  'Timezone',
  'Language',
  'FrustrationMetrics',
  'WeekdayHour',
] as const
export type WebBreakdown = (typeof WEB_BREAKDOWNS)[number]

export const webStatsTableQuerySchema = z
  .object({
    kind: z.literal('WebStatsTableQuery'),
    ...webFields,
    breakdownBy: z.enum(WEB_BREAKDOWNS).meta({
      description:
        'What each row is about. Country rows are codes ("FR"), regions [country, code, name], cities [country, city]; ' +
        'WeekdayHour, which is ours, has rows "1 13": Monday, from 13:00 on.',
    }),
    includeBounceRate: flag.meta({ description: 'Of pages: of the sessions that began there.' }),
    includeScrollDepth: flag.meta({ description: 'Of pages.' }),
    includeAvgTimeOnPage: flag.meta({ description: 'Of pages: seconds.' }),
    includeHost: flag.meta({ description: 'Of pages: the host before the path.' }),
    orderBy,
    ...page,
  })
  .meta({ id: 'WebStatsTableQuery', description: 'Visitors and views by page, source, place, device, ...' })
export type WebStatsTableQuery = z.infer<typeof webStatsTableQuerySchema>

export const webGoalsQuerySchema = z
  .object({
    kind: z.literal('WebGoalsQuery'),
    ...webFields,
    goals: optional(z.array(webGoalSchema).max(20)).meta({
      description: 'Ours: which goals. The actions of the project when it does not say.',
    }),
    includeEvents: flag.meta({
      description: 'Ours: behind the actions, also the events of the project that most visitors did.',
    }),
    orderBy,
    ...page,
  })
  .meta({ id: 'WebGoalsQuery', description: 'How many visitors did what is a goal, and how often.' })
export type WebGoalsQuery = z.infer<typeof webGoalsQuerySchema>

export const webExternalClicksTableQuerySchema = z
  .object({
    kind: z.literal('WebExternalClicksTableQuery'),
    ...webFields,
    stripQueryParams: flag,
    orderBy,
    ...page,
  })
  .meta({ id: 'WebExternalClicksTableQuery', description: 'Links that led out of the site.' })
export type WebExternalClicksTableQuery = z.infer<typeof webExternalClicksTableQuerySchema>

export const webVitalsQuerySchema = z
  .object({
    kind: z.literal('WebVitalsQuery'),
    ...webFields,
    source: trendsQuerySchema,
  })
  .meta({ id: 'WebVitalsQuery', description: 'Web vitals over time: the trend in `source`, bots left out.' })
export type WebVitalsQuery = z.infer<typeof webVitalsQuerySchema>

export const WEB_VITALS = ['INP', 'LCP', 'CLS', 'FCP'] as const
export type WebVital = (typeof WEB_VITALS)[number]

export const webVitalsPathBreakdownQuerySchema = z
  .object({
    kind: z.literal('WebVitalsPathBreakdownQuery'),
    ...webFields,
    metric: z.enum(WEB_VITALS),
    percentile: z.enum(['p75', 'p90', 'p99']),
    thresholds: z
      .tuple([z.number().min(0), z.number().min(0)])
      .refine(
        ([good, poor]) => good <= poor,
        'The first is up to where a page is good, the second from where it is poor.',
      ),
  })
  .meta({
    id: 'WebVitalsPathBreakdownQuery',
    description: 'Which pages are good, need work or are poor by a web vital.',
  })
export type WebVitalsPathBreakdownQuery = z.infer<typeof webVitalsPathBreakdownQuerySchema>

export const WEB_METRICS = [
  'UniqueUsers',
  'PageViews',
  'Sessions',
  'Bounces',
  'SessionDuration',
  'TotalSessions',
] as const
export type WebMetric = (typeof WEB_METRICS)[number]

export const webTrendsQuerySchema = z
  .object({
    kind: z.literal('WebTrendsQuery'),
    ...webFields,
    interval: intervalSchema,
    metrics: z
      .array(z.enum(WEB_METRICS))
      .min(1)
      .nullish()
      .transform((value) => value ?? [...WEB_METRICS]),
    ...page,
  })
  .meta({ id: 'WebTrendsQuery', description: 'Visitors, views and sessions over time.' })
export type WebTrendsQuery = z.infer<typeof webTrendsQuerySchema>

export const webQuerySchema = z
  .discriminatedUnion('kind', [
    webOverviewQuerySchema,
    webStatsTableQuerySchema,
    webGoalsQuerySchema,
    webExternalClicksTableQuerySchema,
    webVitalsQuerySchema,
    webVitalsPathBreakdownQuerySchema,
    webTrendsQuerySchema,
  ])
  .meta({ id: 'WebQuery' })
export type WebQuery = z.infer<typeof webQuerySchema>
export type WebQueryKind = WebQuery['kind']
