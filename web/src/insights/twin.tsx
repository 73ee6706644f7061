import { number } from '../lib/format.ts'
import { cssColour } from '../lib/series-colours.ts'
import '../ui/table.css'
import './twin.css'

/** The numbers of a chart as a table: for screen readers, for reading exactly, and for CSV. */
export interface Twin {
  label: string
  head: string[]
  rows: TwinRow[]
  /** Columns of words, which begin at the left. */
  words?: readonly number[]
}

export interface TwinRow {
  key: string
  name: string
  colour?: number
  cells: (number | string | null)[]
  /** The people behind a cell. */
  open?: ((cell: number) => void) | undefined
}

export function TwinTable({ twin, format = number }: { twin: Twin; format?: ((value: number) => string) | undefined }) {
  return (
    <section className="table-box twin" aria-label={twin.label} tabIndex={0}>
      <table className="table table-dense">
        <caption className="unseen">{twin.label}</caption>
        <thead>
          <tr>
            {twin.head.map((title, index) => (
              <th
                key={title}
                scope="col"
                className={index === 0 ? 'twin-name' : twin.words?.includes(index) ? undefined : 'table-right'}
              >
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {twin.rows.map((row) => (
            <tr key={row.key}>
              <th scope="row" className="twin-name">
                {row.colour !== undefined && (
                  <span className="twin-dot" style={{ background: cssColour(row.colour) }} />
                )}
                {row.name}
              </th>
              {row.cells.map((cell, index) => (
                <td key={twin.head[index + 1]} className={twin.words?.includes(index + 1) ? undefined : 'table-right'}>
                  <Cell value={cell} format={format} open={row.open ? () => row.open?.(index) : undefined} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Cell({
  value,
  format,
  open,
}: {
  value: number | string | null
  format: (value: number) => string
  open: (() => void) | undefined
}) {
  const text = typeof value === 'number' ? format(value) : (value ?? '–')
  if (!open || typeof value !== 'number' || value === 0) return text
  return (
    <button type="button" className="twin-door" onClick={open} title="Who is behind this number">
      {text}
    </button>
  )
}

export function csvOf({ head, rows }: Twin): string {
  const quote = (value: number | string | null) => {
    const text = value === null ? '' : String(value)
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
  return [head, ...rows.map(({ name, cells }) => [name, ...cells])]
    .map((line) => line.map(quote).join(','))
    .join('\r\n')
}
