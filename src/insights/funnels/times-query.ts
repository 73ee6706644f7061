import { type FunnelsQuery, funnelsQuerySchema } from '../parse/query-schema.ts'

/** The same funnel, asked how long its conversions take. */
export const timesToConvert = (query: FunnelsQuery): FunnelsQuery => {
  const filter = query.funnelsFilter ?? funnelsQuerySchema.shape.funnelsFilter.parse({})
  return { ...query, funnelsFilter: filter && { ...filter, funnelVizType: 'time_to_convert' } }
}
