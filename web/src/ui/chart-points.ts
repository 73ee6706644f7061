import { number } from '../lib/format.ts'
import { isMark } from './chart-marks.ts'
import type { ChartOption } from './chart-options.ts'
import { CONTINUES } from './chart-tip.ts'

/** The points of a chart in an order that arrow keys can follow: those of a series lie beside each other. */
export interface ChartPoint {
  readonly seriesIndex: number
  readonly dataIndex: number
  readonly name: string
  readonly data: unknown
  /** What a screen reader says of it. */
  readonly words: string
}

interface OptionSeries {
  readonly name?: string
  readonly type?: string
  readonly data?: readonly unknown[]
  readonly links?: readonly { readonly source: string; readonly target: string; readonly value: number }[]
}

const STEP = /^\d+_/

export function pointsOf(option: ChartOption): ChartPoint[][] {
  const { series = [], xAxis } = option as { series?: readonly OptionSeries[]; xAxis?: { data?: readonly string[] } }
  const [first] = series
  if (first?.links) return [linksOf(first.links)]
  if (first?.type === 'pie') return [partsOf(first.data ?? [])]
  const rows = new Map<string, ChartPoint[]>()
  series.forEach(({ name = '', data = [] }, seriesIndex) => {
    if (isMark(name)) return
    // The dotted end of a series adds the points that the series itself leaves out.
    const own = name.startsWith(CONTINUES) ? name.slice(CONTINUES.length) : name
    const row = rows.get(own) ?? []
    rows.set(own, row)
    data.forEach((item, dataIndex) => {
      const value = numberOf(item)
      if (value === null || row.some((point) => point.dataIndex === dataIndex)) return
      const words = [xAxis?.data?.[dataIndex], `${own}: ${number(value)}`].filter(Boolean).join(', ')
      row.push({ seriesIndex, dataIndex, name: own, data: item, words })
    })
  })
  return [...rows.values()].filter((row) => row.length > 0)
}

function numberOf(item: unknown): number | null {
  if (typeof item === 'number') return item
  return typeof item === 'object' && item !== null && 'value' in item ? numberOf(item.value) : null
}

const linksOf = (links: NonNullable<OptionSeries['links']>): ChartPoint[] =>
  links.map((link, dataIndex) => ({
    seriesIndex: 0,
    dataIndex,
    name: '',
    data: link,
    words: `${link.source.replace(STEP, '')} to ${link.target.replace(STEP, '')}: ${number(link.value)}`,
  }))

const partsOf = (parts: readonly unknown[]): ChartPoint[] =>
  parts.flatMap((part, dataIndex) => {
    const value = numberOf(part)
    const name = typeof part === 'object' && part !== null && 'name' in part ? String(part.name) : ''
    return value === null ? [] : [{ seriesIndex: 0, dataIndex, name, data: part, words: `${name}: ${number(value)}` }]
  })

/** Where a key leads from a point; undefined for keys that lead nowhere. Without a point, to the last one. */
export function pointAfter(rows: readonly ChartPoint[][], at: ChartPoint | undefined, key: string) {
  const index = Math.max(
    0,
    rows.findIndex((row) => at !== undefined && row.includes(at)),
  )
  const row = rows[index] ?? []
  const place = at ? row.indexOf(at) : row.length
  switch (key) {
    case 'ArrowLeft':
      return row[Math.max(0, place - 1)]
    case 'ArrowRight':
      return row[Math.min(row.length - 1, place + 1)]
    case 'Home':
      return row[0]
    case 'End':
      return row.at(-1)
    case 'ArrowUp':
    case 'ArrowDown': {
      const other = rows[(index + (key === 'ArrowDown' ? 1 : rows.length - 1)) % rows.length] ?? row
      return other.find((point) => point.dataIndex === at?.dataIndex) ?? other.at(-1)
    }
    default:
      return undefined
  }
}
