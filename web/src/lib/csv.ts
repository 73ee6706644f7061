import { valueText } from './format.ts'

/**
 * The one way the pages write CSV, by the rule of src/lib/csv.ts: what a spreadsheet would run as a formula becomes
 * text. Lists and objects are written as JSON.
 */
export const csvText = (lines: readonly (readonly unknown[])[]): string =>
  lines.map((line) => `${line.map(csvCell).join(',')}\r\n`).join('')

function csvCell(cell: unknown): string {
  if (cell === null) return ''
  const text = safe(valueText(cell))
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const RUN_AS_FORMULA = /^[=+\-@\t\r]/
const NUMBER = /^-?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/

const safe = (text: string): string => (RUN_AS_FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text)
