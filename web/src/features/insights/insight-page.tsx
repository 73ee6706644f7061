import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import type { Insight } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject } from '../../api/project.tsx'
import { insight as insightQuery } from '../../api/queries.ts'
import { type RangeProblem, rangeProblem } from '../../lib/ranges.ts'
import { useDebounced } from '../../lib/use-debounced.ts'
import { Badge } from '../../ui/controls.tsx'
import { Page } from '../../ui/page.tsx'
import { PictureFrame, usePictureSource } from '../../ui/picture.tsx'
import { dimmedWhile, EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx'
import { SqlQuestion } from '../sql/index.ts'
import { ChartPlaceContext } from './annotations/chart-place.tsx'
import { useDrawn } from './answer.ts'
import { AnswerLine } from './answer-line.tsx'
import { AnswerControls } from './builder/answer-controls.tsx'
import { Builder } from './builder/builder.tsx'
import { KindTabs } from './builder/kind-tabs.tsx'
import { derivedName } from './derived-name.ts'
import { changeKind, type Draft, defaultFrom, emptyDraft, isTyping } from './draft.ts'
import { InsightActions } from './insight-actions.tsx'
import { InsightView, tableOf } from './insight-view.tsx'
import { isAskable, toNode } from './node.ts'
import { draftOf } from './saved.ts'
import { Unfinished, unfinishedIn } from './unfinished.tsx'
import './insight-page.css'

export function InsightPage() {
  const project = useProject()
  const { shortId } = useParams({ strict: false })
  const { q } = useSearch({ strict: false })
  const saved = useQuery({ ...insightQuery(project.id, shortId ?? ''), enabled: shortId !== undefined })
  const stored = saved.data ? draftOf(saved.data) : undefined
  useViewed(saved.data)
  if (shortId && saved.error)
    return (
      <Page title="Insight">
        <ErrorState error={saved.error} retry={() => saved.refetch()} />
      </Page>
    )
  if (shortId && !saved.data) return <Waiting />
  if (saved.data && !stored && !q)
    return (
      <Page title={saved.data.name ?? 'Insight'}>
        <EmptyState icon="insights" title="Created through the API">
          The insight builder cannot show this query. Its results are available through the API.
        </EmptyState>
      </Page>
    )
  const draft = q ?? stored ?? emptyDraft('trends')
  const Kind = draft.kind === 'sql' ? SqlEditor : Editor
  return (
    <Kind
      key={shortId ?? 'new'}
      draft={draft}
      insight={saved.data}
      changed={q !== undefined && shortId !== undefined}
    />
  )
}

interface Edited {
  draft: Draft
  insight: Insight | undefined
  changed: boolean
}

/** Asks another question: a new entry of the history, unless it is the same one being typed. */
function useSetDraft(draft: Draft) {
  const navigate = useNavigate()
  return (next: Draft) =>
    void navigate({
      to: '.',
      search: (was) => ({ ...was, q: next, panels: undefined }),
      replace: isTyping(draft, next),
      resetScroll: false,
    })
}

function SqlEditor({ draft, insight, changed }: Edited) {
  const set = useSetDraft(draft)
  return (
    <SqlQuestion
      draft={draft}
      insight={insight}
      changed={changed}
      name={insight?.name || (draft.sql ? derivedName(draft) : 'SQL')}
      about={<About insight={insight} />}
      kinds={<KindTabs kind="sql" onPick={(kind) => set(changeKind(draft, kind))} />}
      onAsk={set}
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

/** The chart takes most of the window's height, within limits. */
const chartHeight = (): number => Math.round(Math.max(340, Math.min(520, window.innerHeight * 0.44)))

function Editor({ draft, insight, changed }: Edited) {
  const project = useProject()
  const [height] = useState(chartHeight)
  const set = useSetDraft(draft)
  const picture = usePictureSource()
  const place = useMemo(() => ({ insight: insight?.id }), [insight?.id])
  const settled = useDebounced(draft, 120)
  const node = toNode(settled)
  const dates = rangeProblem({ from: settled.from ?? defaultFrom(settled.kind), to: settled.to }, project.timezone)
  const askable = isAskable(settled) && !dates
  const { data, error, isFetching, isPlaceholderData, refetch, dataUpdatedAt } = useDrawn(node, askable)
  const stale = isPlaceholderData || isFetching || settled !== draft
  // An answer of another kind cannot be drawn as this one.
  const [answered, setAnswered] = useState(settled)
  useEffect(() => {
    if (data && !isPlaceholderData) setAnswered(settled)
  }, [data, isPlaceholderData, settled])
  const shown = isPlaceholderData ? answered : settled
  const drawable = data && sameShape(shown, settled) ? data : undefined
  const name = insight?.name || derivedName(draft)
  return (
    <Page
      title={name}
      wide
      sub={<About insight={insight} />}
      actions={<InsightActions draft={draft} insight={insight} changed={changed} />}
    >
      <KindTabs kind={draft.kind} onPick={(kind) => set(changeKind(draft, kind))} />
      <div className="insight">
        <Builder draft={draft} onChange={set} />
        <section className="insight-answer" aria-label="Result">
          <AnswerControls draft={draft} zone={project.timezone} onChange={set} />
          <AnswerLine
            draft={shown}
            answer={askable ? drawable?.answer : undefined}
            table={() => drawable && tableOf(shown, drawable)}
            name={name}
            picture={picture}
            interval={typeof drawable?.node.interval === 'string' ? drawable.node.interval : undefined}
            busy={isFetching}
            updatedAt={dataUpdatedAt}
            onRefresh={() => refetch()}
          />
          {askable && <Unfinished filters={unfinishedIn(settled)} />}
          {!askable ? (
            <NotYet draft={draft} dates={dates} height={height} />
          ) : error && !isFetching ? (
            <ErrorState error={error} retry={() => refetch()} />
          ) : drawable ? (
            <div {...dimmedWhile(stale, 'answer')}>
              <ChartPlaceContext value={place}>
                <PictureFrame source={picture}>
                  <InsightView draft={shown} drawn={drawable} height={height} />
                </PictureFrame>
              </ChartPlaceContext>
            </div>
          ) : (
            <AnswerSkeleton height={height} bare={draft.display === 'number'} />
          )}
        </section>
      </div>
    </Page>
  )
}

/** A funnel's steps and its conversion over time are two shapes of answer. */
const sameShape = (a: Draft, b: Draft): boolean => a.kind === b.kind && (a.viz ?? 'steps') === (b.viz ?? 'steps')

function About({ insight }: { insight: Insight | undefined }) {
  if (!insight?.description && !insight?.tags.length) return null
  return (
    <span className="row-wrap">
      {insight.description && <span>{insight.description}</span>}
      {insight.tags.map((tag) => (
        <Badge key={tag}>{tag}</Badge>
      ))}
    </span>
  )
}

function NotYet({ draft, dates, height }: { draft: Draft; dates: RangeProblem | null; height: number }) {
  if (dates)
    return (
      <div className="not-yet" style={{ minHeight: height }}>
        <EmptyState icon="calendar" title="No result for these dates">
          {dates.text}
        </EmptyState>
      </div>
    )
  return (
    <div className="not-yet" style={{ minHeight: height }}>
      <EmptyState
        icon={draft.kind === 'funnel' ? 'funnel' : 'insights'}
        title={draft.kind === 'funnel' ? 'Choose at least two steps' : 'Choose an event'}
      >
        {draft.kind === 'funnel'
          ? 'For example: viewed a page, signed up, subscribed.'
          : 'Results appear as you choose.'}
      </EmptyState>
    </div>
  )
}

function AnswerSkeleton({ height, bare }: { height: number; bare?: boolean }) {
  return (
    <div className="stack" style={{ gap: 16 }} role="status" aria-label="Loading">
      <Skeleton height={bare ? height * 0.6 : height} radius={8} />
      {!bare && <Skeleton height={102} radius={8} />}
    </div>
  )
}

/** What the page will look like once the insight is known. */
function Waiting() {
  return (
    <Page title={<Skeleton width={240} height={26} />} wide>
      <Skeleton height={42} radius={8} />
      <div className="insight">
        <div className="builder stack" style={{ gap: 16 }}>
          <Skeleton height={80} radius={8} />
          <Skeleton height={56} radius={8} />
        </div>
        <div className="insight-answer">
          <Skeleton width={150} height={32} radius={6} />
          <div style={{ minHeight: 28 }} />
          <AnswerSkeleton height={chartHeight()} />
        </div>
      </div>
    </Page>
  )
}
