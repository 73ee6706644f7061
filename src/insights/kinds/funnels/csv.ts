/** A funnel as a table: one row a step, a bin, or a breakdown value. */

import { namesOf } from '../../plan/breakdown.ts'
import type { CsvRow } from '../../wire/csv-row.ts'
import { labelsOf } from '../../wire/labels.ts'
import { valueOnWire } from '../../wire/names.ts'
import type { FunnelsResult } from './result.ts'
import { funnelGroups, periodsOf } from './wire.ts'

export function funnelRows(result: FunnelsResult): CsvRow[] {
  const { plan } = result
  const broken = plan.breakdown !== undefined
  const period = result.previous === undefined ? [] : ['period']
  const inPeriod = ({ compare_label }: { readonly compare_label?: string }): string[] =>
    compare_label === undefined ? [] : [compare_label]
  switch (result.viz) {
    case 'steps': {
      const header = ['step', 'name', 'count', 'average_conversion_time', 'median_conversion_time']
      const rows = funnelGroups(result).flatMap((steps) =>
        steps.map((step): CsvRow => {
          const name = step.custom_name ?? step.name
          const numbers = [step.count, step.average_conversion_time, step.median_conversion_time]
          const value = broken ? [[step.breakdown ?? []].flat().join('::')] : []
          return [...inPeriod(step), ...value, step.order + 1, name, ...numbers]
        }),
      )
      return [[...period, ...(broken ? ['breakdown', ...header] : header)], ...rows]
    }
    case 'time_to_convert':
      return [
        [...period, 'from_seconds', 'count'],
        ...periodsOf(result).flatMap(({ result, compared }) =>
          result.bins.map((bin): CsvRow => [...inPeriod(compared), ...bin]),
        ),
      ]
    case 'trends':
      return [
        [...period, 'series', ...labelsOf(plan.range, plan.clock.timezone)],
        ...periodsOf(result).flatMap(({ result: { groups }, compared }) =>
          groups.map(
            ({ labels, rates }): CsvRow => [
              ...inPeriod(compared),
              broken ? valueOnWire(namesOf(plan.breakdown, labels)).join('::') : 'conversion',
              ...rates,
            ],
          ),
        ),
      ]
  }
}
