/** Every kind of question, as one typed union. */
import { z } from 'zod'
import { actorsQuerySchema, actorsSourceSchema, funnelCorrelationQuerySchema } from './actors.ts'
import { experimentExposureQuerySchema, experimentQuerySchema } from './experiments.ts'
import { insightQuerySchema } from './insight.ts'
import { recordingsQuerySchema } from './recordings.ts'
import { eventsQuerySchema, hogqlQuerySchema } from './tables.ts'
import { taxonomyQuerySchema } from './taxonomy.ts'
import { webQuerySchema } from './web.ts'

/** What `query/` takes, out of the nodes it may be wrapped in. */
export const querySchema = z
  .discriminatedUnion('kind', [
    ...insightQuerySchema.options,
    ...actorsSourceSchema.options,
    funnelCorrelationQuerySchema,
    actorsQuerySchema,
    eventsQuerySchema,
    hogqlQuerySchema,
    recordingsQuerySchema,
    ...webQuerySchema.options,
    ...taxonomyQuerySchema.options,
    experimentQuerySchema,
    experimentExposureQuerySchema,
  ])
  .meta({ id: 'Query' })
export type Query = z.infer<typeof querySchema>
export type QueryKind = Query['kind']

export const QUERY_KINDS: ReadonlySet<string> = querySchema._zod.propValues.kind as ReadonlySet<string>
