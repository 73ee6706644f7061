import type { ClickHouse } from '../engines/clickhouse/index.ts'
import type { Sql } from '../engines/postgres/index.ts'
import { ndjson, nextDayToFill, rowsToFill, type SessionPlace } from '../events/index.ts'
import { withoutFolding } from '../identity/index.ts'
import { DAY } from '../lib/durations.ts'

/**
 * Adds the events of versions that kept no sessions to `sessions`, once.
 *
 *   waiting   the outbox still holds events of such a version
 *   filling   page by page, in the order of day, project and session. A page is inserted under a token made of the
 *             place it begins at, and its end is stored afterwards: after a crash the same page is inserted again, and
 *             ClickHouse recognises it
 *   done      nothing is left; new events are in their sessions from the start (`in_sessions`)
 */
interface FillContext {
  readonly sql: Sql
  readonly clickhouse: ClickHouse
  /** Sessions of a page. */
  readonly page?: number
}

interface Progress {
  readonly done: boolean
  readonly day: string | null
  readonly projectId: number | null
  readonly sessionId: string | null
}

/** How many sessions were added, or null while it has to wait. */
export async function fillSessions(context: FillContext, signal?: AbortSignal): Promise<number | null> {
  const { sql, clickhouse } = context
  const [progress] = await sql<Progress[]>`
    SELECT done, day::text AS day, project_id AS "projectId", session_id AS "sessionId" FROM session_backfill`
  if (progress?.done) return 0
  const [outbox] = await sql<[{ waits: boolean }]>`
    SELECT EXISTS (SELECT FROM clickhouse_outbox WHERE table_name = 'packed events') AS waits`
  if (outbox.waits) return null
  let added = 0
  let after = placeOf(progress)
  for (let from = progress?.day ?? null; !signal?.aborted; ) {
    const { rows } = await clickhouse.query<{ day: string; events: number }>(nextDayToFill(from))
    const [next] = rows
    if (next === undefined || Number(next.events) === 0) {
      await sql`
        INSERT INTO session_backfill (done) VALUES (true) ON CONFLICT (only_row) DO UPDATE SET done = true`
      return added
    }
    if (after?.day !== next.day) after = null
    let pageEnd = await fillPage(context, next.day, after)
    for (; pageEnd.added > 0 && !signal?.aborted; pageEnd = await fillPage(context, next.day, after)) {
      added += pageEnd.added
      after = pageEnd.place
    }
    from = dayAfter(next.day)
  }
  return added
}

async function fillPage(
  { sql, clickhouse, page = 5_000 }: FillContext,
  day: string,
  after: SessionPlace | null,
): Promise<{ readonly added: number; readonly place: SessionPlace | null }> {
  return withoutFolding(sql, async () => {
    const { rows } = await clickhouse.query<{ project_id: number; session_id: string }>(rowsToFill(day, after, page))
    const last = rows.at(-1)
    if (last === undefined) return { added: 0, place: after }
    const token = `fill sessions ${day} ${after === null ? '' : `${after.projectId} ${after.sessionId}`}`
    await clickhouse.insert('sessions', ndjson(rows), { token })
    const place = { day, projectId: last.project_id, sessionId: last.session_id }
    await sql`
      INSERT INTO session_backfill (day, project_id, session_id)
      VALUES (${day}, ${place.projectId}, ${place.sessionId.replaceAll('\0', '')})
      ON CONFLICT (only_row) DO UPDATE SET (day, project_id, session_id) = (EXCLUDED.day, EXCLUDED.project_id, EXCLUDED.session_id)`
    return { added: rows.length, place }
  })
}

const placeOf = (progress: Progress | undefined): SessionPlace | null =>
  progress?.day && progress.projectId !== null && progress.sessionId !== null
    ? { day: progress.day, projectId: progress.projectId, sessionId: progress.sessionId }
    : null

const dayAfter = (day: string): string => new Date(Date.parse(`${day}T00:00:00Z`) + DAY).toISOString().slice(0, 10)
