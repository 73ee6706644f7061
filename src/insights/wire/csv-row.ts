import type { CsvCell } from '../../lib/csv.ts'

export type { CsvCell }
export type CsvRow = readonly CsvCell[]
