/** What the columns of a table are called and how their numbers are written. */
import type { WebRow } from '../../api/contract.ts'
import { duration, number, percent } from '../../lib/format.ts'

interface Column {
  readonly label: string
  readonly about?: string
  readonly format: (value: number | null) => string
  /** Left out where there is little room. */
  readonly minor?: boolean
}

const share = (value: number | null): string => (value === null ? '–' : percent(value))

const COLUMNS: Readonly<Record<string, Column>> = {
  visitors: { label: 'Visitors', format: number },
  views: { label: 'Views', format: number },
  clicks: { label: 'Clicks', format: number },
  bounce_rate: {
    label: 'Bounce',
    about: 'Visits with one page, no click and less than 10 seconds',
    format: share,
    minor: true,
  },
  average_scroll_percentage: {
    label: 'Scroll',
    about: 'How far the page was read, on average',
    format: share,
    minor: true,
  },
  avg_time_on_page: { label: 'Time', about: 'Time on the page, on average', format: duration, minor: true },
  total_conversions: { label: 'Reached', about: 'How often the goal was reached', format: number, minor: true },
  unique_conversions: { label: 'Converted', about: 'Visitors who reached the goal', format: number },
  conversion_rate: { label: 'Rate', about: 'Of the visitors, those who reached the goal', format: share },
  converting_users: { label: 'Converted', about: 'Visitors who reached the goal', format: number },
}

/** Answers name their columns "context.columns.visitors". */
export const columnName = (name: string): string => name.slice(name.lastIndexOf('.') + 1)

export interface ShownColumn extends Column {
  readonly name: string
  /** Its place in a row. */
  readonly at: number
}

/** Those that are shown, without the label. */
export const shownColumns = (columns: readonly string[]): ShownColumn[] =>
  columns.flatMap((full, at) => {
    const name = columnName(full)
    const column = COLUMNS[name]
    return at === 0 || column === undefined ? [] : [{ ...column, name, at }]
  })

type Pair = readonly [number | null, number | null]

export function pairOf(row: WebRow, at: number): Pair {
  const cell = row[at]
  return Array.isArray(cell) && at > 0 ? (cell as unknown as Pair) : [null, null]
}

/** The lines of a file: numbers as they are, and those of the period before beside them where there is one. */
export function csvLines(
  head: string,
  rows: readonly WebRow[],
  columns: readonly string[],
  nameOf: (row: WebRow) => string,
): unknown[][] {
  const shown = shownColumns(columns)
  const compared = rows.some((row) => shown.some(({ at }) => pairOf(row, at)[1] !== null))
  const names = shown.flatMap(({ label }) => (compared ? [label, `${label} before`] : [label]))
  return [
    [head, ...names],
    ...rows.map((row) => [
      nameOf(row),
      ...shown.flatMap(({ at }) => (compared ? [...pairOf(row, at)] : [pairOf(row, at)[0]])),
    ]),
  ]
}
