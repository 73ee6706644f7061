import { csvText } from '../../lib/csv.ts'
import { valueText } from '../../lib/format.ts'

export const csvOf = (names: readonly string[], rows: readonly (readonly unknown[])[]): string =>
  csvText([names, ...rows.map((row) => row.map((value) => (value === null ? null : valueText(value))))])
