import type { Answer } from '../insights/answer.ts'
import { download } from '../insights/answer-line.tsx'
import { duration, number, plural, valueText } from '../lib/format.ts'
import { Button } from '../ui/controls.tsx'
import { Icon } from '../ui/icon.tsx'
import { EmptyState } from '../ui/states.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { csvOf } from './csv.ts'
import type { Place } from './place.ts'

export type SqlRow = unknown[]

/** Rows, how many and how long it took, and the way out as a file. */
export function SqlResult({ answer, stale }: { answer: Answer<SqlRow[]>; stale: boolean }) {
  const { results, columns = [], hasMore, seconds, explain } = answer
  const read = explain?.reduce((sum, { rows_read }) => sum + rows_read, 0)
  return (
    <div className="stack" style={{ opacity: stale ? 0.5 : 1 }} aria-busy={stale || undefined}>
      <div className="spread">
        <p className="tiny soft" role="status">
          {plural(results.length, 'row')}
          {hasMore ? ', there are more: add a limit and an offset' : ''} · {duration(seconds)}
          {read ? ` · ${number(read)} rows read` : ''}
        </p>
        <Button
          small
          kind="quiet"
          icon="download"
          disabled={results.length === 0}
          onClick={() => download('query.csv', csvOf(columns, results))}
        >
          CSV
        </Button>
      </div>
      {results.length === 0 ? (
        <EmptyState icon="search" title="No rows">
          The query ran and found nothing. Look further back in time, or take a condition away.
        </EmptyState>
      ) : (
        <Table
          label="Result"
          dense
          columns={columnsOf(columns, results)}
          rows={results}
          rowKey={(_, index) => String(index)}
        />
      )}
    </div>
  )
}

/** What is wrong, and where. */
export function SqlProblem({ message, place }: { message: string; place: Place | null }) {
  return (
    <div className="sql-problem" role="alert">
      <Icon name="alert" size={18} />
      <div>
        <p className="strong">{message}</p>
        <p className="small">
          {place ? `Line ${place.line}, column ${place.column}.` : 'Change the query and run it again.'}
        </p>
      </div>
    </div>
  )
}

/** Numbers stand to the right when all of a column are. */
function columnsOf(names: readonly string[], rows: readonly SqlRow[]): Column<SqlRow>[] {
  return names.map((name, index) => {
    const numeric = rows.slice(0, 100).every((row) => typeof row[index] === 'number' || row[index] === null)
    return {
      id: `${index}/${name}`,
      header: name,
      ...(numeric ? { align: 'right' as const } : {}),
      cell: (row) => <Cell value={row[index]} />,
    }
  })
}

function Cell({ value }: { value: unknown }) {
  if (value === null) return <span className="faint">null</span>
  if (typeof value === 'number') return number(value)
  const text = valueText(value)
  return <span title={text.length > 60 ? text : undefined}>{text}</span>
}
