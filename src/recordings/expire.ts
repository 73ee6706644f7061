import {
  and,
  type ClickHouse,
  sql as ch,
  type Fragment,
  type MutationWatch,
  moment,
  mutate,
  uint,
} from '../engines/clickhouse/index.ts'
import type { Sql } from '../engines/postgres/index.ts'
import { DAY, startOfHour } from '../lib/durations.ts'

/** A session lasts at most a day, so no parts of a deleted one arrive after this. */
const FORGET_DELETED_AFTER_DAYS = 60

/**
 * Recordings have their day of expiry from the start, and ClickHouse drops them by itself. This job is for projects
 * whose retention was shortened since. Returns the projects that had such recordings.
 */
export async function expireRecordings(
  { sql, clickhouse, watch }: { readonly sql: Sql; readonly clickhouse: ClickHouse; readonly watch?: MutationWatch },
  now: Date,
): Promise<number[]> {
  // By the hour: a run after a crash asks for the same, and finds what the last one has started.
  const hour = startOfHour(now).getTime()
  const projects = await sql<{ id: number; days: number }[]>`SELECT id, recording_retention_days AS days FROM projects`
  const shortened: number[] = []
  for (const { id, days } of projects) {
    const before = moment(hour - days * DAY)
    const chunks = and([ch`project_id = ${uint(id)}`, ch`received_at < ${before}`])
    if (!(await hasRows(clickhouse, chunks))) continue
    const minutes = and([ch`project_id = ${uint(id)}`, ch`last_received_at < ${before}`])
    await mutate(clickhouse, { table: 'recording_minutes', change: ch`DELETE`, where: minutes }, watch)
    await mutate(clickhouse, { table: 'recording_chunks', change: ch`DELETE`, where: chunks }, watch)
    shortened.push(id)
  }
  await sql`DELETE FROM deleted_recordings WHERE deleted_at < now() - make_interval(days => ${FORGET_DELETED_AFTER_DAYS})`
  return shortened
}

/** What the job would remove: how many recordings, received from when to when. */
export async function oldRecordings(
  clickhouse: Pick<ClickHouse, 'query'>,
  { project, days, now }: { readonly project: number; readonly days: number; readonly now: Date },
): Promise<{ count: number; from: Date | null; to: Date | null }> {
  const { rows } = await clickhouse.query<{ n: number; first: number; last: number }>(ch`
    SELECT uniqExact(session_id) AS n, toUnixTimestamp64Milli(toDateTime64(min(received_at), 3)) AS first,
      toUnixTimestamp64Milli(toDateTime64(max(received_at), 3)) AS last
    FROM recording_chunks
    WHERE project_id = ${uint(project)} AND received_at < ${moment(now.getTime() - days * DAY)}`)
  const { n = 0, first = 0, last = 0 } = rows[0] ?? {}
  return { count: Number(n), from: n > 0 ? new Date(Number(first)) : null, to: n > 0 ? new Date(Number(last)) : null }
}

async function hasRows(clickhouse: ClickHouse, where: Fragment): Promise<boolean> {
  const { rows } = await clickhouse.query(ch`SELECT 1 FROM recording_chunks WHERE ${where} LIMIT 1`)
  return rows.length > 0
}
