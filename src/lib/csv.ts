/**
 * The one way Footfall writes CSV. A cell that begins with =, +, -, @, a tab or a return is run as a formula by
 * spreadsheets, and cells hold what strangers send; it gets an apostrophe in front, which spreadsheets read as "this is
 * text". Numbers stay numbers. web/src/lib/csv.ts keeps the same rule.
 */
export type CsvCell = string | number | null

export const csvLine = (cells: readonly CsvCell[]): string => `${cells.map(csvCell).join(',')}\r\n`

function csvCell(cell: CsvCell): string {
  if (cell === null) return ''
  const text = safe(String(cell))
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const RUN_AS_FORMULA = /^[=+\-@\t\r]/
const NUMBER = /^-?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/

const safe = (text: string): string => (RUN_AS_FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text)
