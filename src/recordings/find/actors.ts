import type { ActorsQuery, ActorsSource } from '../../contract/queries/index.ts'
import { personsByUuid } from '../../identity/index.ts'
import { readQuery, runActors } from '../../insights/index.ts'
import { InvalidQuery } from '../../lib/invalid-input.ts'
import type { RecordingsContext } from '../read/context.ts'

/** The most actors of an insight that are used: their recordings are more than enough. */
const MOST_ACTORS = 1_000
const DISTINCT_IDS_EACH = 100

/** The actors of a playlist: an actors query, or the source of one. Anything else is refused. */
export function readActors(source: unknown): ActorsSource {
  const kind = (source as { kind?: unknown } | null)?.kind
  const query = readQuery(kind === 'ActorsQuery' ? source : { kind: 'ActorsQuery', source })
  const actors = (query as ActorsQuery).source
  if (!actors || actors.kind === 'HogQLQuery')
    throw new InvalidQuery('Say whose recordings: an actors query, such as FunnelsActorsQuery.', [], 'required')
  return actors
}

/** Whose recordings are behind a number of an insight: the sessions of its events, and who has events without one. */
export interface Actors {
  readonly sessionIds: readonly string[]
  readonly distinctIds: readonly string[]
}

export async function findActors(context: RecordingsContext, source: unknown): Promise<Actors> {
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
  return {
    sessionIds: [...new Set(sessions)],
    distinctIds: [...persons.values()].flatMap((person) => person.distinctIds),
  }
}
