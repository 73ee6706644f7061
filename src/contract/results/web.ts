/** Answers of web analytics. */
import { z } from 'zod'
import { webGoalSchema } from '../queries/web.ts'
import { insightFields } from './envelope.ts'
import { trendsResultSchema } from './trends.ts'
import type { Wire } from './wire.ts'

export const webOverviewItemSchema = z
  .object({
    key: z.enum([
      'visitors',
      'views',
      'sessions',
      'session duration',
      'bounce rate',
      'total conversions',
      'unique conversions',
      'conversion rate',
    ]),
    kind: z.enum(['unit', 'duration_s', 'percentage', 'currency']),
    value: z.number().nullable(),
    previous: z.number().nullable().meta({ description: 'Null when no period is compared with.' }),
    changeFromPreviousPct: z.number().nullable(),
    isIncreaseBad: z.boolean().optional(),
  })
  .meta({ id: 'WebOverviewItem', description: 'Percentages are 0 to 100.' })
export type WebOverviewItem = Wire<typeof webOverviewItemSchema>

export const hiddenBotsSchema = z
  .object({ sessions: z.int(), views: z.int(), reasons: z.record(z.string(), z.int()) })
  .meta({ id: 'HiddenBots', description: 'What was left out because bots did it; sessions by reason.' })
export type HiddenBots = Wire<typeof hiddenBotsSchema>

/** The number, and that of the period before (null when none is compared with). Rates are 0 to 1. */
const pair = z.tuple([z.number().nullable(), z.number().nullable()])
const label = z.union([z.string(), z.null(), z.array(z.string().nullable())])

export const webRowSchema = z.tuple([label], pair).meta({
  id: 'WebRow',
  description: 'What the row is about (null when it is not known), then [number, previous] a column.',
})
export type WebRow = Wire<typeof webRowSchema>

const webTableFields = {
  columns: z
    .array(z.string())
    .meta({ description: '"context.columns." and breakdown_value, visitors, views, bounce_rate, ...' }),
  results: z.array(webRowSchema),
  types: z.array(z.string()),
  hasMore: z.boolean(),
  limit: z.int(),
  offset: z.int(),
  ...insightFields,
}

const vital = z.object({ path: z.string(), value: z.number() })

export const webTrendsItemSchema = z
  .object({
    bucket: z.string(),
    metrics: z
      .object({
        UniqueUsers: z.number(),
        PageViews: z.number(),
        Sessions: z.number(),
        Bounces: z.number(),
        SessionDuration: z.number().meta({ description: 'Seconds, of the sessions that began then, on average.' }),
        TotalSessions: z.number(),
      })
      .partial(),
  })
  .meta({ id: 'WebTrendsItem' })
export type WebTrendsItem = Wire<typeof webTrendsItemSchema>

export const webAnswerSchemas = {
  WebOverviewQuery: z
    .object({
      results: z.array(webOverviewItemSchema),
      hidden_bots: hiddenBotsSchema.nullable().meta({ description: 'Null when bots were not left out.' }),
      live_visitors: z
        .int()
        .nullable()
        .meta({ description: 'Visitors whose session had an event in the last five minutes; null unless asked for.' }),
      ...insightFields,
    })
    .meta({ id: 'WebOverviewQueryAnswer' }),
  WebStatsTableQuery: z
    .object({
      ...webTableFields,
      attribution: z.enum(['dbip']).nullish().meta({
        description: 'Ours, of regions and cities: whom the licence of the file they are found by asks to be named.',
      }),
    })
    .meta({ id: 'WebStatsTableQueryAnswer' }),
  WebGoalsQuery: z
    .object({
      ...webTableFields,
      goals: z.array(webGoalSchema).meta({ description: 'Ours: what each row is about.' }),
    })
    .meta({ id: 'WebGoalsQueryAnswer' }),
  WebExternalClicksTableQuery: z.object(webTableFields).meta({ id: 'WebExternalClicksTableQueryAnswer' }),
  WebVitalsQuery: z
    .object({ results: trendsResultSchema, hasMore: z.boolean(), ...insightFields })
    .meta({ id: 'WebVitalsQueryAnswer' }),
  WebVitalsPathBreakdownQuery: z
    .object({
      results: z.tuple([z.object({ good: z.array(vital), needs_improvements: z.array(vital), poor: z.array(vital) })]),
      ...insightFields,
    })
    .meta({ id: 'WebVitalsPathBreakdownQueryAnswer' }),
  WebTrendsQuery: z
    .object({
      results: z.array(webTrendsItemSchema),
      previous: z
        .array(webTrendsItemSchema)
        .nullable()
        .meta({ description: 'The period compared with, bucket by bucket; null when there is none.' }),
      ...insightFields,
    })
    .meta({ id: 'WebTrendsQueryAnswer' }),
} as const
export type WebAnswers = { [K in keyof typeof webAnswerSchemas]: Wire<(typeof webAnswerSchemas)[K]> }
