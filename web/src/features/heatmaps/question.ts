import { LAST_7_DAYS } from '../../lib/usual-ranges.ts'
import type { Band, HeatmapSearch, HeatmapType } from './search.ts'

export const TYPE_NAMES: Record<HeatmapType, { label: string; one: string; many: string }> = {
  click: { label: 'Clicks', one: 'click', many: 'clicks' },
  rageclick: { label: 'Rage clicks', one: 'rage click', many: 'rage clicks' },
  deadclick: { label: 'Dead clicks', one: 'dead click', many: 'dead clicks' },
  mousemove: { label: 'Mouse moves', one: 'mouse move', many: 'mouse moves' },
  scrolldepth: { label: 'Scroll depth', one: 'page view', many: 'page views' },
}

/** Widths of windows that see a page much alike. */
export const BAND_WIDTHS: Record<Band, { label: string; min: number; max: number }> = {
  phone: { label: 'Phones, up to 480 px', min: 0, max: 480 },
  tablet: { label: 'Tablets, 481 to 1024 px', min: 481, max: 1_024 },
  computer: { label: 'Computers, from 1025 px', min: 1_025, max: 65_535 },
}

export const datesOf = ({ from = LAST_7_DAYS, to }: HeatmapSearch) => ({ date_from: from, date_to: to })

/** All points of a page: what follows ? or # makes no other page. */
export const askedOf = (search: HeatmapSearch, page: string) => ({
  ...datesOf(search),
  url_pattern: `${escaped(page)}([?#].*)?`,
  type: search.type ?? 'click',
})

export const inBand = (band: Band | undefined) =>
  band === undefined ? {} : { viewport_width_min: BAND_WIDTHS[band].min, viewport_width_max: BAND_WIDTHS[band].max }

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

interface WidthCount {
  readonly viewport_width: number
  readonly visitors: number
}

/** The width most visitors had, among those of a band; undefined when there was none. */
export function commonWidth(widths: readonly WidthCount[], band: Band | undefined): number | undefined {
  const { min, max } = band === undefined ? { min: 0, max: Number.POSITIVE_INFINITY } : BAND_WIDTHS[band]
  const fitting = widths.filter(({ viewport_width: width }) => width >= min && width <= max)
  return fitting.toSorted((one, other) => other.visitors - one.visitors)[0]?.viewport_width
}

/** `site.test/prices`, which is enough to know a page by. */
export const pageName = (url: string): string => url.replace(/^https?:\/\//, '').replace(/(?<=.)\/$/, '')
