/** Every insight as rows of a table, made of the same result as its JSON. */
import type { InsightResult } from '../run.ts'
import { correlationRows } from './correlation-csv.ts'
import type { CsvCell, CsvRow } from './csv-row.ts'
import { funnelRows } from './funnels-csv.ts'
import { lifecycleRows, pathRows, retentionRows, stickinessRows } from './others-csv.ts'
import { trendRows } from './trends-csv.ts'

export function csvRowsOf(result: InsightResult): CsvRow[] {
  switch (result.kind) {
    case 'TrendsQuery':
      return trendRows(result)
    case 'FunnelsQuery':
      return funnelRows(result)
    case 'FunnelCorrelationQuery':
      return correlationRows(result)
    case 'RetentionQuery':
      return retentionRows(result)
    case 'LifecycleQuery':
      return lifecycleRows(result)
    case 'StickinessQuery':
      return stickinessRows(result)
    case 'PathsQuery':
      return pathRows(result)
  }
}

export const csvText = (rows: readonly CsvRow[]): string =>
  rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('')

const csvCell = (cell: CsvCell): string => {
  if (cell === null) return ''
  const text = String(cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
