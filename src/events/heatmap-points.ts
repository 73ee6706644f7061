/**
 * What `$heatmap_data` of an event says: where on a page somebody clicked or moved the mouse. How far a page was
 * scrolled is told by the event that follows it, and is a point of the type `scrolldepth`.
 */
import { isObject, type Json, type JsonObject } from '../lib/json.ts'

/** Carries nothing but points: it is not stored as an event. */
export const HEATMAP_EVENT = '$$heatmap'

/** In CSS pixels from the top left of the page, or of the window when the element stands still in it. */
export interface HeatmapPoint {
  readonly url: string
  readonly type: string
  readonly x: number
  readonly y: number
  readonly fixed: boolean
  readonly width: number
  readonly height: number
}

export interface FoundPoints {
  readonly points: readonly HeatmapPoint[]
  /** How many parts of the data could not be used, and why the first could not. */
  readonly invalid: number
  readonly why: string | null
}

const MOST_POINTS = 5_000
const LONGEST_URL = 2_000
const FURTHEST = 2 ** 31 - 1
const WIDEST = 65_535
const TYPE = /^[a-z_]{1,32}$/
const NONE: FoundPoints = { points: [], invalid: 0, why: null }

export function heatmapPoints(properties: JsonObject): FoundPoints {
  const { $heatmap_data: data, $prev_pageview_max_scroll: scrolled } = properties
  if (data === undefined && scrolled === undefined) return NONE
  const width = sizeOf(properties.$viewport_width)
  const height = sizeOf(properties.$viewport_height)
  if (width === null || height === null)
    return data === undefined ? NONE : unusable('$viewport_width and $viewport_height are not positive numbers')
  const found = data === undefined ? [] : [...pointsIn(data, width, height)]
  const points = found.filter((each) => typeof each !== 'string')
  const problems = found.filter((each) => typeof each === 'string')
  const depth = scrollDepth(properties, width, height)
  if (depth !== null) points.push(depth)
  return { points, invalid: problems.length, why: problems[0] ?? null }
}

const unusable = (why: string): FoundPoints => ({ points: [], invalid: 1, why })

/** Points, and a text for each part that is none. */
function* pointsIn(data: Json, width: number, height: number): Generator<HeatmapPoint | string> {
  if (!isObject(data)) return yield '$heatmap_data is not an object of lists by URL'
  let left = MOST_POINTS
  for (const [address, items] of Object.entries(data)) {
    const url = address.slice(0, LONGEST_URL).toWellFormed()
    if (url === '' || !Array.isArray(items)) {
      yield 'the points of a URL are not a list'
      continue
    }
    for (const item of items) {
      if (left-- <= 0) return yield `more than ${MOST_POINTS} points in one event`
      yield pointOf(item, url, width, height) ?? 'a point is not {x, y, type}'
    }
  }
}

function pointOf(item: Json, url: string, width: number, height: number): HeatmapPoint | null {
  if (!isObject(item)) return null
  const { x, y, type = 'click', target_fixed } = item
  const [left, top] = [pixelsOf(x), pixelsOf(y)]
  if (left === null || top === null || typeof type !== 'string' || !TYPE.test(type)) return null
  return { url, type, x: left, y: top, fixed: target_fixed === true, width, height }
}

function scrollDepth(properties: JsonObject, width: number, height: number): HeatmapPoint | null {
  const { $prev_pageview_max_scroll, $prev_pageview_pathname: path, $current_url: current } = properties
  const y = pixelsOf($prev_pageview_max_scroll)
  if (y === null || typeof path !== 'string' || typeof current !== 'string' || !URL.canParse(path, current)) return null
  const url = new URL(path, current).href.slice(0, LONGEST_URL).toWellFormed()
  return { url, type: 'scrolldepth', x: 0, y, fixed: false, width, height }
}

const numberOf = (value: Json | undefined): number => (typeof value === 'number' ? value : Number.NaN)

function pixelsOf(value: Json | undefined): number | null {
  const pixels = Math.round(numberOf(value))
  return Math.abs(pixels) <= FURTHEST ? pixels : null
}

function sizeOf(value: Json | undefined): number | null {
  const size = Math.round(numberOf(value))
  return size > 0 && size <= WIDEST ? size : null
}
