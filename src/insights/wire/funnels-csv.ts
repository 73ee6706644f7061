/** A funnel as a table: one row a step, a bin, or a breakdown value. */
import type { FunnelsResult } from '../funnels/result.ts'
import type { CsvRow } from './csv-row.ts'
import { funnelGroups, valueOnWire } from './funnels.ts'
import { labelsOf } from './labels.ts'

export function funnelRows(result: FunnelsResult): CsvRow[] {
  const { plan } = result
  const broken = plan.breakdown !== undefined
  switch (result.viz) {
    case 'steps': {
      const header = ['step', 'name', 'count', 'average_conversion_time', 'median_conversion_time']
      const rows = funnelGroups(result).flatMap((steps) =>
        steps.map((step): CsvRow => {
          const name = step.custom_name ?? step.name
          const numbers = [step.count, step.average_conversion_time, step.median_conversion_time]
          const value = broken ? [(step.breakdown_value ?? []).join('::')] : []
          return [...value, step.order + 1, name, ...numbers]
        }),
      )
      return [broken ? ['breakdown', ...header] : header, ...rows]
    }
    case 'time_to_convert':
      return [['from_seconds', 'count'], ...result.bins]
    case 'trends':
      return [
        ['series', ...labelsOf(plan.range, plan.clock.timezone)],
        ...result.groups.map(
          ({ labels, rates }): CsvRow => [broken ? valueOnWire(labels).join('::') : 'conversion', ...rates],
        ),
      ]
  }
}
