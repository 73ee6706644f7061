/** Lifecycle, stickiness, retention and paths as tables. */
import type { LifecycleResult } from '../kinds/lifecycle/run.ts'
import type { PathsResult } from '../kinds/paths/run.ts'
import { cellLabel } from '../kinds/retention/brackets.ts'
import type { RetentionResult } from '../kinds/retention/run.ts'
import type { StickinessResult } from '../kinds/stickiness/run.ts'
import type { CsvRow } from './csv-row.ts'
import { labelsOf } from './labels.ts'
import { lifecycleOnWire, pathsOnWire, retentionOnWire, stickinessOnWire } from './others.ts'

export const lifecycleRows = (result: LifecycleResult): CsvRow[] => [
  ['series', ...labelsOf(result.plan.range, result.plan.clock.timezone)],
  ...lifecycleOnWire(result).map(({ label, data }): CsvRow => [label, ...data]),
]

export function stickinessRows(result: StickinessResult): CsvRow[] {
  const series = stickinessOnWire(result)
  const labels = series.map((each) => each.labels).toSorted((a, b) => b.length - a.length)[0] ?? []
  return [
    ['series', ...labels],
    ...series.map(({ action, label, data, compare_label }): CsvRow => {
      const name = action.custom_name ?? label
      return [compare_label === undefined ? name : `${name} (${compare_label})`, ...data]
    }),
  ]
}

/** Like the table on the page: a row for those who came in an interval. */
export function retentionRows(result: RetentionResult): CsvRow[] {
  const rows = retentionOnWire(result)
  const header = rows[0]?.values.map((_, after) => cellLabel(result.plan, after)) ?? []
  const broken = result.plan.breakdown !== undefined
  return [
    [...(broken ? ['breakdown'] : []), 'cohort', 'size', ...header],
    ...rows.map(({ date, values, breakdown_value }): CsvRow => {
      const cells = [date, values[0]?.count ?? 0, ...values.map(({ count }) => count)]
      return broken ? [breakdown_value ?? '', ...cells] : cells
    }),
  ]
}

export const pathRows = (result: PathsResult): CsvRow[] => [
  ['source', 'target', 'value', 'average_conversion_time'],
  ...pathsOnWire(result).map((edge): CsvRow => [edge.source, edge.target, edge.value, edge.average_conversion_time]),
]
