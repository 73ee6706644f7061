import { useCallback, useState } from 'react'
import { previousRange } from '../../../lib/ranges.ts'
import { Chart } from '../../../ui/chart.tsx'
import { bars, lines } from '../../../ui/chart-options.ts'
import { EmptyState } from '../../../ui/states.tsx'
import { usePanels } from '../../panels/index.ts'
import type { Node } from '../answer.ts'
import { DataTable, type TableData } from '../data-table.tsx'
import { type Draft, defaultFrom } from '../draft.ts'
import { type Room, useRoom } from '../room.tsx'
import { shortLabels, uniqueLabels } from './labels.ts'
import { Legend } from './legend.tsx'
import { coloursOf, nameOf, namesOf, totalOf } from './series-names.ts'
import { meanOf, whyNoSum } from './sums.ts'
import { Numbers, Pie, Ranking } from './totals.tsx'
import type { ChartSeries, ViewProps } from './types.ts'
import './views.css'

export function TrendsView(props: ViewProps<'TrendsQuery'>) {
  const { draft, answer, height, compact } = props
  const open = useTrendPanel(props)
  const room = useRoom()
  const series = answer.results
  const display = draft.display ?? 'line'
  const unfinished = draft.to === undefined && display !== 'cumulative'
  if (series.length === 0 || (series.every((one) => totalOf(one) === 0) && display !== 'number'))
    return (
      <div className="view">
        <div className="view-empty" style={{ minHeight: height }}>
          <EmptyState icon="trends" title="No results">
            No matching events in this period. Try a longer range or fewer filters.
          </EmptyState>
        </div>
      </div>
    )
  return (
    <div className="view">
      {display === 'number' ? (
        <Numbers
          series={series}
          height={compact ? height : height * 0.6}
          open={(index) => open(index, null)}
          previous={previousRange({ from: draft.from ?? defaultFrom(draft.kind), to: draft.to })}
        />
      ) : display === 'ranking' ? (
        <Ranking series={series} open={(index) => open(index, null)} />
      ) : display === 'pie' ? (
        <Pie series={series} height={compact ? height : 280} open={(index) => open(index, null)} />
      ) : display === 'table' ? null : (
        <Lines
          series={series}
          display={display}
          unfinished={unfinished}
          height={height}
          compact={compact}
          open={open}
        />
      )}
      {(display === 'table' || (!compact && !LISTED.has(display))) && (
        <DataTable
          data={room ? cut(trendsTable(draft, series, open), room) : trendsTable(draft, series, open, unfinished)}
        />
      )}
    </div>
  )
}

const ROW = 37

/** As much of a table as a tile has room for: the first rows, and of the columns the total and what else fits. */
const cut = ({ head, rows, ...table }: TableData, { width, height }: Room): TableData => {
  const columns = Math.max(2, Math.floor((width - 160) / 80))
  return {
    ...table,
    head: head.slice(0, columns),
    rows: rows
      .slice(0, Math.max(1, Math.floor((height - ROW) / ROW)))
      .map((row) => ({ ...row, cells: row.cells.slice(0, columns - 1) })),
  }
}

/** These displays show all numbers themselves and need no table. */
const LISTED: ReadonlySet<string> = new Set(['number', 'ranking', 'pie'])

function Lines({
  series,
  display,
  unfinished,
  height,
  compact,
  open,
}: {
  series: readonly ChartSeries[]
  display: string
  unfinished: boolean
  height: number
  compact: boolean
  open: (series: number, bucket: number) => void
}) {
  const [hidden, setHidden] = useState<ReadonlySet<number>>(new Set())
  const names = namesOf(series)
  const colours = coloursOf(series)
  const option = useCallback(() => {
    const plot = plotOf(series, hidden, unfinished)
    return display === 'bar' ? bars(plot) : lines(plot, display === 'area')
  }, [series, hidden, unfinished, display])
  const toggle = (index: number) => {
    const next = new Set(hidden)
    if (!next.delete(index)) next.add(index)
    setHidden(next.size === series.length ? new Set() : next)
  }
  return (
    <>
      <Chart
        label={`${names.join(', ')} over time`}
        height={compact && series.length > 1 ? height - 28 : height}
        option={option}
        onPick={({ seriesIndex, dataIndex }) => open(seriesIndex % series.length, dataIndex)}
      />
      <Legend
        items={series.map((one, index) => ({
          name: names[index] ?? '',
          colour: colours[index] ?? 0,
          faded: one.compare_label === 'previous',
        }))}
        hidden={hidden}
        onToggle={toggle}
      />
    </>
  )
}

function plotOf(series: readonly ChartSeries[], hidden: ReadonlySet<number>, unfinished: boolean) {
  const names = namesOf(series)
  const colours = coloursOf(series)
  return {
    labels: shortLabels(series[0]?.days ?? series[0]?.labels ?? []),
    series: series.map((one, index) => ({
      name: names[index] ?? '',
      data: hidden.has(index) ? [] : (one.data ?? []),
      colour: `--s${(colours[index] ?? 0) + 1}`,
      ...(one.compare_label === 'previous' ? { faded: true, labels: shortLabels(one.days ?? []) } : {}),
    })),
    unfinished,
    ...(series.some(({ action }) => action) ? { hint: 'Click to see the people' } : {}),
  }
}

export function trendsTable(
  draft: Draft,
  series: readonly ChartSeries[],
  open?: (series: number, bucket: number | null) => void,
  unfinished = false,
): TableData {
  const labels = uniqueLabels(shortLabels(series[0]?.days ?? series[0]?.labels ?? []))
  const names = namesOf(series)
  const colours = coloursOf(series)
  const means = series.map((one) => whyNoSum(one, draft))
  return {
    label: 'Chart data',
    head: ['Series', totalName(means), ...labels],
    fileHead: ['Series', totalName(means), ...(series[0]?.days ?? labels)],
    ...(unfinished && labels.length > 1 ? { unfinished: labels.length + 1 } : {}),
    total: 1,
    rows: series.map((one, index) => ({
      key: `${index}/${names[index]}`,
      name: names[index] ?? '',
      colour: colours[index] ?? 0,
      faded: one.compare_label === 'previous',
      cells: [means[index] ? meanOf(one) : totalOf(one), ...(one.data ?? [])],
      mean: means[index],
      open: open && one.action ? (cell) => open(index, cell === 0 ? null : cell - 1) : undefined,
    })),
  }
}

const totalName = (means: readonly (string | undefined)[]): string =>
  means.every((why) => why === undefined) ? 'Total' : means.includes(undefined) ? 'Total or mean' : 'Mean'

/** Opens the people behind a point. */
export function useTrendPanel({
  draft,
  node,
  answer,
}: {
  draft: Draft
  node: Node
  answer: { results: readonly ChartSeries[] }
}) {
  const panels = usePanels()
  return (index: number, bucket: number | null) => {
    const series = answer.results[index]
    if (!series?.action) return
    const day = bucket === null ? undefined : series.days?.[bucket]
    panels.open({
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
