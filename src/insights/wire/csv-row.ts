export type CsvCell = string | number | null
export type CsvRow = readonly CsvCell[]
