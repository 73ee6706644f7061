import { useCallback } from 'react'
import { Chart } from '../../ui/chart.tsx'
import { bars } from '../../ui/chart-options.ts'
import { TwinTable } from '../twin.tsx'
import { Legend, shortLabels, trendsTwin, useTrendDoor } from './trends-view.tsx'
import type { TrendSeries, ViewProps } from './types.ts'
import './views.css'

const LOOK = {
  new: { name: 'New', colour: 0 },
  returning: { name: 'Returning', colour: 2 },
  resurrecting: { name: 'Back after a pause', colour: 4 },
  dormant: { name: 'Gone quiet', colour: 1 },
} as const

const named = (series: readonly TrendSeries[]): TrendSeries[] =>
  series.map((one) => ({ ...one, action: { ...one.action, custom_name: LOOK[one.status ?? 'new'].name } }))

export function LifecycleView(props: ViewProps<TrendSeries[]>) {
  const { answer, height, compact } = props
  const series = named(answer.results)
  const results = answer.results
  const open = useTrendDoor(props)
  const option = useCallback(
    () =>
      bars({
        labels: shortLabels(results[0]?.days ?? []),
        series: results.map((one) => ({
          name: LOOK[one.status ?? 'new'].name,
          data: one.data ?? [],
          colour: `--s${LOOK[one.status ?? 'new'].colour + 1}`,
        })),
      }),
    [results],
  )
  const twin = trendsTwin(series, open)
  return (
    <div className="view">
      <Chart
        label="New, returning, back after a pause and gone quiet"
        height={height}
        option={option}
        onPick={({ seriesIndex, dataIndex }) => open(seriesIndex, dataIndex)}
      />
      <Legend items={results.map((one) => LOOK[one.status ?? 'new'])} />
      {!compact && (
        <TwinTable
          twin={{
            ...twin,
            rows: twin.rows.map((row, index) => ({ ...row, colour: LOOK[results[index]?.status ?? 'new'].colour })),
          }}
        />
      )}
    </div>
  )
}
