import { z } from 'zod'
import { commonFields } from './common.ts'
import { optional, texts } from './fields.ts'
import { funnelsQuerySchema } from './funnels.ts'

export const pathsQuerySchema = z
  .object({
    kind: z.literal('PathsQuery'),
    ...commonFields,
    pathsFilter: z
      .object({
        includeEventTypes: optional(z.array(z.enum(['$pageview', '$screen', 'custom_event', 'hogql']))),
        pathsHogQLExpression: optional(z.string()),
        startPoint: optional(z.string()),
        endPoint: optional(z.string()),
        stepLimit: optional(z.number().int().min(1).max(20)),
        edgeLimit: optional(z.number().int().min(1)),
        minEdgeWeight: optional(z.number().int()),
        maxEdgeWeight: optional(z.number().int()),
        excludeEvents: texts,
        pathGroupings: texts,
        localPathCleaningFilters: optional(
          z.array(z.object({ alias: optional(z.string()), regex: optional(z.string()), order: optional(z.number()) })),
        ),
        pathStartKey: optional(z.string()),
        pathEndKey: optional(z.string()),
        pathDropoffKey: optional(z.string()),
      })
      .meta({ id: 'PathsFilter' })
      .nullish()
      .transform((value) => value ?? undefined),
    funnelPathsFilter: optional(
      z
        .object({
          funnelPathType: z.enum(['funnel_path_before_step', 'funnel_path_between_steps', 'funnel_path_after_step']),
          funnelSource: funnelsQuerySchema,
          funnelStep: optional(z.number().int()),
        })
        .meta({ id: 'FunnelPathsFilter' }),
    ),
  })
  .meta({ id: 'PathsQuery', description: 'Where people go from where.' })
export type PathsQuery = z.infer<typeof pathsQuerySchema>
