import { number, short } from '../lib/format.ts'
import { paint } from '../lib/series-colours.ts'

/** Plain data: pages build options without loading the chart library. */
export type ChartOption = Record<string, unknown>

export interface PlottedSeries {
  name: string
  data: readonly (number | null)[]
  /** A CSS variable, such as --s1. */
  colour: string
  /** The previous period: same colour, dashed and pale. */
  faded?: boolean
}

interface Plot {
  labels: readonly string[]
  series: readonly PlottedSeries[]
  format?: ((value: number) => string) | undefined
  /** The end of the scale, where it is known: 100%. */
  max?: number
  /** The last point is not over yet: drawn dashed. */
  unfinished?: boolean
}

const axisText = () => ({ color: paint('--ink-faint'), fontSize: 11, fontFamily: 'inherit' })

export function frame({ labels, series, format = short, max }: Plot, stacked = false): ChartOption {
  return {
    animationDuration: 220,
    animationDurationUpdate: 180,
    textStyle: { fontFamily: getComputedStyle(document.body).fontFamily },
    grid: { left: 4, right: 12, top: 12, bottom: 4, containLabel: true },
    tooltip: {
      trigger: 'axis',
      confine: true,
      axisPointer: {
        type: stacked ? 'shadow' : 'line',
        lineStyle: { color: paint('--line-strong') },
        shadowStyle: { opacity: 0.3 },
      },
      backgroundColor: paint('--paper'),
      borderColor: paint('--line-strong'),
      padding: [8, 10],
      textStyle: { color: paint('--ink'), fontSize: 12 },
      extraCssText: 'box-shadow: 0 4px 16px rgb(0 0 0 / 0.12); border-radius: 8px;',
      formatter: (points: TipPoint[]) => tip(points, format === short ? number : format),
    },
    xAxis: {
      type: 'category',
      data: [...labels],
      boundaryGap: series.some(() => stacked),
      axisLine: { lineStyle: { color: paint('--line') } },
      axisTick: { show: false },
      axisLabel: { ...axisText(), hideOverlap: true, margin: 12 },
    },
    yAxis: {
      type: 'value',
      minInterval: format === short ? 1 : undefined,
      splitNumber: 4,
      ...(max === undefined ? {} : { max, interval: max / 4 }),
      axisLabel: { ...axisText(), formatter: format },
      splitLine: { lineStyle: { color: paint('--line') } },
    },
  }
}

export function lines(plot: Plot, area = false): ChartOption {
  const { series, unfinished } = plot
  const cut = unfinished === true && !area && plot.labels.length > 2
  const filled = series.filter(({ faded }) => !faded).length === 1
  const last = plot.labels.length - 1
  const line = ({ name, colour, faded }: PlottedSeries, data: (number | null)[]) => ({
    name,
    type: 'line',
    data,
    symbol: 'circle',
    symbolSize: 7,
    showSymbol: plot.labels.length <= 1,
    cursor: 'pointer',
    lineStyle: { width: 2, type: faded ? [4, 4] : 'solid', opacity: faded ? 0.55 : 1, color: paint(colour) },
    itemStyle: { color: paint(colour), opacity: faded ? 0.6 : 1 },
    ...(area ? { stack: 'all', areaStyle: { opacity: 0.18, color: paint(colour) } } : {}),
    ...(filled && !faded && !area ? { areaStyle: { color: softFill(paint(colour)) } } : {}),
    emphasis: { focus: 'series' },
  })
  return {
    ...frame(plot),
    series: [
      ...series.map((one) =>
        line(one, cut && !one.faded ? one.data.map((value, i) => (i === last ? null : value)) : [...one.data]),
      ),
      // The bucket that is not over yet hangs on by a dotted line, instead of a fall that is none.
      ...(cut ? series : []).map((one) => ({
        ...line(one, one.faded ? [] : one.data.map((value, i) => (i >= last - 1 ? value : null))),
        name: `${UNFINISHED}${one.name}`,
        areaStyle: undefined,
        lineStyle: { width: 2, type: [2, 4], color: paint(one.colour), opacity: 0.7 },
      })),
    ],
  }
}

const UNFINISHED = '\u0000'

