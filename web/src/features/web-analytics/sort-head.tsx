import { type Ordered, orderOf, reordered } from './order.ts'
import { useWebSource } from './source.tsx'

/** The head of a column of numbers: a button that orders the table by it. */
export function SortHead({
  on,
  name,
  label,
  about,
  minor,
  columns,
}: {
  on: Ordered
  name: string
  label: string
  about?: string | undefined
  minor?: boolean | undefined
  /** Of the table, in their order. */
  columns: readonly string[]
}) {
  const { state, change } = useWebSource()
  const { by, up } = orderOf(state, on, columns)
  const sorted = by === name
  return (
    <th
      scope="col"
      title={about}
      className={minor ? 'web-minor' : ''}
      aria-sort={sorted ? (up ? 'ascending' : 'descending') : undefined}
    >
      <button type="button" className="web-sort" onClick={() => change({ order: reordered(state, on, name, columns) })}>
        {label}
        <span className="web-sort-mark" aria-hidden>
          {sorted ? (up ? '↑' : '↓') : ''}
        </span>
      </button>
    </th>
  )
}
