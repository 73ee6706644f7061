import { useCallback, useMemo } from 'react'
import { useProject } from '../../../api/project.tsx'
import { comparedWith } from '../../../lib/ranges.ts'
import { hasUnits, unitFormats } from '../../../lib/units.ts'
import { useStable } from '../../../lib/use-stable.ts'
import { Chart } from '../../../ui/chart.tsx'
import { bars, lines } from '../../../ui/chart-options.ts'
import { EmptyState } from '../../../ui/states.tsx'
import { usePanels } from '../../panels/index.ts'
import { AnnotationList } from '../annotations/annotation-list.tsx'
import { useAnnotations } from '../annotations/chart-place.tsx'
import { notesOf } from '../annotations/notes.ts'
import type { Node } from '../answer.ts'
import { DataTable, type TableData } from '../data-table.tsx'
import { type Draft, defaultFrom } from '../draft.ts'
import { type Room, useRoom } from '../room.tsx'
import { shortLabels, uniqueLabels } from './labels.ts'
import { type Hidden, Legend, useHidden } from './legend.tsx'
import { coloursOf, nameOf, namesOf, totalOf } from './series-names.ts'
import { meanOf, whyNoSum } from './sums.ts'
import { Numbers, Pie, Ranking } from './totals.tsx'
import type { ChartSeries, ViewProps } from './types.ts'
import './views.css'

export function TrendsView(props: ViewProps<'TrendsQuery'>) {
  const { draft, answer, height, compact } = props
  const open = useTrendPanel(props)
  const units = useStable({ unit: draft.unit, prefix: draft.prefix, suffix: draft.suffix, decimals: draft.decimals })
  const room = useRoom()
  const series = answer.results
  const display = draft.display ?? 'line'
  const unfinished = draft.to === undefined && display !== 'cumulative'
  const { full } = useMemo(() => unitFormats(units), [units])
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
          previous={comparedWith({ from: draft.from ?? defaultFrom(draft.kind), to: draft.to }, draft.compareTo)}
          {...(hasUnits(draft) ? { format: full } : {})}
        />
      ) : display === 'ranking' ? (
        <Ranking series={series} open={(index) => open(index, null)} format={full} />
      ) : display === 'pie' ? (
        <Pie series={series} height={compact ? height : 280} open={(index) => open(index, null)} format={full} />
      ) : display === 'table' ? null : (
        <Lines draft={draft} series={series} unfinished={unfinished} height={height} compact={compact} open={open} />
      )}
      {(display === 'table' || (!compact && !LISTED.has(display))) && (
        <DataTable
          data={room ? cut(trendsTable(draft, series, open), room) : trendsTable(draft, series, open, unfinished)}
          format={full}
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
  draft: given,
  series,
  unfinished,
  height,
  compact,
  open,
}: {
  draft: Draft
  series: readonly ChartSeries[]
  unfinished: boolean
  height: number
  compact: boolean
  open: (series: number, bucket: number) => void
}) {
  const draft = useStable(given)
  const { names, colours } = useMemo(() => ({ names: namesOf(series), colours: coloursOf(series) }), [series])
  const hidden = useHidden(names)
  const annotations = useAnnotations(series[0]?.days ?? NO_DAYS)
  const { timezone } = useProject()
  const option = useCallback(() => {
    const notes = notesOf(annotations, series[0]?.days ?? [], timezone)
    const plot = { ...plotOf(draft, series, hidden, unfinished), notes }
    return draft.display === 'bar' ? bars(plot) : lines(plot, draft.display === 'area')
  }, [draft, series, hidden, unfinished, annotations, timezone])
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
      />
      {!compact && <AnnotationList annotations={annotations} />}
    </>
  )
}

const NO_DAYS: readonly string[] = []

function plotOf(draft: Draft, series: readonly ChartSeries[], hidden: Hidden, unfinished: boolean) {
  const names = namesOf(series)
  const colours = coloursOf(series)
  const { full, brief } = unitFormats(draft)
  return {
    labels: shortLabels(series[0]?.days ?? series[0]?.labels ?? []),
    series: series.map((one, index) => ({
      name: names[index] ?? '',
      data: hidden.has(names[index] ?? '') ? [] : (one.data ?? []),
      colour: `--s${(colours[index] ?? 0) + 1}`,
      ...(one.compare_label === 'previous' ? { faded: true, labels: shortLabels(one.days ?? []) } : {}),
    })),
    unfinished,
    ...(hasUnits(draft) ? { format: brief, exact: full } : {}),
    // Stacked parts have no place on a logarithmic axis.
    log: draft.log === true && (draft.display === undefined || draft.display === 'cumulative'),
    trendLine: draft.trendLine === true,
    goals: draft.goals ?? [],
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
        ...(series.breakdown_value === undefined || series.breakdown_value === null || !draft.breakdown?.length
          ? {}
          : { breakdown: series.breakdown_value }),
        ...(series.compare_label ? { compare: series.compare_label } : {}),
        ...(series.status ? { status: series.status } : {}),
      },
    })
  }
}
