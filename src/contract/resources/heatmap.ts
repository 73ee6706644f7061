/** Heatmaps: where on a page people clicked and moved the mouse, and how far they scrolled. */
import { z } from 'zod'
import { isDate, notADate } from '../../lib/parse-date.ts'
import { flag, wholeNumber } from '../fields.ts'
import { botsSchema } from '../queries/common.ts'

export const HEATMAP_TYPES = ['click', 'rageclick', 'deadclick', 'mousemove', 'scrolldepth'] as const
export type HeatmapType = (typeof HEATMAP_TYPES)[number]

const LONGEST_URL = 2_000
const WIDEST = 65_535

const date = z
  .string()
  .max(40)
  .superRefine((given, context) => {
    if (given !== 'all' && !isDate(given)) context.addIssue({ code: 'custom', message: notADate(given) })
  })
const width = wholeNumber.pipe(z.int().min(0).max(WIDEST)).optional()

const asked = {
  date_from: date.default('-7d').meta({ description: 'A date, "all", or relative to now such as "-7d".' }),
  date_to: date.optional().meta({ description: 'A day is all of it; until now when it is not said.' }),
  url_exact: z.string().min(1).max(LONGEST_URL).optional(),
  url_pattern: z.string().min(1).max(LONGEST_URL).optional().meta({
    description: 'A regular expression of whole URLs; a `*` that follows no `.` stands for any text.',
  }),
  viewport_width_min: width,
  viewport_width_max: width,
  bots: botsSchema.default('exclude').meta({ description: 'Ours: bots are left out unless this says otherwise.' }),
  filter_test_accounts: flag.default(false),
}

export const heatmapQuerySchema = z
  .object({
    type: z
      .string()
      .regex(/^[a-z_]{1,32}$/, 'Send click, rageclick, deadclick, mousemove or scrolldepth.')
      .default('click')
      .meta({ examples: [...HEATMAP_TYPES] }),
    ...asked,
    aggregation: z.enum(['total_count', 'unique_visitors']).default('total_count'),
  })
  .refine(({ viewport_width_min: min = 0, viewport_width_max: max = WIDEST }) => min <= max, {
    error: 'viewport_width_min is larger than viewport_width_max: send a smaller one.',
    path: ['viewport_width_min'],
  })
export type HeatmapQuery = z.output<typeof heatmapQuerySchema>

export const heatmapPointSchema = z
  .object({
    count: z.int(),
    pointer_y: z.int().meta({ description: 'Pixels from the top, in steps of 16.' }),
    pointer_relative_x: z.number().meta({ description: 'From 0, the left edge, to 1, the right edge of the window.' }),
    pointer_target_fixed: z.boolean().meta({ description: 'The element does not move when the page is scrolled.' }),
  })
  .meta({ id: 'HeatmapPoint' })
export type HeatmapPoint = z.infer<typeof heatmapPointSchema>

export const scrollDepthSchema = z
  .object({
    scroll_depth_bucket: z.int().meta({ description: 'Pixels from the top, in steps of 100.' }),
    bucket_count: z.int().meta({ description: 'Who saw the page down to here and no further.' }),
    cumulative_count: z.int().meta({ description: 'Who saw the page down to here at least.' }),
  })
  .meta({ id: 'ScrollDepth' })
export type ScrollDepth = z.infer<typeof scrollDepthSchema>

export const heatmapSchema = z
  .object({ results: z.union([z.array(heatmapPointSchema), z.array(scrollDepthSchema)]) })
  .meta({ id: 'Heatmap', description: 'Points, or how far people scrolled when the type is scrolldepth.' })
export type Heatmap = z.infer<typeof heatmapSchema>

export const heatmapPagesQuerySchema = z.object({
  ...asked,
  search: z.string().max(LONGEST_URL).optional(),
  limit: wholeNumber.pipe(z.int().min(1).max(200)).default(50),
})
export type HeatmapPagesQuery = z.output<typeof heatmapPagesQuerySchema>

export const heatmapPageSchema = z
  .object({
    url: z.string().meta({ description: 'Without what follows ? or #.' }),
    points: z.int(),
    visitors: z.int(),
    types: z.record(z.string(), z.int()).meta({ description: 'How many points of each type.' }),
  })
  .meta({ id: 'HeatmapPage' })
export type HeatmapPage = z.infer<typeof heatmapPageSchema>
export const heatmapPagesSchema = z
  .object({ results: z.array(heatmapPageSchema), has_more: z.boolean() })
  .meta({ id: 'HeatmapPages' })
export type HeatmapPages = z.infer<typeof heatmapPagesSchema>

export const heatmapWidthsSchema = z
  .object({
    results: z.array(
      z.object({
        viewport_width: z.int().meta({ description: 'In steps of 16 pixels.' }),
        points: z.int(),
        visitors: z.int(),
      }),
    ),
  })
  .meta({ id: 'HeatmapWidths', description: 'How wide the windows were.' })
export type HeatmapWidths = z.infer<typeof heatmapWidthsSchema>

export const heatmapFrameQuerySchema = z.object({
  url: z.string().min(1).max(LONGEST_URL).meta({ description: 'What follows ? or # may differ in the recording.' }),
  width: wholeNumber.pipe(z.int().min(1).max(WIDEST)),
})

/** Where in which recording a page can be seen: a player that is given the events from `start` on shows it at `end`. */
export const heatmapFrameSchema = z
  .object({
    session_id: z.string(),
    window_id: z.string(),
    url: z.string(),
    width: z.int(),
    height: z.int(),
    start: z.number().meta({ description: 'Milliseconds since 1970, as the snapshots of the recording take them.' }),
    end: z.number(),
  })
  .meta({ id: 'HeatmapFrame' })
export type HeatmapFrame = z.infer<typeof heatmapFrameSchema>

export const heatmapFramesSchema = z
  .object({ frame: heatmapFrameSchema.nullable().meta({ description: 'Null when no recording shows the page.' }) })
  .meta({ id: 'HeatmapFrameAnswer' })
