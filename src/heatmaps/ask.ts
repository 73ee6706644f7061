/** The questions people ask of heatmaps. */
import type {
  Heatmap,
  HeatmapPage,
  HeatmapPages,
  HeatmapPagesQuery,
  HeatmapPoint,
  HeatmapQuery,
  HeatmapWidths,
  ScrollDepth,
} from '../contract/resources/heatmap.ts'
import { type Fragment, sql, str, uint } from '../engines/clickhouse/index.ts'
import { type HeatmapContext, readQuestion, visitorsOf } from './question.ts'

/** A page of ten thousand pixels at every percent of its width is less than this. */
const MOST_POINTS = 100_000
const MOST_BUCKETS = 10_000
const MOST_WIDTHS = 500

export async function readHeatmap(context: HeatmapContext, asked: HeatmapQuery): Promise<Heatmap> {
  const { where, runner } = await readQuestion(context, asked)
  const { visitor, from } = visitorsOf(context)
  const count = asked.aggregation === 'unique_visitors' ? sql`uniqExact(${visitor})` : sql`count()`
  const ofType = sql`h.type = ${str(asked.type)} AND ${where}`
  if (asked.type === 'scrolldepth')
    return { results: withTotals(await runner.ask<Bucket>(depthStatement(from, ofType, count))) }
  const rows = await runner.ask<Omit<HeatmapPoint, 'pointer_target_fixed'> & { fixed: number }>(sql`
    SELECT toInt32(${count}) AS count, toInt32(round(h.y / 16) * 16) AS pointer_y,
      round(h.x / h.viewport_width, 2) AS pointer_relative_x, h.target_fixed AS fixed
    FROM ${from} WHERE ${ofType}
    GROUP BY pointer_y, pointer_relative_x, fixed
    ORDER BY count DESC, pointer_y, pointer_relative_x, fixed LIMIT ${uint(MOST_POINTS)}`)
  return { results: rows.map(({ fixed, ...point }) => ({ ...point, pointer_target_fixed: fixed === 1 })) }
}

interface Bucket {
  readonly bucket: number
  readonly count: number
}

/** A page was seen down to the lower edge of the window. */
const depthStatement = (from: Fragment, where: Fragment, count: Fragment): Fragment => sql`
  SELECT toInt32(intDiv(greatest(h.y, 0) + h.viewport_height, 100) * 100) AS bucket, toInt32(${count}) AS count
  FROM ${from} WHERE ${where} GROUP BY bucket ORDER BY bucket LIMIT ${uint(MOST_BUCKETS)}`

/** Whoever saw a deeper part has seen this one. */
function withTotals(buckets: readonly Bucket[]): ScrollDepth[] {
  let total = 0
  return buckets
    .toReversed()
    .map(({ bucket, count }) => {
      total += count
      return { scroll_depth_bucket: bucket, bucket_count: count, cumulative_count: total }
    })
    .reverse()
}

/** Pages that have points, most visited first. What follows ? or # makes no other page. */
export async function readHeatmapPages(context: HeatmapContext, asked: HeatmapPagesQuery): Promise<HeatmapPages> {
  const { where, runner } = await readQuestion(context, asked)
  const { visitor, from } = visitorsOf(context)
  const found = asked.search ? sql`positionCaseInsensitiveUTF8(h.url, ${str(asked.search)}) > 0` : sql`1`
  const rows = await runner.ask<HeatmapPage>(sql`
    SELECT cutQueryStringAndFragment(h.url) AS url, toInt32(count()) AS points, toInt32(uniqExact(${visitor})) AS visitors,
      CAST(sumMap([toString(h.type)], [toInt64(1)]), 'Map(String, Int32)') AS types
    FROM ${from} WHERE ${where} AND ${found}
    GROUP BY url ORDER BY visitors DESC, points DESC, url LIMIT ${uint(asked.limit + 1)}`)
  return { results: rows.slice(0, asked.limit), has_more: rows.length > asked.limit }
}

/** How wide the windows were in which the page was seen. */
export async function readHeatmapWidths(context: HeatmapContext, asked: HeatmapQuery): Promise<HeatmapWidths> {
  const { where, runner } = await readQuestion(context, asked)
  const { visitor, from } = visitorsOf(context)
  const results = await runner.ask<HeatmapWidths['results'][number]>(sql`
    SELECT toInt32(round(h.viewport_width / 16) * 16) AS viewport_width, toInt32(count()) AS points,
      toInt32(uniqExact(${visitor})) AS visitors
    FROM ${from} WHERE h.type = ${str(asked.type)} AND ${where}
    GROUP BY viewport_width ORDER BY viewport_width LIMIT ${uint(MOST_WIDTHS)}`)
  return { results }
}
