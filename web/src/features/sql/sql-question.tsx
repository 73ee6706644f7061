import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import type { Insight } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject } from '../../api/project.tsx'
import { ApiFailure } from '../../lib/api-failure.ts'
import { rangeProblem } from '../../lib/ranges.ts'
import { Button } from '../../ui/controls.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, ErrorState, Skeleton, SkeletonRows } from '../../ui/states.tsx'
import type { Draft } from '../insights/index.ts'
import { DateRange, InsightActions, isAskable, sqlNode, takesDates, useAnswer } from '../insights/index.ts'
import { placeOf } from './place.ts'
import { SqlProblem, SqlResult } from './result.tsx'
import { namesOf, useProperties, useSchema } from './schema.ts'
import { SchemaList } from './schema-list.tsx'
import type { SqlEditorHandle } from './sql-editor.tsx'
import './sql.css'

const SqlEditor = lazy(() => import('./sql-editor.tsx').then((module) => ({ default: module.SqlEditor })))

const STARTER = `select event, count() as times, uniq(person_id) as people
from events
where timestamp > now() - interval 30 day
group by event
order by times desc
limit 20`

/**
 * A question in SQL: new, or a saved insight. What was run is in the address; what is being written is not, until it
 * runs or is saved.
 */
export function SqlQuestion({
  draft,
  insight,
  changed,
  name,
  about,
  kinds,
  onAsk,
}: {
  draft: Draft
  insight: Insight | undefined
  changed: boolean
  name: string
  about: ReactNode
  /** The other kinds of insight, where one can change to them. */
  kinds?: ReactNode
  onAsk: (draft: Draft) => void
}) {
  const project = useProject()
  const editor = useRef<SqlEditorHandle>(null)
  const names = useNames()
  const { sql } = draft
  const { from = draft.to ? '' : 'all', to } = draft
  const dates = takesDates(sql) ? rangeProblem({ from, to }, project.timezone) : null
  const asked = isAskable(draft) && !dates
  const { data: starter, isPending } = useStarter(sql === undefined)
  const initial = sql ?? starter?.sql ?? STARTER
  const { text, setText, noteAsked } = useText(sql)
  const written: Draft = { ...draft, sql: text ?? initial }
  const answer = useAnswer(sqlNode(draft), asked)
  const { data, error, isFetching, isPlaceholderData, refetch } = answer
  const askNow = (next: Draft) => {
    noteAsked(next.sql)
    onAsk(next)
  }
  const run = () => {
    if (written.sql === sql) void refetch()
    else askNow(written)
  }
  const refused = asked && error instanceof ApiFailure && error.status === 400 ? error : null
  const place = refused && sql !== undefined ? placeOf(refused.message, sql) : null
  // The mark belongs to the text that was run.
  const marked = place && written.sql === sql ? place : null
  return (
    <Page
      title={name}
      wide
      sub={about}
      actions={
        <InsightActions
          draft={written}
          insight={insight}
          changed={changed || (insight !== undefined && written.sql !== sql)}
        />
      }
    >
      {kinds}
      <div className="sql">
        <div className="sql-side">
          <SchemaList onPick={(column) => editor.current?.insert(column)} />
        </div>
        <div className="sql-main">
          <Suspense fallback={<Skeleton height={192} radius={8} />}>
            {sql === undefined && isPending ? (
              <Skeleton height={192} radius={8} />
            ) : (
              <SqlEditor
                ref={editor}
                value={written.sql ?? ''}
                onChange={setText}
                onRun={run}
                problem={marked}
                names={names}
              />
            )}
          </Suspense>
          <div className="row-wrap">
            <Button kind="primary" icon="play" onClick={run} busy={isFetching} disabled={!isAskable(written)}>
              Run <kbd>Ctrl ↵</kbd>
            </Button>
            {takesDates(written.sql) && (
              <DateRange
                from={from}
                to={to}
                zone={project.timezone}
                onChange={(begin, end) => askNow(withDates(written, begin, end))}
              />
            )}
          </div>
          {dates ? (
            <EmptyState icon="calendar" title="No result for these dates">
              {dates.text}
            </EmptyState>
          ) : !asked ? (
            <EmptyState icon="sql" title="Write a query and run it">
              Results appear here. The query is part of the address, so you can share a link to it.
            </EmptyState>
          ) : refused ? (
            <SqlProblem message={refused.message} place={place} />
          ) : error ? (
            <ErrorState error={error} retry={() => refetch()} />
          ) : !data ? (
            <SkeletonRows rows={8} />
          ) : (
            <SqlResult
              draft={draft}
              answered={data}
              name={insight ? name : 'query'}
              stale={isPlaceholderData}
              onDisplay={(display) => onAsk({ ...draft, display })}
            />
          )}
        </div>
      </div>
    </Page>
  )
}

/** Tables, fields and properties that the editor completes. */
function useNames() {
  const { data: tables } = useSchema()
  const ofEvents = useProperties('event', { enabled: tables !== undefined })
  const ofPersons = useProperties('person', { enabled: tables !== undefined })
  const known = JSON.stringify([ofEvents, ofPersons].map((each) => (each ?? []).map(({ name }) => name)))
  return useMemo(() => {
    const [event, person] = JSON.parse(known) as [string[], string[]]
    return namesOf(tables ?? [], { event, person })
  }, [tables, known])
}

function useStarter(enabled: boolean) {
  const project = useProject()
  return useQuery({
    queryKey: ['starter-sql', project.id],
    queryFn: ({ signal }) => ask<{ sql: string }>(inProject(project.id, 'query/draft_sql/'), { signal }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    enabled,
  })
}

/**
 * The text in the editor that has not been run. Another query in the address (back, forward) replaces it; a query that
 * was just run from here does not, because the user may have continued typing.
 */
function useText(sql: string | undefined) {
  const [text, setText] = useState<string | null>(null)
  const shown = useRef(sql)
  const asked = useRef<string | undefined>(undefined)
  useEffect(() => {
    if (shown.current === sql) return
    shown.current = sql
    if (asked.current !== sql) setText(null)
    asked.current = undefined
  }, [sql])
  const noteAsked = (next: string | undefined) => {
    if (next !== sql) asked.current = next
  }
  return { text, setText, noteAsked }
}

function withDates({ from: _, to: __, ...draft }: Draft, from: string, to: string | undefined): Draft {
  return { ...draft, ...(from === 'all' ? {} : { from }), ...(to ? { to } : {}) }
}
