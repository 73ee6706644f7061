import { useQuery } from '@tanstack/react-query'
import { Link, Navigate, useNavigate, useSearch } from '@tanstack/react-router'
import type { DashboardTile } from '../../api/contract.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { dashboard, dashboards, lastViewed } from '../../api/queries.ts'
import { useLive } from '../../api/use-live.ts'
import { number, plural } from '../../lib/format.ts'
import { previousRange, type Range, rangeDates, rangeLabel, rangeProblem } from '../../lib/ranges.ts'
import { LAST_30_DAYS } from '../../lib/usual-ranges.ts'
import { Icon } from '../../ui/icon.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx'
import { readLayout } from '../dashboards/index.ts'
import type { Draft } from '../insights/index.ts'
import {
  answerOptions,
  Change,
  DateRange,
  draftOf,
  InsightTile,
  iconOf,
  totalOf,
  trendsNode,
  useAnswer,
} from '../insights/index.ts'
import './home-page.css'
import '../../ui/dot.css'

/** The days that the page is about, as drafts have them. */
type Days = Pick<Draft, 'from' | 'to'>

const PEOPLE: Draft = { kind: 'trends', series: [{ event: null, math: 'dau', name: 'Active people' }], compare: true }
const VIEWS: Draft = { kind: 'trends', series: [{ event: '$pageview' }], display: 'bar' }
const TOP: Draft = {
  kind: 'trends',
  series: [{ event: '$pageview' }],
  breakdown: [{ property: '$pathname', type: 'event' }],
  display: 'ranking',
}
const SOURCES: Draft = {
  kind: 'trends',
  series: [{ event: '$pageview', math: 'dau' }],
  breakdown: [{ property: '$referring_domain', type: 'event' }],
  display: 'ranking',
}

/** One page, readable at once. */
export function HomePage() {
  const project = useProject()
  const params = useProjectParams()
  const navigate = useNavigate({ from: HERE })
  const search = useSearch({ from: HERE })
  const { from = LAST_30_DAYS, to } = search
  if (!project.ingested_event) return <Navigate to="/project/$projectId/start" params={params} replace />
  const wrong = rangeProblem({ from, to }, project.timezone)
  const days = { from, ...(to ? { to } : {}) }
  return (
    <Page
      title={project.name}
      sub={wrong ? ' ' : `${inWords(days, project.timezone)}, in ${project.timezone}`}
      actions={
        <>
          <LiveCounter />
          <DateRange
            from={from}
            to={to}
            zone={project.timezone}
            onChange={(begin, end) => void navigate({ search: { from: begin, to: end }, resetScroll: false })}
          />
        </>
      }
    >
      {wrong ? (
        <EmptyState icon="calendar" title="No result for these dates">
          {wrong.text}
        </EmptyState>
      ) : (
        <>
          <Figures days={days} />
          <KeyTrends days={days} chosen={search.from !== undefined} />
        </>
      )}
      <Recent />
      <p className="small soft">
        Another site or app?{' '}
        <Link to="/project/$projectId/start" params={params}>
          How to send events
        </Link>
      </p>
    </Page>
  )
}

const HERE = '/project/$projectId/'

/** "Last 30 days: 17 Oct – 15 Nov 2026" */
function inWords(range: Range, zone: string): string {
  const [label, dates] = [rangeLabel(range, zone), rangeDates(range, zone)]
  return dates === null || dates === label ? label : `${label}: ${dates}`
}

/**
 * The first tiles of the pinned dashboard; default tiles when none is pinned. Tiles of a dashboard keep their own dates
 * until some are chosen.
 */
function KeyTrends({ days, chosen }: { days: Days; chosen: boolean }) {
  const project = useProject()
  const params = useProjectParams()
  const pinned = useQuery({ ...dashboards(project.id, { pinned: true, limit: 1 }), staleTime: 60_000 })
  const first = pinned.data?.results[0]
  const board = useQuery({ ...dashboard(project.id, first?.id ?? 0), enabled: first !== undefined })
  const tiles = inSight(board.data?.tiles ?? []).flatMap(({ insight }) => {
    const draft = insight && draftOf(insight)
    return draft ? [{ insight, draft }] : []
  })
  const failed = pinned.error ?? board.error
  if (!failed && (pinned.isPending || (first && board.isPending)))
    return (
      <div className="home">
        {[0, 1, 2, 3].map((place) => (
          <Skeleton key={place} height={TILE_HEIGHT + 66} radius={8} />
        ))}
      </div>
    )
  if (!first || tiles.length === 0) return <Usual days={days} />
  return (
    <section className="stack" style={{ gap: 12 }}>
      <div className="spread">
        <h2>{first.name || 'Pinned dashboard'}</h2>
        <Link
          to="/project/$projectId/dashboards/$dashboardId"
          params={{ ...params, dashboardId: String(first.id) }}
          className="small"
        >
          Open the dashboard
        </Link>
      </div>
      <div className="home">
        {tiles.slice(0, MOST_TILES).map(({ insight, draft }) => (
          <Tile
            key={insight.short_id}
            title={insight.name || insight.derived_name || 'Untitled'}
            draft={chosen ? { ...draft, ...days } : draft}
            shortId={insight.short_id}
          />
        ))}
      </div>
    </section>
  )
}

