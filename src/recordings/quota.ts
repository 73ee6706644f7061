import { type ClickHouse, sql as ch, moment, uint } from '../engines/clickhouse/index.ts'
import type { Sql } from '../engines/postgres/index.ts'

/** Counts the recordings of a project this month (UTC) and stores the number for capture. */
export async function countRecordingUsage(
  sql: Sql,
  clickhouse: ClickHouse,
  project: number,
  now: Date,
): Promise<number> {
  const month = Date.UTC(now.getUTCFullYear(), now.getUTCMonth())
  const { rows } = await clickhouse.query<{ recordings: number }>(ch`
    SELECT uniqExact(session_id) AS recordings FROM recording_minutes
    WHERE project_id = ${uint(project)} AND minute >= ${moment(month)}`)
  const recordings = rows[0]?.recordings ?? 0
  await sql`
    INSERT INTO recording_usage (project_id, month, recordings)
    SELECT id, ${new Date(month)}, ${recordings} FROM projects WHERE id = ${project}
    ON CONFLICT (project_id, month) DO UPDATE SET recordings = excluded.recordings, counted_at = now()`
  return recordings
}
