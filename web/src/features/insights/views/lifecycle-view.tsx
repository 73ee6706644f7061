import { useCallback } from 'react'
import { number, short } from '../../../lib/format.ts'
import { Chart } from '../../../ui/chart.tsx'
import { bars } from '../../../ui/chart-options.ts'
import { DataTable } from '../data-table.tsx'
import { shortLabels } from './labels.ts'
import { Legend, useHidden } from './legend.tsx'
import { trendsTable, useTrendPanel } from './trends-view.tsx'
import type { ChartSeries, ViewProps } from './types.ts'
import './views.css'

const LOOK = {
  new: { name: 'New', colour: 0 },
  returning: { name: 'Returning', colour: 2 },
  resurrecting: { name: 'Resurrected', colour: 4 },
  dormant: { name: 'Dormant', colour: 1 },
} as const

const named = (series: readonly ChartSeries[]): ChartSeries[] =>
  series.map((one) => ({ ...one, action: { ...one.action, custom_name: LOOK[one.status ?? 'new'].name } }))

/** Active people are drawn above the axis, dormant ones below. */
export function LifecycleView(props: ViewProps<'LifecycleQuery'>) {
  const { draft, answer, height, compact } = props
  const results = answer.results
  const unfinished = draft.to === undefined
  const open = useTrendPanel(props)
  const hidden = useHidden(Object.values(LOOK).map(({ name }) => name))
  const option = useCallback(
    () =>
      bars({
        labels: shortLabels(results[0]?.days ?? []),
        series: results.map((one) => ({
          name: LOOK[one.status ?? 'new'].name,
          data: hidden.has(LOOK[one.status ?? 'new'].name) ? [] : (one.data ?? []),
          colour: `--s${LOOK[one.status ?? 'new'].colour + 1}`,
        })),
        // Counts below the axis are negative only for drawing.
        format: (value) => (Number.isInteger(value) ? short(Math.abs(value)) : number(Math.abs(value))),
        unfinished,
        hint: 'Click to see the people',
      }),
    [results, unfinished, hidden],
  )
  const table = trendsTable(draft, named(results), open, unfinished)
  return (
    <div className="view">
      <Chart
        label="New, returning, resurrected and dormant people"
        height={compact ? height - 28 : height}
        option={option}
        onPick={({ seriesIndex, dataIndex }) => open(seriesIndex, dataIndex)}
      />
      <Legend items={results.map((one) => LOOK[one.status ?? 'new'])} hidden={hidden} />
      {!compact && (
        <DataTable
          data={{
            ...table,
            rows: table.rows.map((row, index) => ({ ...row, colour: LOOK[results[index]?.status ?? 'new'].colour })),
          }}
        />
      )}
    </div>
  )
}
