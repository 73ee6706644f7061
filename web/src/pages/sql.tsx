import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useCallback, useState } from 'react'
import { ask, inProject } from '../api/http.ts'
import { useProject } from '../frame/project.tsx'
import { useAnswer } from '../insights/answer.ts'
import { download } from '../insights/answer-line.tsx'
import { duration, number, plural, valueText } from '../lib/format.ts'
import { Button } from '../ui/controls.tsx'
import { Page } from '../ui/page.tsx'
import { EmptyState, ErrorState, Skeleton, SkeletonRows } from '../ui/states.tsx'
import { type Column, Table } from '../ui/table.tsx'
import './sql.css'

const SqlEditor = lazy(() => import('../ui/sql-editor.tsx').then((module) => ({ default: module.SqlEditor })))

const STARTER = `select event, count() as times, uniq(person_id) as people
from events
where timestamp > now() - interval 30 day
group by event
order by times desc
limit 20`

type Row = unknown[]

export function SqlPage() {
  const project = useProject()
  const navigate = useNavigate()
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
  const run = useCallback(
    () => void navigate({ to: '.', search: { sql: text ?? initial } as never }),
    [navigate, text, initial],
  )
  const { data, error, isFetching, isPlaceholderData, refetch } = useAnswer<Row[]>(
    { kind: 'HogQLQuery', query: sql ?? '' },
    sql !== undefined,
  )
  return (
    <Page
      title="SQL"
      wide
      sub="Tables: events, persons, person_distinct_ids, groups, sessions. Properties as properties.name."
      actions={
        <Button
          kind="primary"
          onClick={() => {
            run()
            if (sql === (text ?? initial)) void refetch()
          }}
          busy={isFetching}
        >
          Run <kbd>Ctrl ↵</kbd>
        </Button>
      }
    >
      <Suspense fallback={<Skeleton height={220} radius={8} />}>
        {!(sql === undefined && starter.isPending) ? (
          <SqlEditor value={text ?? initial} onChange={setText} onRun={run} />
        ) : (
          <Skeleton height={220} radius={8} />
        )}
      </Suspense>
      {sql === undefined ? (
        <EmptyState icon="sql" title="Write a question and run it">
          The answer shows here. The address carries the question, so a link to it can be shared.
        </EmptyState>
      ) : error ? (
        <ErrorState error={error} retry={() => refetch()} />
      ) : !data ? (
        <SkeletonRows rows={8} />
      ) : (
        <div className="stack" style={{ opacity: isPlaceholderData ? 0.5 : 1 }}>
          <div className="spread">
            <p className="tiny soft">
              {plural(data.results.length, 'row')}
              {data.hasMore ? ', there are more' : ''} · {duration(data.seconds)}
            </p>
            <Button
              small
              kind="quiet"
              icon="download"
              onClick={() => download('query.csv', csv(data.columns ?? [], data.results))}
            >
              CSV
            </Button>
          </div>
          <Table
            label="Result"
            dense
            columns={columnsOf(data.columns ?? [])}
            rows={data.results}
            rowKey={(_, index) => String(index)}
          />
        </div>
      )}
    </Page>
  )
}

const columnsOf = (names: readonly string[]): Column<Row>[] =>
  names.map((name, index) => ({
    id: `${index}/${name}`,
    header: name,
    cell: (row) => {
      const value = row[index]
      return typeof value === 'number' ? (
        number(value)
      ) : value === null ? (
        <span className="faint">null</span>
      ) : (
        valueText(value)
      )
    },
  }))

const csv = (names: readonly string[], rows: readonly Row[]): string =>
  [names, ...rows]
    .map((line) => line.map((value) => `"${valueText(value ?? '').replaceAll('"', '""')}"`).join(','))
    .join('\r\n')