export function bars(plot: Plot, stacked = true): ChartOption {
  return {
    ...frame(plot, true),
    series: plot.series.map(({ name, data, colour, faded }) => ({
      name,
      type: 'bar',
      data: [...data],
      ...(stacked ? { stack: faded ? 'previous' : 'current' } : {}),
      barMaxWidth: 36,
      itemStyle: { color: paint(colour), opacity: faded ? 0.45 : 1, borderRadius: stacked ? 0 : [3, 3, 0, 0] },
      emphasis: { focus: 'series' },
    })),
  }
}

/** One bar a row, longest first: totals by breakdown. */
export function ranking(
  items: readonly { name: string; value: number; colour: string }[],
  format: (value: number) => string = number,
): ChartOption {
  const plot = { labels: [], series: [] }
  return {
    ...frame(plot, true),
    grid: { left: 4, right: 48, top: 4, bottom: 4, containLabel: true },
    tooltip: { show: false },
    xAxis: { type: 'value', show: false },
    yAxis: {
      type: 'category',
      inverse: true,
      data: items.map(({ name }) => name),
      axisLine: { show: false },
      axisTick: { show: false },
      axisLabel: { color: paint('--ink'), fontSize: 12, width: 180, overflow: 'truncate' },
    },
    series: [
      {
        type: 'bar',
        barMaxWidth: 24,
        label: {
          show: true,
          position: 'right',
          color: paint('--ink-soft'),
          formatter: ({ value }: { value: number }) => format(value),
        },
        data: items.map(({ value, colour }) => ({
          value,
          itemStyle: { color: paint(colour), borderRadius: [0, 3, 3, 0] },
        })),
      },
    ],
  }
}

export function pie(items: readonly { name: string; value: number; colour: string }[]): ChartOption {
  return {
    tooltip: {
      trigger: 'item',
      confine: true,
      valueFormatter: number,
      backgroundColor: paint('--paper'),
      borderColor: paint('--line-strong'),
      textStyle: { color: paint('--ink'), fontSize: 12 },
    },
    series: [
      {
        type: 'pie',
        radius: ['48%', '76%'],
        itemStyle: { borderColor: paint('--paper'), borderWidth: 2 },
        label: { color: paint('--ink'), formatter: '{b}  {d}%' },
        data: items.map(({ name, value, colour }) => ({ name, value, itemStyle: { color: paint(colour) } })),
      },
    ],
  }
}

interface TipPoint {
  seriesName: string
  value: number | null
  color: string
  axisValueLabel: string
}

function tip(points: TipPoint[], format: (value: number) => string): HTMLElement {
  const box = document.createElement('div')
  box.className = 'tip'
  const head = document.createElement('strong')
  head.textContent = points[0]?.axisValueLabel ?? ''
  box.append(head)
  const sorted = unique(points).sort((a, b) => (b.value ?? 0) - (a.value ?? 0))
  for (const { seriesName, value, color } of sorted.slice(0, 12)) {
    const row = document.createElement('div')
    row.className = 'tip-row'
    const name = document.createElement('span')
    const dot = document.createElement('span')
    dot.className = 'tip-dot'
    dot.style.background = color
    name.append(dot, seriesName)
    const text = document.createElement('span')
    text.textContent = value === null || value === undefined ? '–' : format(value)
    row.append(name, text)
    box.append(row)
  }
  return box
}

/** A point of the dotted end stands for its series only where the series itself has none. */
function unique(points: readonly TipPoint[]): TipPoint[] {
  const isThere = ({ value }: TipPoint) => value !== null && value !== undefined
  const there = new Set(points.filter(isThere).map(({ seriesName }) => seriesName))
  return points
    .filter(
      (point) => isThere(point) && !(point.seriesName.startsWith(UNFINISHED) && there.has(point.seriesName.slice(1))),
    )
    .map((point) =>
      point.seriesName.startsWith(UNFINISHED) ? { ...point, seriesName: `${point.seriesName.slice(1)} so far` } : point,
    )
}

const softFill = (colour: string) => ({
  type: 'linear',
  x: 0,
  y: 0,
  x2: 0,
  y2: 1,
  colorStops: [
    { offset: 0, color: `${colour}2e` },
    { offset: 1, color: `${colour}00` },
  ],
})
