import { paint } from '../lib/series-colours.ts'
import type { Plot, PlotNote, PlottedSeries } from './plot.ts'

/** What is drawn besides the series themselves: goals, trend lines, notes on buckets. */

/** Prefix of series that are drawn but are no numbers of the answer. */
const MARK = '\u0001'
export const isMark = (name: string | undefined): boolean => name?.startsWith(MARK) === true

/** A logarithmic axis has no zero and nothing below it. */
export const logged = (plot: Plot): Plot => ({
  ...plot,
  series: plot.series.map((one) => ({ ...one, data: one.data.map((value) => (value && value > 0 ? value : null)) })),
  goals: plot.goals?.filter(({ value }) => value > 0) ?? [],
})

export function marks(plot: Plot): object[] {
  return [
    ...(plot.trendLine ? plot.series.filter(({ faded }) => !faded).flatMap((one) => trendLine(one, plot)) : []),
    ...(plot.goals?.length || plot.notes?.length ? [linesAcross(plot)] : []),
  ]
}

const UNSEEN = { symbol: 'none', silent: true, tooltip: { show: false }, animation: false, z: 1 }

/** Least squares over the buckets that are complete. */
export function fitted(data: readonly (number | null)[], unfinished: boolean): number[] | null {
  const known = data
    .map((value, x) => ({ x, y: value }))
    .slice(0, unfinished && data.length > 2 ? -1 : undefined)
    .filter((point): point is { x: number; y: number } => point.y !== null)
  if (known.length < 2) return null
  const mean = (of: (point: { x: number; y: number }) => number) =>
    known.reduce((sum, point) => sum + of(point), 0) / known.length
  const [meanX, meanY] = [mean(({ x }) => x), mean(({ y }) => y)]
  const slope = mean(({ x, y }) => (x - meanX) * (y - meanY)) / mean(({ x }) => (x - meanX) ** 2)
  return data.map((_, x) => meanY + slope * (x - meanX))
}

function trendLine({ name, data, colour }: PlottedSeries, { unfinished, log }: Plot): object[] {
  const fit = fitted(data, unfinished === true)
  if (!fit) return []
  return [
    {
      ...UNSEEN,
      name: `${MARK}${name}`,
      type: 'line',
      data: fit.map((value) => (log && value <= 0 ? null : value)),
      lineStyle: { width: 1.5, type: [1, 3], cap: 'round', color: paint(colour), opacity: 0.9 },
    },
  ]
}

/** A series of its own without a line: its values keep the goals within the axis. */
function linesAcross({ goals = [], notes = [], labels }: Plot): object {
  const text = { color: paint('--ink-soft'), fontSize: 11, fontFamily: 'inherit' }
  const halo = { textBorderColor: paint('--paper'), textBorderWidth: 3 }
  return {
    ...UNSEEN,
    name: `${MARK}marks`,
    type: 'line',
    data: labels.map((_, index) => goals[index % goals.length]?.value ?? null),
    lineStyle: { opacity: 0 },
    markLine: {
      silent: true,
      symbol: 'none',
      animation: false,
      data: [
        ...goals.map(({ label, value }) => ({
          yAxis: value,
          lineStyle: { color: paint('--ink-soft'), type: [6, 4], width: 1.25 },
          label: { ...text, ...halo, position: 'insideEndTop', formatter: label },
        })),
        ...notes.map((note) => ({
          xAxis: note.at,
          lineStyle: { color: paint('--ink-faint'), type: [2, 3], width: 1 },
          label: {
            ...text,
            ...halo,
            position: 'end',
            distance: 4,
            align: sideOf(note.at / Math.max(1, labels.length - 1)),
            formatter: shortNote(note, notes.length),
          },
        })),
      ],
    },
  }
}

/** Near the edges the text stays inside. */
const sideOf = (place: number): string => (place > 0.85 ? 'right' : place < 0.1 ? 'left' : 'center')

/** Where there are many only the beginning of each is written; the tooltip has the whole text. */
function shortNote({ text }: PlotNote, count: number): string {
  const most = count > 4 ? 8 : 20
  const [line = ''] = text.split('\n')
  return line.length > most ? `${line.slice(0, most - 1)}…` : line
}
