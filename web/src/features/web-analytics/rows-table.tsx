import type { WebAnswers, WebRow } from '../../api/contract.ts'
import { number } from '../../lib/format.ts'
import { Skeleton } from '../../ui/states.tsx'
import { pairOf, type ShownColumn, shownColumns } from './columns.ts'
import { DIMENSIONS, type DimensionId, sameValue, toggled, type Value, valueName } from './dimensions.ts'
import { peopleSource } from './people.ts'
import { useWebSource } from './source.tsx'

type Table = Pick<WebAnswers['WebStatsTableQuery'], 'columns' | 'results'>

/** Rows with a bar behind their names. A name filters the page, the number of visitors leads to them. */
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
            <th key={name} scope="col" title={about} className={minor ? 'web-minor' : ''}>
              {head}
            </th>
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
  const { state, open } = useWebSource()
  const [now, before] = pairOf(row, column.at)
  const text = column.format(now)
  const was = before === null ? undefined : `${column.format(before)} in the previous period`
  const name = valueName(on, row[0])
  const behind = column.name === 'visitors' ? {} : column.name === 'unique_conversions' ? goalOf(state.goal) : null
  return (
    <td className={column.minor ? 'web-minor' : ''} title={was}>
      {open && behind && now ? (
        <button
          type="button"
          className="web-people"
          aria-label={`${number(now)} ${column.label.toLowerCase()}, ${name}: see the people`}
          onClick={() =>
            open({
              to: 'people',
              title: `${DIMENSIONS[on].one}: ${name}`,
              source: peopleSource(state, { row: { on, is: row[0] as Value }, ...behind }),
            })
          }
        >
          {text}
        </button>
      ) : (
        text
      )}
    </td>
  )
}

const goalOf = (goal: ReturnType<typeof useWebSource>['state']['goal']) => (goal ? { goal } : {})

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
