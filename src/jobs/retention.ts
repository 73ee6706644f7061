import {
  and,
  type ClickHouse,
  sql as ch,
  type Fragment,
  ident,
  type MutationWatch,
  moment,
  mutate,
  uint,
} from '../engines/clickhouse/index.ts'
import type { Sql } from '../engines/postgres/index.ts'
import { DAY, startOfHour } from '../lib/durations.ts'

/** Removes events that are older than the retention of their project. By default a project keeps all events. */
export async function removeOldEvents(
  { sql, clickhouse, watch }: { readonly sql: Sql; readonly clickhouse: ClickHouse; readonly watch?: MutationWatch },
  time: Date,
): Promise<Map<number, number>> {
  // By the hour: a run after a crash asks for the same, and finds what the last one has started.
  const now = startOfHour(time)
  const removed = new Map<number, number>()
  const projects = await sql<{ id: number; days: number }[]>`
    SELECT id, data_retention_days AS days FROM projects WHERE data_retention_days IS NOT NULL ORDER BY id`
  for (const { id, days } of projects) {
    const old = olderThan(id, days, now)
    const count = await countOf(clickhouse, old)
    // A row of `sessions` is a day: it goes when the whole day is too old.
    const wholeDays = ch`project_id = ${uint(id)} AND day < toDate32(${moment(now.getTime() - days * DAY)})`
    // Each by what is left in it: points come without events, days end later, and a run may have ended between two. The
    // rows of `event_uuids` too: a removed event may be sent again.
    for (const [table, where] of [
      ['event_uuids', old],
      ['heatmaps', old],
      ['events', old],
      ['sessions', wholeDays],
    ] as const)
      if (await hasRows(clickhouse, table, where)) await mutate(clickhouse, { table, change: ch`DELETE`, where }, watch)
    if (count > 0) removed.set(id, count)
  }
  return removed
}

const olderThan = (project: number, days: number, now: Date): Fragment =>
  and([ch`project_id = ${uint(project)}`, ch`timestamp < ${moment(now.getTime() - days * DAY)}`])

/** What the job would remove: how many events, from when to when. */
export async function oldEvents(
  clickhouse: Pick<ClickHouse, 'query'>,
  { project, days, now }: { readonly project: number; readonly days: number; readonly now: Date },
): Promise<{ count: number; from: Date | null; to: Date | null }> {
  const { rows } = await clickhouse.query<{ n: number; first: number; last: number }>(ch`
    SELECT count() AS n, toUnixTimestamp64Milli(min(timestamp)) AS first, toUnixTimestamp64Milli(max(timestamp)) AS last
    FROM events WHERE ${olderThan(project, days, now)}`)
  const { n = 0, first = 0, last = 0 } = rows[0] ?? {}
  return { count: n, from: n > 0 ? new Date(Number(first)) : null, to: n > 0 ? new Date(Number(last)) : null }
}

const countOf = async (clickhouse: ClickHouse, where: Fragment): Promise<number> =>
  (await clickhouse.query<{ n: number }>(ch`SELECT count() AS n FROM events WHERE ${where}`)).rows[0]?.n ?? 0

const hasRows = async (clickhouse: ClickHouse, table: string, where: Fragment): Promise<boolean> =>
  (await clickhouse.query(ch`SELECT 1 FROM ${ident(table)} WHERE ${where} LIMIT 1`)).rows.length > 0
