import { number, percent, short } from '../lib/format.ts'
import { paint } from '../lib/series-colours.ts'
import { logged, marks } from './chart-marks.ts'
import { axisTip, CONTINUES, tipBox } from './chart-tip.ts'
import type { Plot, PlottedSeries } from './plot.ts'

/** Plain data: pages build options without loading the chart library. */
export type ChartOption = Record<string, unknown>

const axisText = () => ({ color: paint('--ink-faint'), fontSize: 11, fontFamily: 'inherit' })

const isWhole = (value: number | null): boolean => value === null || Number.isInteger(value)

function frame(plot: Plot, stacked = false): ChartOption {
  const { labels, series, format = short, max, log } = plot
  return {
    animationDuration: 220,
    animationDurationUpdate: 180,
    textStyle: { fontFamily: getComputedStyle(document.body).fontFamily },
    grid: { left: 0, right: 4, top: plot.notes?.length ? 30 : 12, bottom: 4, containLabel: true },
    tooltip: {
      ...tipBox(),
      trigger: 'axis',
      axisPointer: {
        type: stacked ? 'shadow' : 'line',
        lineStyle: { color: paint('--line-strong') },
        shadowStyle: { color: paint('--ink'), opacity: 0.05 },
      },
      formatter: axisTip(plot, plot.exact ?? (format === short ? number : format)),
    },
    xAxis: {
      type: 'category',
      data: [...labels],
      boundaryGap: series.some(() => stacked),
      axisLine: { lineStyle: { color: paint('--line') } },
      axisTick: { show: false },
      axisLabel: { ...axisText(), hideOverlap: true, margin: 12, ...(stacked ? {} : { alignMaxLabel: 'right' }) },
    },
    yAxis: {
      type: log ? 'log' : 'value',
      minInterval: !log && format === short && series.every(({ data }) => data.every(isWhole)) ? 1 : undefined,
      splitNumber: 4,
      ...(max === undefined ? {} : { max, interval: max / 4 }),
      axisLabel: { ...axisText(), formatter: format },
      splitLine: { lineStyle: { color: paint('--line') } },
    },
  }
}

export function lines(given: Plot, area = false): ChartOption {
  const plot = given.log ? logged(given) : given
  const { series, unfinished } = plot
  const cut = unfinished === true && plot.labels.length > 2
  const filled = series.filter(({ faded }) => !faded).length === 1
  const last = plot.labels.length - 1
  const line = ({ name, colour, faded }: PlottedSeries, data: (number | null)[]) => ({
    name,
    type: 'line',
    data,
    symbol: 'circle',
    symbolSize: 7,
    showSymbol: plot.labels.length <= 1 || plot.gaps === true,
    ...(plot.gaps ? { connectNulls: true, showAllSymbol: true, symbolSize: plot.labels.length > 60 ? 4 : 6 } : {}),
    cursor: 'pointer',
    lineStyle: { width: 2, type: faded ? [4, 4] : 'solid', opacity: faded ? 0.55 : 1, color: paint(colour) },
    itemStyle: { color: paint(colour), opacity: faded ? 0.6 : 1 },
    ...(area
      ? { stack: faded ? 'before' : 'all', areaStyle: { opacity: faded ? 0 : 0.18, color: paint(colour) } }
      : {}),
    ...(filled && !faded && !area ? { areaStyle: { color: softFill(paint(colour)) } } : {}),
    emphasis: { focus: 'series' },
  })
  return {
    ...frame(plot),
    series: [
      ...series.map((one) =>
        line(one, cut && !one.faded ? one.data.map((value, i) => (i === last ? null : value)) : [...one.data]),
      ),
      // The bucket in progress is drawn as a dotted line: a solid one would look like a drop.
      ...(cut ? series : []).map((one) => ({
        ...line(one, one.faded ? [] : one.data.map((value, i) => (i >= last - 1 ? value : null))),
        ...(area
          ? { stack: 'unfinished', areaStyle: { opacity: 0.06, color: paint(one.colour) } }
          : { areaStyle: undefined }),
        name: `${CONTINUES}${one.name}`,
        lineStyle: { width: 2, type: [2, 4], color: paint(one.colour), opacity: 0.7 },
      })),
      ...marks(plot),
    ],
  }
}

