import { z } from 'zod'
import { breakdownFilterSchema, compareFilterSchema } from './breakdown.ts'
import { commonFields } from './common.ts'
import { intervalSchema } from './dates.ts'
import { flag, optional } from './fields.ts'
import { seriesSchema } from './series.ts'

const DISPLAYS = [
  'Auto',
  'ActionsLineGraph',
  'ActionsBar',
  'ActionsUnstackedBar',
  'ActionsStackedBar',
  'ActionsAreaGraph',
  'ActionsLineGraphCumulative',
  'BoldNumber',
  'Metric',
  'ActionsPie',
  'ActionsDonut',
  'ActionsBarValue',
  'ActionsTable',
  'WorldMap',
  'CalendarHeatmap',
  'TwoDimensionalHeatmap',
  'BoxPlot',
  'SlopeGraph',
  'ScatterPlot',
] as const
export type Display = (typeof DISPLAYS)[number]

/** An unknown display draws the default, as upstream does. */
const display = z
  .unknown()
  .optional()
  .transform((value): Display => DISPLAYS.find((known) => known === value) ?? 'ActionsLineGraph')
  .meta({ type: 'string', examples: [...DISPLAYS], default: 'ActionsLineGraph' })

export const trendsQuerySchema = z
  .object({
    kind: z.literal('TrendsQuery'),
    ...commonFields,
    series: seriesSchema,
    interval: intervalSchema,
    trendsFilter: z
      .object({
        display,
        smoothingIntervals: optional(z.number().int().min(1)),
        formula: optional(z.string()),
        formulas: optional(z.array(z.string())),
        formulaNodes: optional(z.array(z.object({ formula: z.string(), custom_name: optional(z.string()) }))),
        compare: flag,
        breakdown_histogram_bin_count: optional(z.number().int().min(1).max(1000)),
      })
      .meta({ id: 'TrendsFilter' })
      .nullish()
      .transform((value) => value ?? undefined),
    breakdownFilter: breakdownFilterSchema,
    compareFilter: compareFilterSchema,
  })
  .meta({ id: 'TrendsQuery', description: 'How often something happened, over time.' })
export type TrendsQuery = z.infer<typeof trendsQuerySchema>
