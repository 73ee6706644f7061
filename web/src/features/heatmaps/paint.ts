/** How points become a picture. Pure: what goes to the canvas is decided here. */
import type { HeatmapPoint, ScrollDepth } from '../../api/contract.ts'

/** From few to many; each stop is where its colour is reached, in light and dark alike: it lies on a page. */
const STOPS: readonly [at: number, red: number, green: number, blue: number][] = [
  [0, 0, 60, 255],
  [0.35, 0, 190, 220],
  [0.55, 40, 200, 60],
  [0.75, 255, 220, 0],
  [1, 235, 40, 20],
]

export type Colour = readonly [red: number, green: number, blue: number]

/** The colour of a share between 0 and 1. */
export function heatColour(share: number): Colour {
  const at = Math.min(1, Math.max(0, share))
  const next = Math.max(
    1,
    STOPS.findIndex(([stop]) => stop >= at),
  )
  const [from, ...low] = STOPS[next - 1] as (typeof STOPS)[number]
  const [to, ...high] = STOPS[next] as (typeof STOPS)[number]
  const part = (at - from) / (to - from)
  const mixed = low.map((value, i) => Math.round(value + ((high[i] as number) - value) * part))
  return mixed as unknown as Colour
}

export interface Spot {
  readonly x: number
  readonly y: number
  /** Between 0 and 1: how much of the heat of the hottest place. */
  readonly weight: number
}

/**
 * Where points lie on a sheet of this width, and how hot they are. A few places have most of the points, so heat grows
 * with the root of their number: the others stay visible.
 */
export function spotsOf(points: readonly HeatmapPoint[], width: number): Spot[] {
  const most = points.reduce((max, { count }) => Math.max(max, count), 1)
  return points
    .filter(({ pointer_y: y }) => y >= 0)
    .map(({ pointer_relative_x: x, pointer_y: y, count }) => ({ x: x * width, y, weight: Math.sqrt(count / most) }))
}

/** Down to where there is something to draw. */
export const depthOf = (points: readonly HeatmapPoint[], depths: readonly ScrollDepth[]): number =>
  Math.max(
    600,
    ...points.slice(0, 10_000).map(({ pointer_y: y }) => y + 200),
    ...depths.slice(-1).map(({ scroll_depth_bucket: bucket }) => bucket + 100),
  )

export interface ScrollBand {
  readonly from: number
  readonly to: number
  /** Of those who saw the page, who saw this part. */
  readonly share: number
}

/** The page from top to bottom, in bands that the same share of visitors saw. */
export function scrollBands(depths: readonly ScrollDepth[], height: number): ScrollBand[] {
  const all = depths[0]?.cumulative_count ?? 0
  if (all === 0) return []
  const bands: ScrollBand[] = []
  let from = 0
  for (const { scroll_depth_bucket: bucket, cumulative_count: count } of depths) {
    const to = Math.min(height, bucket + 100)
    if (to > from) bands.push({ from, to, share: count / all })
    from = Math.max(from, to)
  }
  if (from < height) bands.push({ from, to: height, share: 0 })
  return bands
}

/** Down to where at least this share of visitors saw the page. */
export const reachOf = (bands: readonly ScrollBand[], share: number): number =>
  bands.findLast((band) => band.share >= share)?.to ?? 0
