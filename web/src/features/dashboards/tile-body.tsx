import { useQuery } from '@tanstack/react-query'
import type { DashboardTile, Recording } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject } from '../../api/project.tsx'
import { keyed } from '../../lib/keyed.ts'
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { type Draft, draftOf, type Filter, InsightTile, isComplete } from '../insights/index.ts'
import { RecordingList } from '../recordings/index.ts'

/** What the dashboard says for all of its tiles. */
export interface ForAll {
  /** Whose annotations are drawn. */
  dashboard: number
  from?: string
  to?: string
  filters: readonly Filter[]
}

export function TileBody({ tile, forAll, height }: { tile: DashboardTile; forAll: ForAll; height: number }) {
  const draft = tile.insight ? draftOf(tile.insight) : undefined
  const recordings = recordingsQuery(tile)
  return (
    <div className="tile-body">
      {tile.text ? (
        <TextTile body={tile.text.body} />
      ) : recordings ? (
        <RecordingsTile query={recordings} forAll={forAll} height={height} />
      ) : draft ? (
        <InsightTile
          draft={applied(draft, forAll)}
          height={height}
          place={{ insight: tile.insight?.id, dashboard: forAll.dashboard }}
        />
      ) : (
        <EmptyState icon="insights" title="Created through the API">
          This query cannot be shown here. Its results are available through the API.
        </EmptyState>
      )}
    </div>
  )
}

/** The dashboard's dates take the place of the insight's own, its conditions are added. */
function applied(draft: Draft, { from, to, filters }: ForAll): Draft {
  const { from: ownFrom, to: ownTo, ...rest } = draft
  const dates = from
    ? { from, ...(to ? { to } : {}) }
    : { ...(ownFrom && { from: ownFrom }), ...(ownTo && { to: ownTo }) }
  const added = filters.filter(isComplete)
  return { ...rest, ...dates, ...(added.length > 0 ? { filters: [...(draft.filters ?? []), ...added] } : {}) }
}

type Query = Record<string, unknown>

function recordingsQuery({ insight }: DashboardTile): Query | null {
  const query = insight?.query as Query | null | undefined
  return query?.kind === 'RecordingsQuery' ? query : null
}

const ROW = 60

function RecordingsTile({ query, forAll, height }: { query: Query; forAll: ForAll; height: number }) {
  const project = useProject()
  const many = Math.max(1, Math.floor(height / ROW))
  const properties = forAll.filters.filter(isComplete)
  const asked = {
    ...query,
    limit: many,
    ...(forAll.from ? { date_from: forAll.from, ...(forAll.to ? { date_to: forAll.to } : {}) } : {}),
    ...(properties.length > 0 ? { properties } : {}),
  }
  const { data, error, refetch } = useQuery({
    queryKey: ['answer', String(project.id), asked],
    queryFn: ({ signal }) =>
      ask<{ results: Recording[] }>(inProject(project.id, 'query/'), { body: { query: asked }, signal }),
  })
  if (error) return <ErrorState error={error} retry={() => refetch()} />
  if (!data) return <SkeletonRows rows={many} height={40} />
  return (
    <div className="tile-recordings">
      <RecordingList recordings={data.results} empty="No recordings in this period." />
    </div>
  )
}

/** Headings, items and paragraphs, line by line. */
function TextTile({ body }: { body: string }) {
  return (
    <div className="tile-text">
      {keyed(body.split('\n')).map(({ key, item: line }) =>
        line.startsWith('#') ? (
          <h3 key={key}>{line.replace(/^#+\s*/, '')}</h3>
        ) : line.startsWith('- ') ? (
          <p key={key} className="tile-item">
            {line.slice(2)}
          </p>
        ) : (
          <p key={key}>{line}</p>
        ),
      )}
    </div>
  )
}
