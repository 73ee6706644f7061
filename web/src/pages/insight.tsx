import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { ask, inProject } from '../api/http.ts'
import { insight as insightQuery } from '../api/queries.ts'
import type { Insight } from '../api/types.ts'
import { useProject, useProjectParams } from '../frame/project.tsx'
import { useAnswer } from '../insights/answer.ts'
import { AnswerLine } from '../insights/answer-line.tsx'
import { Builder, without } from '../insights/builder/builder.tsx'
import { DateRange } from '../insights/builder/date-range.tsx'
import { derivedName } from '../insights/derived-name.ts'
import { type Display, type Draft, defaultFrom, emptyDraft, type Interval } from '../insights/draft.ts'
import { InsightView, twinOf } from '../insights/insight-view.tsx'
import { isAskable, toNode } from '../insights/node.ts'
import { AddToDashboard, SaveInsight } from '../insights/save-insight.tsx'
import { draftOf } from '../insights/saved.ts'
import { useDebounced } from '../lib/use-debounced.ts'
import { IconButton, Select } from '../ui/controls.tsx'
import { Icon } from '../ui/icon.tsx'
import { Page } from '../ui/page.tsx'
import { EmptyState, ErrorState, Skeleton, SkeletonRows } from '../ui/states.tsx'
import { say } from '../ui/toast.tsx'
import './insight.css'

export function InsightPage() {
  const project = useProject()
  const { shortId } = useParams({ strict: false })
  const { q } = useSearch({ strict: false }) as { q?: Draft }
  const saved = useQuery({ ...insightQuery(project.id, shortId ?? ''), enabled: shortId !== undefined })
  const stored = saved.data ? draftOf(saved.data) : undefined
  useViewed(saved.data)
  if (shortId && saved.error)
    return (
      <Page title="Insight">
        <ErrorState error={saved.error} retry={() => saved.refetch()} />
      </Page>
    )
  if (shortId && !saved.data)
    return (
      <Page title="Insight">
        <SkeletonRows rows={8} />
      </Page>
    )
  if (saved.data && !stored && !q)
    return (
      <Page title={saved.data.name ?? 'Insight'}>
        <EmptyState icon="insights" title="Made elsewhere">
          This insight asks something that the builder does not show. It can still be read through the API.
        </EmptyState>
      </Page>
    )
  const draft = q ?? stored ?? emptyDraft('trends')
  return (
    <Editor
      key={shortId ?? 'new'}
      draft={draft}
      insight={saved.data}
      changed={q !== undefined && shortId !== undefined}
    />
  )
}

function useViewed(insight: Insight | undefined) {
  const project = useProject()
  const id = insight?.id
  useEffect(() => {
    if (id !== undefined) ask(inProject(project.id, `insights/${id}/viewed/`), { method: 'POST' }).catch(() => {})
  }, [id, project.id])
}

function Editor({ draft, insight, changed }: { draft: Draft; insight: Insight | undefined; changed: boolean }) {
  const project = useProject()
  const navigate = useNavigate()
  const set = (next: Draft) =>
    void navigate({
      to: '.',
      search: ((was: object) => ({ ...was, q: next, doors: undefined })) as never,
      replace: sameShape(draft, next),
    })
  const settled = useDebounced(draft, 120)
  const node = toNode(settled)
  const askable = isAskable(settled)
  const { data, error, isFetching, isPlaceholderData, refetch, dataUpdatedAt } = useAnswer(node, askable)
  const stale = isPlaceholderData || isFetching || settled !== draft
  // An answer of another kind cannot be drawn as this one.
  const [answered, setAnswered] = useState<{ draft: Draft; node: typeof node }>({ draft: settled, node })
  useEffect(() => {
    if (data && !isPlaceholderData) setAnswered({ draft: settled, node: toNode(settled) })
  }, [data, isPlaceholderData, settled])
  const drawable = data && (isPlaceholderData ? answered.draft.kind === settled.kind : true)
  const shown = isPlaceholderData ? answered : { draft: settled, node }
  const name = insight?.name || derivedName(draft)
  return (
    <Page
      title={name}
      wide
      sub={insight?.description || undefined}
      actions={<Actions draft={draft} insight={insight} changed={changed} />}
    >
      <div className="insight">
        <Builder draft={draft} onChange={set} />
        <section className="insight-answer" aria-label="The answer">
          <Controls draft={draft} zone={project.timezone} onChange={set} />
          <AnswerLine
            answer={drawable ? data : undefined}
            twin={() => twinOf(shown.draft, data as never)}
            name={name}
            busy={isFetching}
            updatedAt={dataUpdatedAt}
            onRefresh={() => refetch()}
          />
          {!askable ? (
            <NotYet draft={draft} />
          ) : error && !isFetching ? (
            <ErrorState error={error} retry={() => refetch()} />
          ) : drawable ? (
            <div className={`answer ${stale ? 'answer-stale' : ''}`} aria-busy={stale}>
              <InsightView draft={shown.draft} node={shown.node} answer={data} />
            </div>
          ) : (
            <Skeleton height={360} radius={8} />
          )}
        </section>
      </div>
    </Page>
  )
}

