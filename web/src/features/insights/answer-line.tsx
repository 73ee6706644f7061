import { lazy, type RefObject, Suspense, useState } from 'react'
import { ago, duration, number } from '../../lib/format.ts'
import { datesBetween } from '../../lib/ranges.ts'
import { saveFile } from '../../lib/save-file.ts'
import type { ChartOption } from '../../ui/chart-options.ts'
import { Button, IconButton } from '../../ui/controls.tsx'
import type { Drawn } from './answer.ts'
import { csvOf, type TableData } from './data-table.tsx'
import type { Draft } from './draft.ts'
import { PictureMenu } from './picture-menu.tsx'

const SqlDialog = lazy(() => import('./sql-dialog.tsx').then((module) => ({ default: module.SqlDialog })))

/** How old, how much was read, how long it took; and the SQL and the numbers to take away. */
export function AnswerLine({
  draft,
  answer,
  table,
  name,
  picture,
  interval,
  busy,
  updatedAt,
  onRefresh,
}: {
  /** What was asked. */
  draft: Draft
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
      <span className="answer-line-does">
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
      </span>
      {sql && (
        <Suspense>
          <SqlDialog draft={draft} answer={answer} onClose={() => setSql(false)} />
        </Suspense>
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
