import type { ActorsQuery, ActorsSource } from '../../contract/queries/index.ts'
import { type Fragment, or, sql, strings } from '../../engines/clickhouse/index.ts'
import { personsByUuid } from '../../identity/index.ts'
import { readQuery, runActors } from '../../insights/index.ts'
import { InvalidQuery } from '../../lib/invalid-input.ts'
import { type Bounds, withDistinctIds } from '../filters/conditions.ts'
import type { RecordingsContext } from './context.ts'

/** The most actors of an insight that are used: their recordings are more than enough. */
const MOST_ACTORS = 1_000
const DISTINCT_IDS_EACH = 100

/** The actors of a playlist: an actors query, or the source of one. Anything else is refused. */
export function readActors(source: unknown): ActorsSource {
  const kind = (source as { kind?: unknown } | null)?.kind
  const query = readQuery(kind === 'ActorsQuery' ? source : { kind: 'ActorsQuery', source })
  const actors = (query as ActorsQuery).source
  if (!actors)
    throw new InvalidQuery('Say whose recordings: an actors query, such as FunnelsActorsQuery.', [], 'required')
  return actors
}

/**
 * The recordings behind a number of an insight: the sessions of its events, and for persons whose events have no
 * session, all their recordings.
 */
export async function ofActors(context: RecordingsContext, source: unknown, bounds: Bounds): Promise<Fragment> {
  const { insight, sql: db, signal } = context
  const page = { limit: MOST_ACTORS, offset: 0 }
  const { actors, groupIndex } = await runActors(insight, readActors(source), page, { signal })
  const sessions = actors.flatMap(({ recordings }) => recordings.map(({ session_id }) => session_id))
  const without = groupIndex === undefined ? actors.filter(({ recordings }) => recordings.length === 0) : []
  const persons = await personsByUuid(
    db,
    insight.project.id,
    without.map(({ id }) => id),
    { distinctIds: DISTINCT_IDS_EACH },
  )
  const distinctIds = [...persons.values()].flatMap((person) => person.distinctIds)
  return or([
    ...(sessions.length === 0 ? [] : [sql`m.session_id IN ${strings([...new Set(sessions)])}`]),
    ...(distinctIds.length === 0 ? [] : [withDistinctIds(distinctIds, insight.project.id, bounds)]),
  ])
}
