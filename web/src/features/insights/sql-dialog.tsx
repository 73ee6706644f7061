import { Link } from '@tanstack/react-router'
import { useProjectParams } from '../../api/project.tsx'
import { CodeBlock } from '../../ui/code.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { Drawn } from './answer.ts'
import type { Draft } from './draft.ts'
import { filledIn } from './sql/filled-in.ts'

/** The same question in SQL to go on with, as the service writes it, and the statements that were run. */
export function SqlDialog({
  draft,
  answer,
  onClose,
}: {
  draft: Draft | undefined
  answer: Drawn['answer'] | undefined
  onClose: () => void
}) {
  const params = useProjectParams()
  const own = draft?.kind === 'sql' ? null : answer?.hogql
  const why = answer && 'no_hogql_reason' in answer ? answer.no_hogql_reason : undefined
  return (
    <Dialog title="SQL for this result" onClose={onClose} width={860}>
      <div className="stack" style={{ gap: 16 }}>
        {own && (
          <div className="stack">
            <div className="spread">
              <p className="small soft">The same numbers from SQL that you can change and run here.</p>
              <Link
                to="/project/$projectId/sql"
                params={params}
                search={{ sql: own, ...(isOverTime(draft) ? { display: 'line' } : {}) }}
                className="button button-primary"
              >
                <Icon name="sql" size={16} /> Open in SQL
              </Link>
            </div>
            <CodeBlock label="SQL" code={own} />
          </div>
        )}
        {why && <p className="small">This question has no short form in SQL that you could change. {why}</p>}
        <p className="small soft">
          {own ? 'What ran in ClickHouse for it' : 'What ran in ClickHouse'}, with all values filled in:
        </p>
        {answer?.explain?.map((statement) => (
          <CodeBlock
            key={statement.sql}
            label="ClickHouse"
            code={filledIn(statement.sql, statement.parameters ?? {})}
          />
        ))}
      </div>
    </Dialog>
  )
}

const TOTALS: ReadonlySet<string> = new Set(['number', 'pie', 'ranking', 'table'])
const isOverTime = (draft: Draft | undefined): boolean =>
  draft?.kind === 'trends' && !TOTALS.has(draft.display ?? 'line')
