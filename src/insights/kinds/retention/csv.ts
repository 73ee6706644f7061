import type { CsvRow } from '../../wire/csv-row.ts'
import { cellLabel } from './brackets.ts'
import type { RetentionResult } from './run.ts'
import { retentionOnWire } from './wire.ts'

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
