import { useCallback } from 'react'
import type { FunnelTimes, FunnelTrend } from '../../../api/contract.ts'
import { duration, number } from '../../../lib/format.ts'
import { partName } from '../../../lib/names.ts'
import { Chart } from '../../../ui/chart.tsx'
import { bars, lines } from '../../../ui/chart-options.ts'
import { DataTable, type TableData } from '../data-table.tsx'
import { shortLabels, uniqueLabels } from './labels.ts'
import { Legend, useHidden } from './legend.tsx'
import { before, isBefore, pairedColours } from './series-names.ts'

/** Other displays of a funnel: conversion over time, and time to convert. */
const currentName = (series: FunnelTrend): string =>
  series.breakdown_value === undefined ? 'Conversion' : partName(series)
const nameOf = (series: FunnelTrend): string => (isBefore(series) ? before(currentName(series)) : currentName(series))
const coloursOf = (series: readonly FunnelTrend[]): number[] =>
  pairedColours(series, (current) => current.map(currentName))
const inPercent = (value: number): string => `${number(value)}%`

export function FunnelOverTime({
  series,
  height,
  compact,
  unfinished,
}: {
  series: readonly FunnelTrend[]
  height: number
  compact: boolean
  unfinished: boolean
}) {
  const colours = coloursOf(series)
  const hidden = useHidden(series.map(nameOf))
  const option = useCallback(() => {
    const marks = coloursOf(series)
    return lines({
      labels: shortLabels(series[0]?.days ?? []),
      series: series.map((one, index) => ({
        name: nameOf(one),
        data: hidden.has(nameOf(one)) ? [] : (one.data ?? []),
        colour: `--s${(marks[index] ?? 0) + 1}`,
        ...(isBefore(one) ? { faded: true, labels: shortLabels(one.days ?? []) } : {}),
      })),
      format: inPercent,
      max: 100,
      unfinished,
    })
  }, [series, unfinished, hidden])
  return (
    <div className="view">
      <Chart label="Conversion over time" height={height} option={option} />
      <Legend
        items={series.map((one, index) => ({ name: nameOf(one), colour: colours[index] ?? 0, faded: isBefore(one) }))}
        hidden={hidden}
      />
      {!compact && <DataTable data={trendTable(series, unfinished)} format={inPercent} />}
    </div>
  )
}

export function trendTable(series: readonly FunnelTrend[], unfinished = false): TableData {
  const labels = uniqueLabels(shortLabels(series[0]?.days ?? []))
  const colours = coloursOf(series)
  return {
    label: 'Conversion over time, in percent',
    head: ['Series', ...labels],
    fileHead: ['Series', ...(series[0]?.days ?? labels)],
    ...(unfinished ? { unfinished: labels.length } : {}),
    rows: series.map((one, index) => ({
      key: `${index}/${nameOf(one)}`,
      name: nameOf(one),
      colour: colours[index] ?? 0,
      faded: isBefore(one),
      cells: one.data ?? [],
    })),
  }
}

/** The current period, and the one before it where the two are compared: they share their bins. */
export type Compared = readonly FunnelTimes[]

export function TimeToConvert({ periods, height, compact }: { periods: Compared; height: number; compact: boolean }) {
  const [times, earlier] = periods
  const option = useCallback(
    () =>
      bars(
        {
          labels: rangesOf(periods[0]),
          series: periods.map((of, index) => ({
            name: index === 0 ? 'People' : before('People'),
            data: (of?.bins ?? []).map(([, count]) => count),
            colour: '--s1',
            faded: index > 0,
          })),
        },
        false,
      ),
    [periods],
  )
  return (
    <div className="view">
      <p className="small soft">
        On average <span className="strong ink">{duration(times?.average_conversion_time)}</span> from the first step to
        the last{earlier && `, ${duration(earlier.average_conversion_time)} in the previous period`}.
      </p>
      <Chart label="Time to convert" height={height} option={option} />
      {!compact && <DataTable data={timesTable(periods)} />}
    </div>
  )
}

/** "4m to 1h": from one bin to the next. */
function rangesOf(times: FunnelTimes | undefined): string[] {
  const bins = times?.bins ?? []
  return bins.map(([from], index) => {
    const next = bins[index + 1]?.[0]
    return next === undefined ? `${duration(from)} or more` : `${duration(from)} to ${duration(next)}`
  })
}

export function timesTable([times, earlier]: Compared): TableData {
  const labels = rangesOf(times)
  return {
    label: 'Time to convert',
    head: ['Time', 'People', ...(earlier ? ['Previous'] : [])],
    rows: (times?.bins ?? []).map(([, count], index) => ({
      key: String(index),
      name: labels[index] ?? '',
      cells: [count, ...(earlier ? [earlier.bins[index]?.[1] ?? 0] : [])],
    })),
  }
}
