import { asText } from '../../../lib/as-text.ts'

/**
 * What the rows of an answer can be drawn as. What goes along the axis and what is measured follows from what the
 * columns hold.
 */
export type SqlRow = readonly unknown[]

export interface SqlPlot {
  /** What goes along the axis: the name of its column, or of those that together name a row. */
  along: string
  labels: string[]
  series: { name: string; data: (number | null)[] }[]
  /** The series are the values of a column, and add up. */
  parts: boolean
  /** How many series are not drawn. */
  leftOut: number
}

const MOST_ROWS = 2_000
const MOST_SERIES = 10
const TIME = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}.*)?$/

const isNumber = (value: unknown): value is number => typeof value === 'number'
const all = (rows: readonly SqlRow[], column: number, is: (value: unknown) => boolean): boolean =>
  rows.every((row) => row[column] === null || is(row[column])) && rows.some((row) => row[column] !== null)
const isTime = (rows: readonly SqlRow[], column: number): boolean =>
  all(rows, column, (value) => typeof value === 'string' && TIME.test(value))
const isWord = (rows: readonly SqlRow[], column: number): boolean =>
  all(rows, column, (value) => typeof value === 'string' || typeof value === 'boolean')
const wordOf = (value: unknown): string => (value === null || value === '' ? '(none)' : asText(value))

/**
 * Names and numbers: a row has its place along the axis by its words (by its time, if it has one), and each column of
 * numbers is a series. A time, a word and one number are as many series as there are words.
 */
export function plotOf(columns: readonly string[], rows: readonly SqlRow[]): SqlPlot | null {
  if (rows.length === 0 || rows.length > MOST_ROWS) return null
  const places = columns.map((_, column) => column)
  const numbers = places.filter((column) => all(rows, column, isNumber))
  const words = places.filter((column) => isWord(rows, column))
  const time = words.find((column) => isTime(rows, column))
  const along = time ?? words[0] ?? numbers[0]
  const measured = numbers.filter((column) => column !== along)
  if (along === undefined || measured.length === 0) return null
  // A single row of numbers has nothing for the axis.
  if (rows.length === 1 && words.length === 0) return null
  const inOrder = time === undefined ? rows : rows.toSorted((a, b) => (String(a[time]) < String(b[time]) ? -1 : 1))
  const others = words.filter((column) => column !== along)
  const repeats = new Set(rows.map((row) => row[along])).size < rows.length
  if (others.length === 1 && measured.length === 1 && repeats)
    return partsOf(columns, inOrder, along, others[0] as number, measured[0] as number)
  const named = [along, ...others]
  return {
    along: named.map((column) => columns[column]).join(', '),
    labels: inOrder.map((row) => named.map((column) => wordOf(row[column])).join(' · ')),
    series: measured.slice(0, MOST_SERIES).map((column) => ({
      name: columns[column] ?? '',
      data: inOrder.map((row) => row[column] as number | null),
    })),
    parts: false,
    leftOut: Math.max(0, measured.length - MOST_SERIES),
  }
}

/** The largest ones, each with a number wherever the axis has a place. */
function partsOf(
  columns: readonly string[],
  rows: readonly SqlRow[],
  along: number,
  of: number,
  measured: number,
): SqlPlot {
  const labels = [...new Set(rows.map((row) => wordOf(row[along])))]
  const place = new Map(labels.map((label, index) => [label, index]))
  const parts = new Map<string, (number | null)[]>()
  for (const row of rows) {
    const name = wordOf(row[of])
    const data = parts.get(name) ?? labels.map(() => null)
    const index = place.get(wordOf(row[along])) as number
    data[index] = (data[index] ?? 0) + ((row[measured] as number | null) ?? 0)
    parts.set(name, data)
  }
  const weight = (data: readonly (number | null)[]) =>
    data.reduce<number>((sum, value) => sum + Math.abs(value ?? 0), 0)
  const ranked = [...parts].toSorted(([, a], [, b]) => weight(b) - weight(a))
  return {
    along: columns[along] ?? '',
    labels,
    series: ranked.slice(0, MOST_SERIES).map(([name, data]) => ({ name, data })),
    parts: true,
    leftOut: Math.max(0, ranked.length - MOST_SERIES),
  }
}

/** The numbers of the only row. */
export function figuresOf(
  columns: readonly string[],
  rows: readonly SqlRow[],
): { name: string; value: number }[] | null {
  const [row] = rows
  if (row === undefined || rows.length > 1) return null
  const figures = columns.flatMap((name, column) => {
    const value = row[column]
    return isNumber(value) ? [{ name, value }] : []
  })
  return figures.length > 0 ? figures : null
}

export type SqlDisplay = 'table' | 'line' | 'bar' | 'number'

/** Why an answer cannot be shown this way; undefined if it can. */
export function whyNot(display: SqlDisplay, columns: readonly string[], rows: readonly SqlRow[]): string | undefined {
  if (display === 'table') return undefined
  if (display === 'number') return figuresOf(columns, rows) ? undefined : 'Needs a single row with a number'
  if (rows.length > MOST_ROWS) return `Needs at most ${MOST_ROWS.toLocaleString('en')} rows`
  const plot = plotOf(columns, rows)
  if (plot === null) return 'Needs a numeric column and a column for the axis'
  return display === 'line' && plot.labels.length < 2 ? 'Needs at least two rows' : undefined
}