/** As they stand on the dashboard, from the top. */
const inSight = (tiles: readonly DashboardTile[]) =>
  tiles
    .map((tile) => ({ tile, at: readLayout(tile.layouts) }))
    .toSorted(({ at: a }, { at: b }) => (a && b ? a.y - b.y || a.x - b.x : Number(!a) - Number(!b)))
    .map(({ tile }) => tile)

const TILE_HEIGHT = 268
const MOST_TILES = 4

const Usual = ({ days }: { days: Days }) => (
  <div className="home">
    <Tile title="Active people" draft={{ ...PEOPLE, ...days }} />
    <Tile title="Page views" draft={{ ...VIEWS, ...days }} />
    <Tile title="Top pages" draft={{ ...TOP, ...days }} />
    <Tile title="Traffic sources" draft={{ ...SOURCES, ...days }} />
  </div>
)

/** A saved insight leads to itself, a usual one to the builder. */
function Tile({ title, draft, shortId }: { title: string; draft: Draft; shortId?: string }) {
  const params = useProjectParams()
  const words = (
    <>
      Open
      <span className="unseen"> {title}</span>
    </>
  )
  return (
    <Card
      title={title}
      action={
        shortId ? (
          <Link to="/project/$projectId/insights/$shortId" params={{ ...params, shortId }} className="small">
            {words}
          </Link>
        ) : (
          <Link to="/project/$projectId/insights/new" params={params} search={{ q: draft }} className="small">
            {words}
          </Link>
        )
      }
    >
      <InsightTile draft={draft} height={TILE_HEIGHT} />
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
  compare: true,
  display: 'number',
}

/** The main numbers, with their change against the previous period. Each leads to what is behind it. */
function Figures({ days }: { days: Days }) {
  const params = useProjectParams()
  const { data, error } = useAnswer(trendsNode({ ...FIGURES, ...days }))
  if (error) return null
  const current = data?.answer.results.filter(({ compare_label }) => compare_label !== 'previous')
  const before = data?.answer.results.filter(({ compare_label }) => compare_label === 'previous')
  return (
    <dl className="figures">
      {FIGURES.series.map((series, index) => {
        const { name = '' } = series
        const now = current?.[index]
        return (
          <div key={name} className="figure">
            <dt className="small soft">
              <Link
                to="/project/$projectId/insights/new"
                params={params}
                search={{ q: { kind: 'trends', series: [series], compare: true, ...days } }}
                className="figure-link"
              >
                {name}
              </Link>
            </dt>
            <dd className="figure-value">{now ? number(totalOf(now)) : <Skeleton width={88} height={28} />}</dd>
            <dd className="figure-change">
              {now ? (
                <Change
                  now={totalOf(now)}
                  before={before?.[index] ? totalOf(before[index]) : 0}
                  previous={previousRange({ from: days.from ?? LAST_30_DAYS, to: days.to })}
                />
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
    ...answerOptions(project.id, trendsNode(LATELY)),
    refetchInterval: LATELY_EVERY_MS,
  })
  const [lately] = data?.answer.results ?? []
  const people = lately && totalOf(lately)
  return (
    <Link to="/project/$projectId/live" params={params} className="button button-plain">
      <span className={`dot dot-${live.state}`} />
      {people === undefined ? 'Live' : `${plural(people, 'person', 'people')} in the last 30 minutes`}
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
          and it will appear here.
        </EmptyState>
      ) : (
        <ul className="recent">
          {data.map((insight) => (
            <li key={insight.short_id}>
              <Link
                to="/project/$projectId/insights/$shortId"
                params={{ ...params, shortId: insight.short_id }}
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
