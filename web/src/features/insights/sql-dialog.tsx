import { Link } from '@tanstack/react-router'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { CodeBlock } from '../../ui/code.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { Drawn } from './answer.ts'
import type { Draft } from './draft.ts'
import { asSql, daysOf } from './sql/as-sql.ts'
import { filledIn } from './sql/filled-in.ts'

/** The same question in SQL to go on with, and the statements that were run. */
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
  const { week_start_day: weekStart } = useProject()
  const own = draft && asSql(draft, daysOf(answer, weekStart))
  return (
    <Dialog title="SQL for this result" onClose={onClose} width={860}>
      <div className="stack" style={{ gap: 16 }}>
        {own && (
          <div className="stack">
            <div className="spread">
              <p className="small soft">The same numbers from SQL that you can change and run here.</p>
              <Link to="/project/$projectId/sql" params={params} search={{ ...own }} className="button button-primary">
                <Icon name="sql" size={16} /> Open in SQL
              </Link>
            </div>
            <CodeBlock label="SQL" code={own.sql ?? ''} />
          </div>
        )}
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
