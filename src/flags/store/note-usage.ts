/** When flags were last asked for, as the events of SDKs say it. */
import { type ClickHouse, sql as ch, propertyOf, uint } from '../../engines/clickhouse/index.ts'
import type { Sql } from '../../engines/postgres/index.ts'

/** Events that come later than this are not looked for any more: another call will come. */
const DAYS = 2

export async function noteUsage({ sql, clickhouse }: { sql: Sql; clickhouse: ClickHouse }): Promise<void> {
  const projects = await sql<{ id: number }[]>`
    SELECT DISTINCT project_id AS id FROM feature_flags WHERE NOT deleted`
  for (const { id } of projects) {
    const { rows } = await clickhouse.query<{ key: string; at: number }>(ch`
      SELECT ifNull(${propertyOf(ch`props`, '$feature_flag')}, '') AS key, toUnixTimestamp64Milli(max(timestamp)) AS at FROM events
      WHERE project_id = ${uint(id)} AND event = '$feature_flag_called' AND timestamp > now64() - toIntervalDay(${uint(DAYS)})
        AND timestamp <= now64() + toIntervalHour(1)
      GROUP BY key`)
    const called = rows.filter(({ key }) => key !== '')
    if (called.length === 0) continue
    await sql`
      INSERT INTO feature_flag_usage (flag_id, last_called_at)
      SELECT f.id, to_timestamp(c.at / 1000.0)
      FROM unnest(${called.map(({ key }) => key)}::text[], ${called.map(({ at }) => Number(at))}::float8[]) AS c (key, at)
      JOIN feature_flags f ON f.project_id = ${id} AND f.key = c.key AND NOT f.deleted
      ON CONFLICT (flag_id) DO UPDATE SET last_called_at = greatest(feature_flag_usage.last_called_at, excluded.last_called_at)`
  }
}
