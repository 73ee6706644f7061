import { useCallback } from 'react'
import { duration, number } from '../../lib/format.ts'
import { breakdownName } from '../../lib/names.ts'
import { colourIndexes } from '../../lib/series-colours.ts'
import { Chart } from '../../ui/chart.tsx'
import { bars, lines } from '../../ui/chart-options.ts'
import { type Twin, TwinTable } from '../twin.tsx'
import { shortLabels, uniqueLabels } from './labels.ts'
import { Legend } from './legend.tsx'
import type { TrendSeries } from './types.ts'

/** A funnel seen otherwise: how conversion changed, and how long people took. */
export interface Times {
  bins: [from: number, count: number][]
  average_conversion_time: number | null
}

const nameOf = ({ breakdown_value }: TrendSeries): string =>
  breakdown_value === undefined ? 'Conversion' : breakdownName(breakdown_value)
const inPercent = (value: number): string => `${number(value)}%`

export function FunnelTrend({
  series,
  height,
  compact,
  unfinished,
}: {
  series: readonly TrendSeries[]
  height: number
  compact: boolean
  unfinished: boolean
}) {
  const colours = colourIndexes(series.map(nameOf))
  const option = useCallback(() => {
    const marks = colourIndexes(series.map(nameOf))
    return lines({
      labels: shortLabels(series[0]?.days ?? []),
      series: series.map((one, index) => ({
        name: nameOf(one),
        data: one.data ?? [],
        colour: `--s${(marks[index] ?? 0) + 1}`,
      })),
      format: inPercent,
      unfinished,
    })
  }, [series, unfinished])
  return (
    <div className="view">
      <Chart label="Conversion over time" height={height} option={option} />
      <Legend items={series.map((one, index) => ({ name: nameOf(one), colour: colours[index] ?? 0 }))} />
      {!compact && <TwinTable twin={trendTwin(series, unfinished)} format={inPercent} />}
    </div>
  )
}

export function trendTwin(series: readonly TrendSeries[], unfinished = false): Twin {
  const labels = uniqueLabels(shortLabels(series[0]?.days ?? []))
  const colours = colourIndexes(series.map(nameOf))
  return {
    label: 'Conversion over time, in percent',
    head: ['Series', ...labels],
    ...(unfinished ? { unfinished: labels.length } : {}),
    rows: series.map((one, index) => ({
      key: `${index}/${nameOf(one)}`,
      name: nameOf(one),
      colour: colours[index] ?? 0,
      cells: one.data ?? [],
    })),
  }
}

export function TimeToConvert({ times, height, compact }: { times: Times; height: number; compact: boolean }) {
  const option = useCallback(
    () =>
      bars(
        {
          labels: rangesOf(times),
          series: [{ name: 'People', data: (times?.bins ?? []).map(([, count]) => count), colour: '--s1' }],
        },
        false,
      ),
    [times],
  )
  return (
    <div className="view">
      <p className="small soft">
        On average <span className="strong ink">{duration(times?.average_conversion_time)}</span> from the first step to
        the last.
      </p>
      <Chart label="How long people took" height={height} option={option} />
      {!compact && <TwinTable twin={timesTwin(times)} />}
    </div>
  )
}

/** "4m to 1h": from one bin to the next. */
function rangesOf(times: Times): string[] {
  const bins = times?.bins ?? []
  return bins.map(([from], index) => {
    const next = bins[index + 1]?.[0]
    return next === undefined ? `${duration(from)} and more` : `${duration(from)} to ${duration(next)}`
  })
}

export function timesTwin(times: Times): Twin {
  const labels = rangesOf(times)
  return {
    label: 'How long people took',
    head: ['Time', 'People'],
    rows: (times?.bins ?? []).map(([, count], index) => ({
      key: String(index),
      name: labels[index] ?? '',
      cells: [count],
    })),
  }
}
