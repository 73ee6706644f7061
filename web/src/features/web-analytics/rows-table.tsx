import type { WebAnswers, WebRow } from '../../api/contract.ts'
import { Skeleton } from '../../ui/states.tsx'
import { pairOf, type ShownColumn, shownColumns } from './columns.ts'
import { DIMENSIONS, type DimensionId, sameValue, toggled, valueName } from './dimensions.ts'
import { NumberButton } from './number-button.tsx'
import { behindCell, peopleSource } from './people.ts'
import { SortHead } from './sort-head.tsx'
import { useWebSource } from './source.tsx'

type Table = Pick<WebAnswers['WebStatsTableQuery'], 'columns' | 'results'>

/** Rows with a bar behind their names. A name filters the page, a number leads to the people behind it. */
export function RowsTable({ on, table, label }: { on: DimensionId; table: Table; label: string }) {
  const { state, change } = useWebSource()
  const { filters = [] } = state
  const columns = shownColumns(table.columns)
  const most = Math.max(1, ...table.results.map((row) => pairOf(row, 1)[0] ?? 0))
  return (
    <table className="web-table">
      <caption className="unseen">{label}</caption>
      <thead>
        <tr>
          <th scope="col">{DIMENSIONS[on].one}</th>
          {columns.map(({ name, label: head, about, minor }) => (
            <SortHead
              key={name}
              on={on}
              label={head}
              {...{ name, about, minor }}
              columns={columns.map((it) => it.name)}
            />
          ))}
        </tr>
      </thead>
      <tbody>
        {table.results.map((row) => {
          const name = valueName(on, row[0])
          const chosen = filters.some((each) => each.on === on && sameValue(each.is, row[0]))
          return (
            <tr key={JSON.stringify(row[0])} className={chosen ? 'web-chosen' : ''}>
              <th scope="row">
                <span className="web-bar" style={{ width: `${((pairOf(row, 1)[0] ?? 0) / most) * 100}%` }} />
                <button
                  type="button"
                  className="web-name truncate"
                  title={name}
                  aria-pressed={chosen}
                  onClick={() => change({ filters: toggled(filters, { on, is: row[0] }) })}
                >
                  {name}
                </button>
              </th>
              {columns.map((column) => (
                <NumberCell key={column.name} on={on} row={row} column={column} />
              ))}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

function NumberCell({ on, row, column }: { on: DimensionId; row: WebRow; column: ShownColumn }) {
  const { state, zone } = useWebSource()
  const [now, before] = pairOf(row, column.at)
  const name = valueName(on, row[0])
  const behind = now ? behindCell(column.name, { on, is: row[0] }, state, zone) : null
  return (
    <NumberButton
      text={column.format(now)}
      about={`${column.label.toLowerCase()}, ${name}`}
      was={before === null ? undefined : `${column.format(before)} in the previous period`}
      minor={column.minor}
      behind={behind && { title: `${DIMENSIONS[on].one}: ${name}`, source: peopleSource(state, behind) }}
    />
  )
}

/** As tall as the rows that will stand here. */
export function RowsSkeleton({ rows }: { rows: number }) {
  return (
    <div className="web-rows-skeleton" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, index) => 92 - ((index * 29) % 55)).map((width) => (
        <Skeleton key={width} height={20} width={`${width}%`} />
      ))}
    </div>
  )
}
