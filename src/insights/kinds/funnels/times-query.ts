import { type FunnelsQuery, funnelsQuerySchema } from '../../../contract/queries/index.ts'

/** The same funnel, asked how long its conversions take. */
export const timesToConvert = (query: FunnelsQuery): FunnelsQuery => {
  const filter = query.funnelsFilter ?? funnelsQuerySchema.shape.funnelsFilter.parse({})
  return { ...query, funnelsFilter: filter && { ...filter, funnelVizType: 'time_to_convert' } }
}
