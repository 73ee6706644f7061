/**
 * The answer to each kind of query. Answers do not contain their kind: the client knows what it asked, and finds the
 * answer's type by it (`InsightAnswers[kind]`), or keeps both together (`InsightAnswered`).
 */
import { z } from 'zod'
import { correlationResultSchema } from './correlation.ts'
import { insightFields, legacyFields } from './envelope.ts'
import { experimentAnswerSchemas } from './experiments.ts'
import { funnelsResultSchema } from './funnels.ts'
import {
  legacyRetentionRowSchema,
  lifecycleResultSchema,
  pathsResultSchema,
  retentionResultSchema,
  stickinessResultSchema,
} from './others.ts'
import { actorsAnswerSchema, eventsAnswerSchema, sqlAnswerSchema } from './tables.ts'
import { taxonomyAnswerSchemas } from './taxonomy.ts'
import { trendsResultSchema } from './trends.ts'
import { webAnswerSchemas } from './web.ts'
import type { Wire } from './wire.ts'

export const insightAnswerSchemas = {
  TrendsQuery: z
    .object({ results: trendsResultSchema, hasMore: z.boolean(), ...insightFields })
    .meta({ id: 'TrendsQueryAnswer' }),
  FunnelsQuery: z
    .object({
      results: funnelsResultSchema,
      total_median_conversion_time: z
        .number()
        .nullable()
        .optional()
        .meta({ description: 'Of steps without a breakdown: half of those who came through took less.' }),
      ...insightFields,
    })
    .meta({ id: 'FunnelsQueryAnswer' }),
  FunnelCorrelationQuery: z
    .object({
      results: correlationResultSchema,
      totals: z.object({ success: z.number(), failure: z.number() }),
      ...insightFields,
    })
    .meta({ id: 'FunnelCorrelationQueryAnswer' }),
  RetentionQuery: z.object({ results: retentionResultSchema, ...insightFields }).meta({ id: 'RetentionQueryAnswer' }),
  LifecycleQuery: z.object({ results: lifecycleResultSchema, ...insightFields }).meta({ id: 'LifecycleQueryAnswer' }),
  StickinessQuery: z
    .object({ results: stickinessResultSchema, ...insightFields })
    .meta({ id: 'StickinessQueryAnswer' }),
  PathsQuery: z.object({ results: pathsResultSchema, ...insightFields }).meta({ id: 'PathsQueryAnswer' }),
} as const

export type InsightAnswers = { [K in keyof typeof insightAnswerSchemas]: Wire<(typeof insightAnswerSchemas)[K]> }
export type InsightKind = keyof InsightAnswers
export type InsightResults = { [K in InsightKind]: InsightAnswers[K]['results'] }
/** A query's kind and its answer together: a discriminated union. */
export type InsightAnswered = {
  [K in InsightKind]: { readonly kind: K; readonly answer: InsightAnswers[K] }
}[InsightKind]

/** Every answer of `query/` but that of RecordingsQuery, whose rows are recordings (`recordingsAnswerOf`). */
export const queryAnswerSchemas = {
  ...insightAnswerSchemas,
  HogQLQuery: sqlAnswerSchema,
  EventsQuery: eventsAnswerSchema,
  ActorsQuery: actorsAnswerSchema,
  ...webAnswerSchemas,
  ...taxonomyAnswerSchemas,
  ...experimentAnswerSchemas,
} as const
export type QueryAnswers = { [K in keyof typeof queryAnswerSchemas]: Wire<(typeof queryAnswerSchemas)[K]> }

const legacyAnswer = <T extends z.ZodType>(result: T) => z.object({ result, ...legacyFields })

/** The answers of the endpoints that are older than query nodes, with links from numbers to people. */
export const legacyAnswerSchemas = {
  TrendsQuery: legacyAnswer(trendsResultSchema).meta({ id: 'LegacyTrends' }),
  FunnelsQuery: legacyAnswer(funnelsResultSchema).meta({ id: 'LegacyFunnels' }),
  FunnelCorrelationQuery: legacyAnswer(correlationResultSchema).meta({ id: 'LegacyCorrelation' }),
  RetentionQuery: legacyAnswer(z.array(legacyRetentionRowSchema)).meta({ id: 'LegacyRetention' }),
  LifecycleQuery: legacyAnswer(lifecycleResultSchema).meta({ id: 'LegacyLifecycle' }),
  StickinessQuery: legacyAnswer(stickinessResultSchema).meta({ id: 'LegacyStickiness' }),
  PathsQuery: legacyAnswer(pathsResultSchema).meta({ id: 'LegacyPaths' }),
} as const satisfies Record<InsightKind, z.ZodType>
export type LegacyAnswers = { [K in InsightKind]: Wire<(typeof legacyAnswerSchemas)[K]> }

/** Whichever insight a legacy endpoint was asked for: the filters decide, not the address. */
export const legacyAnswerSchema = z
  .union([
    legacyAnswerSchemas.TrendsQuery,
    legacyAnswerSchemas.FunnelsQuery,
    legacyAnswerSchemas.FunnelCorrelationQuery,
    legacyAnswerSchemas.RetentionQuery,
    legacyAnswerSchemas.LifecycleQuery,
    legacyAnswerSchemas.StickinessQuery,
    legacyAnswerSchemas.PathsQuery,
  ])
  .meta({ id: 'LegacyInsightAnswer' })
