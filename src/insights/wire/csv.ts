/** Every insight as rows of a table, made of the same result as its JSON. */
import { type InsightResult, kindOf } from '../kinds.ts'
import type { CsvCell, CsvRow } from './csv-row.ts'

export const csvRowsOf = (result: InsightResult): CsvRow[] => kindOf(result.kind).rows(result)

export const csvText = (rows: readonly CsvRow[]): string =>
  rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('')

const csvCell = (cell: CsvCell): string => {
  if (cell === null) return ''
  const text = String(cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