export function bars(plot: Plot, stacked = true): ChartOption {
  const last = plot.labels.length - 1
  return {
    ...frame(plot, true),
    series: [
      ...plot.series.map(({ name, data, colour, faded }) => ({
        name,
        type: 'bar',
        data: data.map((value, i) =>
          plot.unfinished && !faded && i === last ? { value, itemStyle: { color: hatched(paint(colour)) } } : value,
        ),
        ...(stacked ? { stack: faded ? 'previous' : 'current' } : {}),
        barMaxWidth: 36,
        barCategoryGap: '28%',
        cursor: 'pointer',
        itemStyle: {
          color: paint(colour),
          opacity: faded ? 0.45 : 1,
          borderRadius: stacked && plot.series.length > 1 ? 0 : [3, 3, 0, 0],
        },
        emphasis: { focus: 'series' },
      })),
      ...marks(plot),
    ],
  }
}

/** One bar below the other, the first at the top: for names that are long, or many. */
export function rows(
  labels: readonly string[],
  series: readonly {
    name: string
    colour: string
    faded?: boolean
    bars: readonly { value: number; text: string }[]
  }[],
): ChartOption {
  return {
    grid: { left: 0, right: 80, top: 12, bottom: 4, containLabel: true },
    xAxis: { type: 'value', show: false },
    yAxis: {
      type: 'category',
      inverse: true,
      data: [...labels],
      axisLine: { lineStyle: { color: paint('--line') } },
      axisTick: { show: false },
      axisLabel: { ...axisText(), fontSize: 12, color: paint('--ink'), width: 260, overflow: 'truncate' },
    },
    series: series.map(({ name, colour, faded, bars: all }) => ({
      name,
      type: 'bar',
      barMaxWidth: 28,
      data: all.map(({ value, text }) => ({ value, label: { formatter: () => text } })),
      itemStyle: { color: paint(colour), opacity: faded ? 0.45 : 1, borderRadius: [0, 3, 3, 0] },
      label: { show: true, position: 'right', color: paint('--ink'), fontSize: 12 },
    })),
  }
}

export function pie(
  items: readonly { name: string; value: number; colour: string }[],
  format: (value: number) => string = number,
): ChartOption {
  const whole = items.reduce((sum, { value }) => sum + value, 0)
  return {
    animationDuration: 220,
    tooltip: {
      ...tipBox(),
      trigger: 'item',
      formatter: ({ name, value }: { name: string; value: number }) =>
        axisTip(
          { labels: [], series: items.map((item) => ({ ...item, data: [] })) },
          (part) => `${format(part)}, ${percent(part / whole)}`,
        )([{ seriesName: name, value, axisValueLabel: '', dataIndex: 0 }]),
    },
    series: [
      {
        type: 'pie',
        radius: ['62%', '92%'],
        cursor: 'pointer',
        itemStyle: { borderColor: paint('--paper'), borderWidth: 2 },
        label: { show: false },
        emphasis: { scaleSize: 4 },
        data: items.map(({ name, value, colour }) => ({ name, value, itemStyle: { color: paint(colour) } })),
      },
    ],
  }
}

/** Stripes instead of a solid fill, for a bucket in progress. */
function hatched(colour: string): unknown {
  const size = 8
  const tile = document.createElement('canvas')
  tile.width = size
  tile.height = size
  const pen = tile.getContext('2d')
  if (!pen) return colour
  pen.globalAlpha = 0.16
  pen.fillStyle = colour
  pen.fillRect(0, 0, size, size)
  pen.globalAlpha = 0.75
  pen.strokeStyle = colour
  pen.lineWidth = 2
  for (const shift of [-size, 0, size]) {
    pen.beginPath()
    pen.moveTo(shift, size)
    pen.lineTo(shift + size, 0)
    pen.stroke()
  }
  return { image: tile, repeat: 'repeat' }
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
