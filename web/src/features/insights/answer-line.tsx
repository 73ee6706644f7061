import { type RefObject, useState } from 'react'
import { ago, duration, number } from '../../lib/format.ts'
import { datesBetween } from '../../lib/ranges.ts'
import { saveFile } from '../../lib/save-file.ts'
import type { ChartOption } from '../../ui/chart-options.ts'
import { CodeBlock } from '../../ui/code.tsx'
import { Button, IconButton } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import type { Drawn } from './answer.ts'
import { csvOf, type TableData } from './data-table.tsx'
import { PictureMenu } from './picture-menu.tsx'

/** How old, how much was read, how long it took; and the SQL and the numbers to take away. */
export function AnswerLine({
  answer,
  table,
  name,
  picture,
  interval,
  busy,
  updatedAt,
  onRefresh,
}: {
  answer: Drawn['answer'] | undefined
  table: () => TableData | undefined
  name: string
  picture: RefObject<(() => ChartOption) | null>
  /** In which steps the answer counts, where it does. */
  interval?: string | undefined
  busy: boolean
  updatedAt: number
  onRefresh: () => void
}) {
  const [sql, setSql] = useState(false)
  const rows = answer?.explain?.reduce((sum, { rows_read }) => sum + rows_read, 0)
  const seconds = answer?.explain
    ? answer.explain.reduce((sum, { elapsed_ms }) => sum + elapsed_ms, 0) / 1000
    : answer?.seconds
  return (
    <div className="answer-line" aria-live="polite">
      <span className="tiny soft">
        {busy && !answer
          ? 'Loading'
          : answer
            ? [
                covered(answer, interval),
                ago(answer.last_refresh ?? updatedAt),
                rows === undefined ? null : `${number(rows)} rows read`,
                seconds === undefined ? null : duration(seconds),
              ]
                .filter(Boolean)
                .join(' · ')
            : ''}
      </span>
      <span className="grow" />
      <IconButton small label="Refresh" icon="refresh" onClick={onRefresh} busy={busy} />
      <Button small kind="quiet" icon="sql" onClick={() => setSql(true)} disabled={!answer?.explain?.length}>
        SQL
      </Button>
      <Button
        small
        kind="quiet"
        icon="download"
        disabled={!answer}
        onClick={() => {
          const data = table()
          if (data) download(`${name}.csv`, csvOf(data))
        }}
      >
        CSV
      </Button>
      <PictureMenu
        disabled={!answer}
        picture={picture}
        name={name}
        about={(answer && covered(answer, interval)) ?? ''}
      />
      {sql && (
        <Dialog title="SQL for this result" onClose={() => setSql(false)} width={860}>
          {answer?.explain?.map((statement) => (
            <div key={statement.sql} className="stack">
              <CodeBlock label="SQL" code={statement.sql} />
              {statement.parameters && Object.keys(statement.parameters).length > 0 && (
                <CodeBlock label="Parameters" code={JSON.stringify(statement.parameters, null, 2)} />
              )}
            </div>
          ))}
        </Dialog>
      )}
    </div>
  )
}

/**
 * The days the numbers are of: weeks and months are counted whole, and so may begin before the range that was chosen.
 */
function covered(answer: Drawn['answer'], interval: string | undefined): string | null {
  if (!('resolved_date_range' in answer)) return null
  const { resolved_date_range: range, timezone } = answer
  const days = datesBetween(range.date_from, range.date_to, timezone)
  return interval === 'week' || interval === 'month' ? `${days}, in whole ${interval}s` : days
}

export const download = (name: string, text: string): void =>
  saveFile(name, new Blob([text], { type: 'text/csv;charset=utf-8' }))
