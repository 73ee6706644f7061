import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useCallback, useRef, useState } from 'react'
import { ApiFailure, ask, inProject } from '../api/http.ts'
import { useProject } from '../frame/project.tsx'
import { useAnswer } from '../insights/answer.ts'
import { placeOf } from '../sql/place.ts'
import { SqlProblem, SqlResult, type SqlRow } from '../sql/result.tsx'
import { SchemaList } from '../sql/schema-list.tsx'
import { Button } from '../ui/controls.tsx'
import { Page } from '../ui/page.tsx'
import type { SqlEditorHandle } from '../ui/sql-editor.tsx'
import { EmptyState, ErrorState, Skeleton, SkeletonRows } from '../ui/states.tsx'
import './sql.css'

const SqlEditor = lazy(() => import('../ui/sql-editor.tsx').then((module) => ({ default: module.SqlEditor })))

const STARTER = `select event, count() as times, uniq(person_id) as people
from events
where timestamp > now() - interval 30 day
group by event
order by times desc
limit 20`

/** Questions in SQL. What was run is in the address; what is being written is not, until it runs. */
export function SqlPage() {
  const project = useProject()
  const navigate = useNavigate()
  const editor = useRef<SqlEditorHandle>(null)
  const { sql } = useSearch({ strict: false }) as { sql?: string }
  const starter = useQuery({
    queryKey: ['starter-sql', project.id],
    queryFn: ({ signal }) => ask<{ sql: string }>(inProject(project.id, 'query/draft_sql/'), { signal }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    enabled: sql === undefined,
  })
  const initial = sql ?? starter.data?.sql ?? STARTER
  const [text, setText] = useState<string | null>(null)
  const answer = useAnswer<SqlRow[]>({ kind: 'HogQLQuery', query: sql ?? '' }, sql !== undefined)
  const { data, error, isFetching, isPlaceholderData, refetch } = answer
  const run = useCallback(() => {
    const wanted = text ?? initial
    if (wanted === sql) void refetch()
    else void navigate({ to: '.', search: { sql: wanted } as never, resetScroll: false })
  }, [navigate, text, initial, sql, refetch])
  const refused = sql !== undefined && error instanceof ApiFailure && error.status === 400 ? error : null
  const place = refused && sql !== undefined ? placeOf(refused.message, sql) : null
  // The mark belongs to the text that was run.
  const marked = place && (text ?? initial) === sql ? place : null
  return (
    <Page
      title="SQL"
      wide
      sub="Ask anything of your events. Properties are read as properties.name."
      actions={
        <Button kind="primary" icon="play" onClick={run} busy={isFetching}>
          Run <kbd>Ctrl ↵</kbd>
        </Button>
      }
    >
      <div className="sql">
        <SchemaList onPick={(name) => editor.current?.insert(name)} />
        <div className="sql-main">
          <Suspense fallback={<Skeleton height={192} radius={8} />}>
            {sql === undefined && starter.isPending ? (
              <Skeleton height={192} radius={8} />
            ) : (
              <SqlEditor ref={editor} value={text ?? initial} onChange={setText} onRun={run} problem={marked} />
            )}
          </Suspense>
          {sql === undefined ? (
            <EmptyState icon="sql" title="Write a question and run it">
              The answer shows here. The address carries the question, so a link to it can be shared.
            </EmptyState>
          ) : refused ? (
            <SqlProblem message={refused.message} place={place} />
          ) : error ? (
            <ErrorState error={error} retry={() => refetch()} />
          ) : !data ? (
            <SkeletonRows rows={8} />
          ) : (
            <SqlResult answer={data} stale={isPlaceholderData} />
          )}
        </div>
      </div>
    </Page>
  )
}
