import * as z from 'zod/mini'
import { date, flag, oneOf, text } from '../../lib/search-schema.ts'

export const TYPES = ['click', 'rageclick', 'deadclick', 'mousemove', 'scrolldepth'] as const
export type HeatmapType = (typeof TYPES)[number]
export const BANDS = ['phone', 'tablet', 'computer'] as const
export type Band = (typeof BANDS)[number]

/** Which heatmap is shown: only what differs from the default. */
export const heatmapsSearch = z.object({
  /** The address of the page, without what follows ? or #. */
  page: text,
  type: oneOf(TYPES),
  width: oneOf(BANDS),
  from: date,
  to: date,
  /** Count each visitor once. */
  visitors: flag,
})
export type HeatmapSearch = z.infer<typeof heatmapsSearch>
