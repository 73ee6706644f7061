import { useCallback } from 'react'
import { useDoors } from '../../doors/use-doors.ts'
import { number, short } from '../../lib/format.ts'
import { breakdownName, eventName } from '../../lib/names.ts'
import { colourIndexes, cssColour } from '../../lib/series-colours.ts'
import { Chart } from '../../ui/chart.tsx'
import { bars, lines, pie, ranking } from '../../ui/chart-options.ts'
import { EmptyState } from '../../ui/states.tsx'
import { type Twin, TwinTable } from '../twin.tsx'
import type { TrendSeries, ViewProps } from './types.ts'
import './views.css'

export function TrendsView(props: ViewProps<TrendSeries[]>) {
  const { draft, answer, height, compact } = props
  const open = useTrendDoor(props)
  const series = answer.results
  const display = draft.display ?? 'line'
  const unfinished = draft.to === undefined && display !== 'cumulative'
  const plotted = useCallback(() => optionFor(display, series, unfinished), [display, series, unfinished])
  if (series.length === 0)
    return (
      <EmptyState icon="trends" title="Nothing happened">
        No such event in this time. Try a longer range or fewer filters.
      </EmptyState>
    )
  const colours = coloursOf(series)
  return (
    <div className="view">
      {display === 'number' ? (
        <Numbers series={series} height={height} open={open} />
      ) : display === 'table' ? null : (
        <Chart
          label={`${series.map(nameOf).join(', ')} over time`}
          height={display === 'ranking' ? Math.max(height * 0.6, series.length * 34) : height}
          option={plotted}
          onPick={({ seriesIndex, dataIndex }) =>
            isTotal(display) ? open(dataIndex, null) : open(seriesIndex % series.length, dataIndex)
          }
        />
      )}
      {!isTotal(display) && (
        <Legend
          items={series.map((one, index) => ({
            name: nameOf(one),
            colour: colours[index] ?? 0,
            faded: one.compare_label === 'previous',
          }))}
        />
      )}
      {(!compact || display === 'table') && <TwinTable twin={trendsTwin(series, open)} />}
    </div>
  )
}

const isTotal = (display: string): boolean => ['number', 'pie', 'ranking', 'table'].includes(display)

export const nameOf = (series: TrendSeries): string => {
  const base =
    series.action?.custom_name ||
    (series.action?.id ? eventName(series.action.id) : series.action ? 'Any event' : series.label)
  const broken = series.breakdown_value === undefined ? '' : breakdownName(series.breakdown_value)
  const name = broken ? (isOnly(series) ? broken : `${base} · ${broken}`) : base
  return series.compare_label === 'previous' ? `${name} (before)` : name
}
const isOnly = (series: TrendSeries): boolean => (series.action?.order ?? 0) === 0

/** The period before has the colours of this one. */
function coloursOf(series: readonly TrendSeries[]): number[] {
  const current = series.filter(({ compare_label }) => compare_label !== 'previous')
  const before = series.filter(({ compare_label }) => compare_label === 'previous')
  const colours = colourIndexes(current.map(nameOf))
  return series.map(
    (one) => colours[one.compare_label === 'previous' ? before.indexOf(one) : current.indexOf(one)] ?? 0,
  )
}

function optionFor(display: string, series: readonly TrendSeries[], unfinished: boolean) {
  const colours = coloursOf(series).map((index) => `--s${index + 1}`)
  const items = series.map((one, index) => ({
    name: nameOf(one),
    value: totalOf(one),
    colour: colours[index] ?? '--s1',
  }))
  if (display === 'pie') return pie(items)
  // Rows carry their names: one colour is calmer.
  if (display === 'ranking') return ranking(items.map((item) => ({ ...item, colour: '--s1' })))
  const plot = {
    labels: shortLabels(series[0]?.days ?? series[0]?.labels ?? []),
    series: series.map((one, index) => ({
      name: nameOf(one),
      data: one.data ?? [],
      colour: colours[index] ?? '--s1',
      faded: one.compare_label === 'previous',
    })),
    unfinished,
  }
  return display === 'bar' ? bars(plot) : lines(plot, display === 'area')
}

export const totalOf = (series: TrendSeries): number => series.aggregated_value ?? series.count

/** "3 Nov", or with the hour where buckets are hours. */
export function shortLabels(days: readonly string[]): string[] {
  return days.map((day) => {
    const found = /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2}))?/.exec(day)
    if (!found) return day
    const month = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'][
      Number(found[2]) - 1
    ]
    const date = `${Number(found[3])} ${month}`
    return found[4] && !days.every((other) => / 00:00|T00:00/.test(other)) ? `${date} ${found[4]}:${found[5]}` : date
  })
}

export function trendsTwin(
  series: readonly TrendSeries[],
  open?: (series: number, bucket: number | null) => void,
): Twin {
  const labels = uniqueLabels(shortLabels(series[0]?.days ?? series[0]?.labels ?? []))
  const colours = coloursOf(series)
  return {
    label: 'The numbers of the chart',
    head: ['Series', 'Total', ...labels],
    rows: series.map((one, index) => ({
      key: `${index}/${nameOf(one)}`,
      name: nameOf(one),
      colour: colours[index] ?? 0,
      cells: [totalOf(one), ...(one.data ?? [])],
      open: open && one.action ? (cell) => open(index, cell === 0 ? null : cell - 1) : undefined,
    })),
  }
}

const uniqueLabels = (labels: readonly string[]): string[] =>
  labels.map((label, index) => (labels.indexOf(label) === index ? label : `${label} (${index + 1})`))

/** From a point to the people who made it. */
export function useTrendDoor({ draft, node, answer }: Pick<ViewProps<TrendSeries[]>, 'draft' | 'node' | 'answer'>) {
  const doors = useDoors()
  return (index: number, bucket: number | null) => {
    const series = answer.results[index]
    if (!series?.action) return
    const day = bucket === null ? undefined : series.days?.[bucket]
    doors.open({
      to: 'people',
      title: [nameOf(series), day ? shortLabels([day])[0] : null].filter(Boolean).join(', '),
      source: {
        kind: 'InsightActorsQuery',
        source: node,
        series: series.action.order ?? 0,
        includeRecordings: true,
        ...(day ? { day } : {}),
        ...(series.breakdown_value === undefined || series.breakdown_value === null || !draft.breakdown
          ? {}
          : { breakdown: series.breakdown_value }),
        ...(series.compare_label ? { compare: series.compare_label } : {}),
        ...(series.status ? { status: series.status } : {}),
      },
    })
  }
}

export function Legend({ items }: { items: { name: string; colour: number; faded?: boolean }[] }) {
  if (items.length < 2) return null
  return (
    <ul className="legend">
      {items.slice(0, 12).map(({ name, colour, faded }) => (
        <li key={name} className="row tiny">
          <span className={`legend-dot ${faded ? 'legend-faded' : ''}`} style={{ background: cssColour(colour) }} />
          {name}
        </li>
      ))}
    </ul>
  )
}

function Numbers({
  series,
  height,
  open,
}: {
  series: readonly TrendSeries[]
  height: number
  open: (series: number, bucket: number | null) => void
}) {
  return (
    <div className="numbers" style={{ minHeight: height * 0.5 }}>
      {series.slice(0, 8).map((one, index) => (
        <button
          key={nameOf(one)}
          type="button"
          className="number-face"
          onClick={() => open(index, null)}
          title={number(totalOf(one))}
        >
          <span className="number-value">{short(totalOf(one))}</span>
          <span className="soft small">{nameOf(one)}</span>
        </button>
      ))}
    </div>
  )
}