/** Typing in a field changes the entry in the history; choosing something else makes a new one. */
const sameShape = (a: Draft, b: Draft): boolean =>
  a.kind === b.kind && (a.formula !== b.formula || a.startPoint !== b.startPoint || a.endPoint !== b.endPoint)

function NotYet({ draft }: { draft: Draft }) {
  return (
    <EmptyState
      icon={draft.kind === 'funnel' ? 'funnel' : 'insights'}
      title={draft.kind === 'funnel' ? 'Choose at least two steps' : 'Choose an event'}
    >
      {draft.kind === 'funnel'
        ? 'For example: Page view, then signed up, then what makes them stay.'
        : 'The answer appears as you choose.'}
    </EmptyState>
  )
}

const DISPLAYS: { value: Display; label: string }[] = [
  { value: 'line', label: 'Line' },
  { value: 'area', label: 'Area' },
  { value: 'bar', label: 'Bars' },
  { value: 'cumulative', label: 'Cumulative' },
  { value: 'number', label: 'Number' },
  { value: 'ranking', label: 'Ranking' },
  { value: 'pie', label: 'Pie' },
  { value: 'table', label: 'Table' },
]

function Controls({ draft, zone, onChange }: { draft: Draft; zone: string; onChange: (draft: Draft) => void }) {
  const timed =
    draft.kind === 'trends' || draft.kind === 'lifecycle' || draft.kind === 'stickiness' || draft.viz === 'trends'
  return (
    <div className="row-wrap">
      {draft.kind !== 'retention' && (
        <DateRange
          from={draft.from ?? defaultFrom(draft.kind)}
          to={draft.to}
          zone={zone}
          onChange={(from, to) => onChange({ ...without(draft, 'to', to), from })}
        />
      )}
      {timed && (
        <Select
          label="Interval"
          value={draft.interval ?? 'day'}
          options={['hour', 'day', 'week', 'month'].map((interval) => ({ value: interval, label: `by ${interval}` }))}
          onChange={(event) => onChange({ ...draft, interval: event.target.value as Interval })}
        />
      )}
      <span className="grow" />
      {draft.kind === 'trends' && (
        <Select
          label="Display"
          value={draft.display ?? 'line'}
          options={DISPLAYS}
          onChange={(event) => onChange({ ...draft, display: event.target.value as Display })}
        />
      )}
      {draft.kind === 'funnel' && (
        <Select
          label="Display"
          value={draft.viz ?? 'steps'}
          options={[
            { value: 'steps', label: 'Steps' },
            { value: 'trends', label: 'Conversion over time' },
            { value: 'time_to_convert', label: 'Time to convert' },
          ]}
          onChange={(event) => onChange({ ...draft, viz: event.target.value as NonNullable<Draft['viz']> })}
        />
      )}
    </div>
  )
}

function Actions({ draft, insight, changed }: { draft: Draft; insight: Insight | undefined; changed: boolean }) {
  const project = useProject()
  const params = useProjectParams()
  const client = useQueryClient()
  const favourite = useMutation({
    mutationFn: (favorited: boolean) =>
      ask<Insight>(inProject(project.id, `insights/${insight?.id}/`), { method: 'PATCH', body: { favorited } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['insight'] }),
  })
  const share = async () => {
    await navigator.clipboard.writeText(window.location.href)
    say('Link copied')
  }
  return (
    <>
      <Link to="/project/$projectId/insights" params={params} className="button button-quiet">
        <Icon name="left" size={16} /> Insights
      </Link>
      <IconButton label="Copy a link to this" icon="link" onClick={share} />
      {insight && (
        <IconButton
          label={insight.favorited ? 'No longer a favourite' : 'Make it a favourite'}
          icon="star"
          className={insight.favorited ? 'favourite' : ''}
          aria-pressed={insight.favorited}
          onClick={() => favourite.mutate(!insight.favorited)}
        />
      )}
      <AddToDashboard draft={draft} insight={insight} />
      <SaveInsight draft={draft} insight={insight} changed={changed} />
    </>
  )
}
