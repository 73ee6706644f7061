import { useVirtualizer } from '@tanstack/react-virtual'
import { cloneElement, memo, type ReactElement, type ReactNode, useCallback, useEffect, useRef } from 'react'
import { Icon } from './icon.tsx'
import { Skeleton } from './states.tsx'
import './table.css'

export interface Column<Row> {
  id: string
  header: ReactNode
  cell: (row: Row) => ReactNode
  align?: 'left' | 'right'
  width?: string
  /** Left out where there is little room. */
  spare?: boolean
  /** What its header sorts by, for whoever asks for the rows. */
  sort?: string
}

/** The order of the rows: `by` is a column's `sort`, with a hyphen before it for "largest or latest first". */
export interface Sorting {
  by: string
  onSort: (by: string) => void
}

/** A link without its words: the table puts the first cell into it. */
export type RowLink = ReactElement<{ className?: string; children?: ReactNode }>

/** A list, or something like one whose rows load as they scroll into view; missing rows are shown grey. */
export interface Rows<Row> {
  readonly length: number
  at(index: number): Row | undefined
}

const ROW_HEIGHT = 40
const VIRTUAL_FROM = 120
const NO_RANGE = { startIndex: null, endIndex: null }

/**
 * Rows and columns. Long tables scroll in their own box and render only the visible rows, so 10,000 rows cost as much
 * as 40. With `link` a row is a link, to be opened in a tab of its own too.
 */
export function Table<Row>({
  label,
  columns,
  rows,
  rowKey,
  link,
  height = 560,
  sorting,
  dense,
  startAt = 0,
  onSeen,
}: {
  label: string
  columns: readonly Column<Row>[]
  rows: Rows<Row>
  rowKey: (row: Row, index: number) => string
  link?: ((row: Row) => RowLink) | undefined
  height?: number | string
  sorting?: Sorting
  dense?: boolean
  /** The first visible row; like `onSeen`, only for tables that scroll. */
  startAt?: number
  /** Which rows are visible now. */
  onSeen?: (first: number, last: number) => void
}) {
  const box = useRef<HTMLElement>(null)
  const latest = useRef(link)
  latest.current = link
  const linkOf = useCallback((row: Row) => latest.current?.(row), [])
  const virtual = rows.length > VIRTUAL_FROM
  const rowHeight = dense ? 32 : ROW_HEIGHT
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    enabled: virtual,
    initialOffset: startAt * rowHeight,
  })
  const items = virtual
    ? virtualizer.getVirtualItems()
    : Array.from({ length: rows.length }, (_, index) => ({ index, start: 0, end: 0 }))
  const before = virtual ? (items[0]?.start ?? 0) : 0
  const after = virtual ? virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0) : 0
  const { startIndex: first, endIndex: last } = (virtual ? virtualizer.range : null) ?? NO_RANGE
  useEffect(() => {
    if (first !== null && last !== null) onSeen?.(first, last)
  }, [first, last, onSeen])
  return (
    <section
      ref={box}
      className={`table-box ${virtual ? 'table-box-tall' : ''}`}
      style={virtual ? { maxHeight: height } : undefined}
      tabIndex={0}
      aria-label={label}
    >
      <table
        className={`table ${dense ? 'table-dense' : ''} ${columns.some(({ width }) => width) ? 'table-fixed' : ''}`}
        aria-rowcount={rows.length}
      >
        <caption className="unseen">{label}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column.id}
                scope="col"
                className={classOf(column)}
                style={{ ['--width' as string]: column.width }}
                aria-sort={sorting && orderOf(column, sorting)}
              >
                {sorting && column.sort ? <SortButton column={column} sorting={sorting} /> : column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {before > 0 && <tr style={{ height: before }} />}
          {items.map(({ index }) => {
            const row = rows.at(index)
            return row === undefined ? (
              <BlankRow key={`blank ${index}`} index={index} columns={columns} />
            ) : (
              <TableRow key={rowKey(row, index)} row={row} columns={columns} link={link && linkOf} />
            )
          })}
          {after > 0 && <tr style={{ height: after }} />}
        </tbody>
      </table>
    </section>
  )
}

function orderOf<Row>({ sort }: Column<Row>, { by }: Sorting): 'ascending' | 'descending' | undefined {
  if (sort === undefined || by.replace('-', '') !== sort) return undefined
  return by.startsWith('-') ? 'descending' : 'ascending'
}

/** First the latest or largest, then the other way round. */
function SortButton<Row>({ column, sorting }: { column: Column<Row>; sorting: Sorting }) {
  const order = orderOf(column, sorting)
  return (
    <button
      type="button"
      className={`table-sort ${order ?? ''}`}
      onClick={() => sorting.onSort(order === 'descending' ? `${column.sort}` : `-${column.sort}`)}
    >
      {column.header}
      <Icon name="down" size={12} />
    </button>
  )
}

/** The table while its rows load: same header and row heights, so nothing jumps. */
export function TableSkeleton<Row>({ columns, rows = 10 }: { columns: readonly Column<Row>[]; rows?: number }) {
  const indices = Array.from({ length: rows }, (_, index) => index)
  return (
    <div className="table-box" role="status" aria-label="Loading">
      <table className={`table ${columns.some(({ width }) => width) ? 'table-fixed' : ''}`} aria-hidden="true">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.id} className={classOf(column)} style={{ ['--width' as string]: column.width }}>
                {column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {indices.map((index) => (
            <BlankRow key={index} index={index} columns={columns} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function BlankRow<Row>({ index, columns }: { index: number; columns: readonly Column<Row>[] }) {
  const share = 72 - ((index * 29) % 40)
  return (
    <tr>
      {columns.map((column) => (
        <td key={column.id} className={classOf(column)}>
          <Skeleton width={`${column.align === 'right' ? 60 : share}%`} inline />
        </td>
      ))}
    </tr>
  )
}

function PlainRow<Row>({
  row,
  columns,
  link,
}: {
  row: Row
  columns: readonly Column<Row>[]
  link?: ((row: Row) => RowLink | undefined) | undefined
}) {
  const leads = link?.(row)
  const cells = columns.map((column, index) => (
    <td key={column.id} className={classOf(column)}>
      {leads && index === 0
        ? cloneElement(leads, { className: 'row-link', children: column.cell(row) })
        : column.cell(row)}
    </td>
  ))
  return <tr className={leads && 'table-open'}>{cells}</tr>
}

/** Memoised, so that scrolling does not render visible rows again. */
const TableRow = memo(PlainRow) as typeof PlainRow

const classOf = <Row,>({ align, spare }: Column<Row>): string | undefined =>
  [align === 'right' ? 'table-right' : '', spare ? 'table-spare' : ''].filter(Boolean).join(' ') || undefined
