import { csvText } from '../../lib/csv.ts'
import { number } from '../../lib/format.ts'
import { cssColour } from '../../lib/series-colours.ts'
import '../../ui/fades.css'
import '../../ui/table.css'
import './data-table.css'

/** The numbers of a chart as a table: for screen readers, for reading exactly, and for CSV. */
export interface TableData {
  label: string
  head: string[]
  /** The same for a file: days as 2026-01-31, which every program reads. */
  fileHead?: string[]
  rows: DataRow[]
  /** Columns of words, which begin at the left. */
  words?: readonly number[]
  /** The column that adds the others up: it stays in sight. */
  total?: number
  /** The column in progress. */
  unfinished?: number
}

interface DataRow {
  key: string
  name: string
  colour?: number
  /** The previous period. */
  faded?: boolean
  cells: readonly (number | string | null)[]
  /** Its total is a mean, and why. */
  mean?: string | undefined
  /** The people behind a cell. */
  open?: ((cell: number) => void) | undefined
}

/** A year by the hour would have thousands of columns. */
const MOST_COLUMNS = 370

export function DataTable({
  data,
  format = number,
}: {
  data: TableData
  format?: ((value: number) => string) | undefined
}) {
  const { head } = data
  const columns = head.map((_, index) => index).filter((index) => index < 2 || index >= head.length - MOST_COLUMNS)
  return (
    <>
      <section className="table-box data-table fades" aria-label={data.label} tabIndex={0}>
        <table className="table table-dense">
          <caption className="unseen">{data.label}</caption>
          <thead>
            <tr>
              {columns.map((index) => (
                <th
                  key={head[index]}
                  scope="col"
                  title={longer(head[index])}
                  className={index === 0 ? 'data-table-name' : columnClass(data, index)}
                >
                  {head[index]}
                  {index === data.unfinished && <span className="data-table-so-far"> so far</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.rows.map((row) => (
              <tr key={row.key}>
                <th scope="row" className="data-table-name" title={longer(row.name)}>
                  {row.colour !== undefined && (
                    <span
                      className={`data-table-dot ${row.faded ? 'data-table-faded' : ''}`}
                      style={{ background: cssColour(row.colour) }}
                    />
                  )}
                  {row.name}
                </th>
                {columns.slice(1).map((index) => (
                  <td key={head[index]} className={columnClass(data, index)}>
                    <Cell
                      value={row.cells[index - 1] ?? null}
                      format={format}
                      open={row.open ? () => row.open?.(index - 1) : undefined}
                      mean={index === data.total ? row.mean : undefined}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {columns.length < head.length && (
        <p className="tiny soft">
          Showing the latest {number(MOST_COLUMNS)} of {number(head.length - 2)}. The CSV file has all of them.
        </p>
      )}
    </>
  )
}

/** Shown as a tooltip where a long name is cut off. */
const longer = (text = ''): string | undefined => (text.length > 30 ? text : undefined)

const columnClass = ({ words, total, unfinished }: TableData, index: number): string | undefined =>
  words?.includes(index)
    ? undefined
    : `table-right ${index === total ? 'data-table-total' : ''} ${index === unfinished ? 'data-table-unfinished' : ''}`.trim()

function Cell({
  value,
  format,
  open,
  mean,
}: {
  value: number | string | null
  format: (value: number) => string
  open: (() => void) | undefined
  mean: string | undefined
}) {
  const plain = typeof value === 'number' ? format(value) : (value ?? '–')
  const text = mean ? <Mean>{plain}</Mean> : plain
  if (!open || typeof value !== 'number' || value === 0) return mean ? <span title={mean}>{text}</span> : text
  return (
    <button
      type="button"
      className="data-table-people"
      onClick={open}
      title={mean ?? 'Show the people behind this number'}
    >
      {text}
    </button>
  )
}

function Mean({ children }: { children: string }) {
  return (
    <>
      <span className="data-table-mean" aria-hidden="true">
        ø{' '}
      </span>
      <span className="unseen">mean </span>
      {children}
    </>
  )
}

export const csvOf = ({ head, fileHead = head, rows }: TableData): string =>
  csvText([fileHead, ...rows.map(({ name, cells }) => [name, ...cells])])
