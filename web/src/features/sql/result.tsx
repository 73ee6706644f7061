import { csvText } from '../../lib/csv.ts'
import { ago, duration, number, plural } from '../../lib/format.ts'
import { Button, Segmented } from '../../ui/controls.tsx'
import { Icon } from '../../ui/icon.tsx'
import { dimmedWhile } from '../../ui/states.tsx'
import type { Answered, Draft } from '../insights/index.ts'
import { download, SQL_DISPLAYS, type SqlDisplay, SqlView, sqlDisplayOf, whyNot } from '../insights/index.ts'
import type { Place } from './place.ts'

/** The result: row count, duration, the chosen display, and a download as CSV. */
export function SqlResult({
  draft,
  answered,
  name,
  stale,
  onDisplay,
}: {
  draft: Draft
  answered: Answered<'HogQLQuery'>
  name: string
  stale: boolean
  onDisplay: (display: SqlDisplay) => void
}) {
  const { answer } = answered
  const { results, columns, hasMore, seconds, explain } = answer
  const read = explain?.reduce((sum, { rows_read }) => sum + rows_read, 0)
  return (
    <div {...dimmedWhile(stale, 'stack')}>
      <div className="sql-line">
        <p className="tiny soft grow" role="status">
          {plural(results.length, 'row')}
          {hasMore ? ', more available: add a limit and an offset' : ''} · {duration(seconds)}
          {read === undefined ? '' : ` · ${number(read)} rows read`}
          {answer.last_refresh ? ` · ${ago(answer.last_refresh)}` : ''}
        </p>
        <Segmented
          label="Display"
          value={sqlDisplayOf(draft)}
          options={SQL_DISPLAYS.map(({ value, label }) => ({ value, label, whyNot: whyNot(value, columns, results) }))}
          onChange={onDisplay}
        />
        <Button
          small
          kind="quiet"
          icon="download"
          disabled={results.length === 0}
          onClick={() => download(`${name}.csv`, csvText([columns, ...results]))}
        >
          CSV
        </Button>
      </div>
      <SqlView draft={draft} {...answered} height={320} compact={false} />
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
