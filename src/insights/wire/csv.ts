/** Every insight as rows of a table, made of the same result as its JSON. */
import { csvLine } from '../../lib/csv.ts'
import { type InsightResult, kindOf } from '../kinds/table.ts'
import type { CsvRow } from './csv-row.ts'

export const csvRowsOf = (result: InsightResult): CsvRow[] => kindOf(result.kind).rows(result)

export const csvText = (rows: readonly CsvRow[]): string => rows.map(csvLine).join('')
