import { useQuery } from '@tanstack/react-query'
import { Link, Navigate } from '@tanstack/react-router'
import { lastViewed } from '../api/queries.ts'
import { useProject, useProjectParams } from '../frame/project.tsx'
import { answerOptions, useAnswer } from '../insights/answer.ts'
import type { Draft } from '../insights/draft.ts'
import { iconOf } from '../insights/kinds.ts'
import { toNode } from '../insights/node.ts'
import { draftOf } from '../insights/saved.ts'
import { InsightTile } from '../insights/tile.tsx'
import { totalOf } from '../insights/views/series-names.ts'
import { Change } from '../insights/views/totals.tsx'
import type { TrendSeries } from '../insights/views/types.ts'
import { number, plural } from '../lib/format.ts'
import { useLive } from '../lib/use-live.ts'
import { Icon } from '../ui/icon.tsx'
import { Card, Page } from '../ui/page.tsx'
import { EmptyState, ErrorState, Skeleton } from '../ui/states.tsx'
import './home.css'
import './live.css'

const PEOPLE: Draft = {
  kind: 'trends',
  series: [{ event: null, math: 'dau', name: 'Active people' }],
  from: '-30d',
  compare: true,
}
const VIEWS: Draft = { kind: 'trends', series: [{ event: '$pageview' }], from: '-30d', display: 'bar' }
const TOP: Draft = {
  kind: 'trends',
  series: [{ event: '$pageview' }],
  breakdown: { property: '$pathname', type: 'event' },
  from: '-30d',
  display: 'ranking',
}
const SOURCES: Draft = {
  kind: 'trends',
  series: [{ event: '$pageview', math: 'dau' }],
  breakdown: { property: '$referring_domain', type: 'event' },
  from: '-30d',
  display: 'ranking',
}

/** One page, readable at once. */
export function HomePage() {
  const project = useProject()
  const params = useProjectParams()
  if (!project.ingested_event) return <Navigate to="/project/$projectId/start" params={params} replace />
  return (
    <Page title={project.name} sub={`The last 30 days, in ${project.timezone}`} actions={<LiveCounter />}>
      <Figures />
      <div className="home">
        <Tile title="Active people" draft={PEOPLE} height={268} />
        <Tile title="Page views" draft={VIEWS} height={268} />
        <Tile title="Most seen pages" draft={TOP} height={284} />
        <Tile title="Where people come from" draft={SOURCES} height={284} />
      </div>
      <Recent />
    </Page>
  )
}

function Tile({ title, draft, height }: { title: string; draft: Draft; height: number }) {
  const params = useProjectParams()
  return (
    <Card
      title={title}
      action={
        <Link to="/project/$projectId/insights/new" params={params} search={{ q: draft } as never} className="small">
          Look closer
          <span className="unseen"> at {title}</span>
        </Link>
      }
    >
      <InsightTile draft={draft} height={height} />
    </Card>
  )
}

const FIGURES: Draft = {
  kind: 'trends',
  series: [
    { event: null, math: 'dau', name: 'People' },
    { event: '$pageview', name: 'Page views' },
    { event: null, math: 'unique_session', name: 'Visits' },
    { event: null, name: 'Events' },
  ],
  from: '-30d',
  compare: true,
  display: 'number',
}

/** The few numbers one looks at first, with how they changed. */
function Figures() {
  const { data, error } = useAnswer<TrendSeries[]>(toNode(FIGURES))
  if (error) return null
  const current = data?.results.filter(({ compare_label }) => compare_label !== 'previous')
  const before = data?.results.filter(({ compare_label }) => compare_label === 'previous')
  return (
    <dl className="figures">
      {FIGURES.series.map(({ name = '' }, index) => {
        const now = current?.[index]
        return (
          <div key={name} className="figure">
            <dt className="small soft">{name}</dt>
            <dd className="figure-value">{now ? number(totalOf(now)) : <Skeleton width={88} height={28} />}</dd>
            <dd className="figure-change">
              {now ? (
                <Change now={totalOf(now)} before={before?.[index] ? totalOf(before[index]) : 0} />
              ) : (
                <Skeleton width={128} height={12} />
              )}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}

const LATELY: Draft = { kind: 'trends', series: [{ event: null, math: 'dau' }], from: '-30M', display: 'number' }
const LATELY_EVERY_MS = 20_000

/** Who is here, and how much arrives. */
function LiveCounter() {
  const project = useProject()
  const params = useProjectParams()
  const live = useLive(project.id, true)
  const { data } = useQuery({
    ...answerOptions<TrendSeries[]>(project.id, toNode(LATELY)),
    refetchInterval: LATELY_EVERY_MS,
  })
  const people = data?.results[0] ? totalOf(data.results[0]) : undefined
  return (
    <Link to="/project/$projectId/live" params={params} className="button button-plain">
      <span className={`dot dot-${live.state}`} />
      {people === undefined ? 'Live' : `${plural(people, 'person', 'people')} in the last half hour`}
      {live.rate > 0 && <span className="soft">{number(Math.round(live.rate * 10) / 10)} events/s</span>}
    </Link>
  )
}

function Recent() {
  const project = useProject()
  const params = useProjectParams()
  const { data, error, isPending } = useQuery({ ...lastViewed(project.id), retry: false })
  return (
    <section className="stack">
      <h2>Recently viewed</h2>
      {error ? (
        <ErrorState error={error} />
      ) : isPending ? (
        <div className="recent">
          {[0, 1, 2, 3, 4].map((place) => (
            <Skeleton key={place} height={44} radius={8} />
          ))}
        </div>
      ) : data.length === 0 ? (
        <EmptyState icon="insights" title="Nothing viewed yet">
          <Link to="/project/$projectId/insights" params={params}>
            Build an insight
          </Link>{' '}
          and it shows up here.
        </EmptyState>
      ) : (
        <ul className="recent">
          {data.map((insight) => (
            <li key={insight.short_id}>
              <Link
                to="/project/$projectId/insights/$shortId"
                params={{ ...params, shortId: insight.short_id }}
                search={{} as never}
                className="recent-link"
              >
                <Icon name={iconOf(draftOf(insight)?.kind)} size={18} className="faint" />
                <span className="truncate">{insight.name || insight.derived_name || 'Untitled'}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
