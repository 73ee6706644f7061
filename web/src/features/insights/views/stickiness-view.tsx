import { useCallback } from 'react'
import type { StickinessSeries } from '../../../api/contract.ts'
import { Chart } from '../../../ui/chart.tsx'
import { bars } from '../../../ui/chart-options.ts'
import { usePanels } from '../../panels/index.ts'
import { DataTable, type TableData } from '../data-table.tsx'
import { Legend, useHidden } from './legend.tsx'
import { coloursOf, namesOf } from './series-names.ts'
import type { ViewProps } from './types.ts'
import './views.css'

export function StickinessView({ draft, node, answer, height, compact }: ViewProps<'StickinessQuery'>) {
  const series = answer.results
  const panels = usePanels()
  const labels = series[0]?.labels ?? []
  const names = namesOf(series)
  const colours = coloursOf(series)
  const hidden = useHidden(names)
  const option = useCallback(() => {
    const marks = coloursOf(series)
    const titles = namesOf(series)
    return bars(
      {
        labels: series[0]?.labels ?? [],
        series: series.map((one, index) => ({
          name: titles[index] ?? '',
          data: hidden.has(titles[index] ?? '') ? [] : (one.data ?? []),
          colour: `--s${(marks[index] ?? 0) + 1}`,
          faded: one.compare_label === 'previous',
        })),
        hint: 'Click to see the people',
      },
      false,
    )
  }, [series, hidden])
  const open = (index: number, bucket: number) => {
    const one = series[index]
    if (!one) return
    panels.open({
      to: 'people',
      title: `${names[index]}, on ${labels[bucket] ?? ''}`,
      source: {
        kind: 'InsightActorsQuery',
        source: node,
        day: bucket + 1,
        series: one.action?.order ?? index,
        includeRecordings: true,
        ...(one.compare_label ? { compare: one.compare_label } : {}),
      },
    })
  }
  const interval = draft.interval ?? 'day'
  return (
    <div className="view">
      <Chart
        label={`On how many ${interval}s people were active`}
        height={compact && series.length > 1 ? height - 28 : height}
        option={option}
        onPick={({ seriesIndex, dataIndex }) => open(seriesIndex, dataIndex)}
      />
      <Legend
        items={series.map((one, index) => ({
          name: names[index] ?? '',
          colour: colours[index] ?? 0,
          faded: one.compare_label === 'previous',
        }))}
        hidden={hidden}
      />
      {!compact && <DataTable data={stickinessTable(series, open)} />}
    </div>
  )
}

export function stickinessTable(
  series: readonly StickinessSeries[],
  open?: (series: number, bucket: number) => void,
): TableData {
  const names = namesOf(series)
  const colours = coloursOf(series)
  return {
    label: 'How many people were active on how many days',
    head: ['People active on', ...(series[0]?.labels ?? [])],
    rows: series.map((one, index) => ({
      key: `${index}/${names[index]}`,
      name: names[index] ?? '',
      colour: colours[index] ?? 0,
      faded: one.compare_label === 'previous',
      cells: one.data ?? [],
      open: open ? (cell) => open(index, cell) : undefined,
    })),
  }
}
