import type { Project } from '../../accounts/index.ts'
import { type ClickHouse, questionsOf } from '../../engines/clickhouse/index.ts'
import type { Sql } from '../../engines/postgres/index.ts'
import { openInsightContext } from '../../insights/index.ts'
import type { Json } from '../../lib/json.ts'
import type { Logger } from '../../lib/logger.ts'
import { withoutNul } from '../../lib/without-nul.ts'
import { readRecordingFilters, saysSomething } from '../filters/read.ts'
import { findRecordings } from '../find/find.ts'

interface MatchingContext {
  readonly sql: Sql
  readonly clickhouse: ClickHouse
  readonly log: Logger
}

/** How many matches are stored; beyond that only "more" is. */
const MOST_MATCHES = 1_000
const STALE_MINUTES = 10
const BATCH = 50

interface Stale {
  readonly id: number
  readonly filters: Json
  readonly project: Project
  readonly before: number | null
}

/**
 * Updates the matches of playlist filters, those first that were never looked up. For filters that fail the reason is
 * stored, and the others continue. Returns how many playlists were updated.
 */
export async function refreshPlaylists(context: MatchingContext, signal?: AbortSignal): Promise<number> {
  let done = 0
  for (;;) {
    const stale = await stalePlaylists(context.sql)
    for (const playlist of stale) {
      if (signal?.aborted) return done
      await refresh(context, playlist, signal)
      done++
    }
    if (stale.length < BATCH) return done
  }
}

const stalePlaylists = (sql: Sql) => sql<Stale[]>`
  SELECT p.id, p.filters, to_jsonb(projects) AS project, cardinality(m.session_ids) AS before
  FROM playlists p JOIN projects ON projects.id = p.project_id LEFT JOIN playlist_matches m ON m.playlist_id = p.id
  WHERE NOT p.deleted AND json_typeof(p.filters) = 'object' AND p.filters::text <> '{}'
    AND (m.refreshed_at IS NULL OR m.refreshed_at < now() - make_interval(mins => ${STALE_MINUTES}))
  ORDER BY m.refreshed_at NULLS FIRST, p.id LIMIT ${BATCH}`

async function refresh(context: MatchingContext, playlist: Stale, signal?: AbortSignal): Promise<void> {
  const { sql, log } = context
  const found = await matchesOf(context, playlist, signal).catch((error: Error) => {
    log.debug(
      { playlist: playlist.id, error: withoutNul(error.message) },
      'the filters of a playlist cannot be answered',
    )
    return { sessionIds: [] as string[], hasMore: false, error: withoutNul(error.message) }
  })
  if (signal?.aborted) return
  const increased = found.error === null && found.sessionIds.length > (playlist.before ?? 0) && playlist.before !== null
  await sql`
    INSERT INTO playlist_matches (playlist_id, session_ids, has_more, increased, error)
    SELECT id, ${sql.array(found.sessionIds)}::text[], ${found.hasMore}, ${increased}, ${found.error} FROM playlists WHERE id = ${playlist.id}
    ON CONFLICT (playlist_id) DO UPDATE SET session_ids = excluded.session_ids, has_more = excluded.has_more,
      increased = excluded.increased, error = excluded.error, refreshed_at = now()`
}

async function matchesOf({ sql, clickhouse }: MatchingContext, { project, filters }: Stale, signal?: AbortSignal) {
  if (!saysSomething(filters)) return { sessionIds: [], hasMore: false, error: null }
  const asking = { sql, clickhouse: questionsOf(clickhouse, project), project, now: () => new Date() }
  const insight = await openInsightContext(asking)
  const question = { ...readRecordingFilters(filters), limit: MOST_MATCHES, offset: 0 }
  const retentionDays = project.recording_retention_days
  const { recordings, hasNext } = await findRecordings({ sql, insight, retentionDays, userId: null, signal }, question)
  return { sessionIds: recordings.map(({ session_id }) => session_id), hasMore: hasNext, error: null }
}
