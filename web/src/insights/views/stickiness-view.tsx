import { useCallback } from 'react'
import { useDoors } from '../../doors/use-doors.ts'
import { colourIndexes } from '../../lib/series-colours.ts'
import { Chart } from '../../ui/chart.tsx'
import { bars } from '../../ui/chart-options.ts'
import { TwinTable } from '../twin.tsx'
import { Legend, nameOf } from './trends-view.tsx'
import type { TrendSeries, ViewProps } from './types.ts'
import './views.css'

export function StickinessView({ node, answer, height, compact }: ViewProps<TrendSeries[]>) {
  const series = answer.results
  const doors = useDoors()
  const labels = series[0]?.labels ?? []
  const option = useCallback(() => {
    const colours = colourIndexes(series.map(nameOf))
    return bars(
      {
        labels: series[0]?.labels ?? [],
        series: series.map((one, index) => ({
          name: nameOf(one),
          data: one.data ?? [],
          colour: `--s${(colours[index] ?? 0) + 1}`,
          faded: one.compare_label === 'previous',
        })),
      },
      false,
    )
  }, [series])
  const open = (index: number, bucket: number) => {
    const one = series[index]
    if (!one) return
    doors.open({
      to: 'people',
      title: `${nameOf(one)}, on ${labels[bucket] ?? ''}`,
      source: {
        kind: 'InsightActorsQuery',
        source: node,
        day: bucket + 1,
        series: one.action?.order ?? index,
        includeRecordings: true,
      },
    })
  }
  const colours = colourIndexes(series.map(nameOf))
  return (
    <div className="view">
      <Chart
        label="On how many days people were active"
        height={height}
        option={option}
        onPick={({ seriesIndex, dataIndex }) => open(seriesIndex, dataIndex)}
      />
      <Legend items={series.map((one, index) => ({ name: nameOf(one), colour: colours[index] ?? 0 }))} />
      {!compact && (
        <TwinTable
          twin={{
            label: 'On how many days people were active',
            head: ['Series', ...labels],
            rows: series.map((one, index) => ({
              key: nameOf(one),
              name: nameOf(one),
              colour: colours[index] ?? 0,
              cells: one.data ?? [],
              open: (cell) => open(index, cell),
            })),
          }}
        />
      )}
    </div>
  )
}
