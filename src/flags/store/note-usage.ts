/** When flags were last asked for, as the events of SDKs say it. */
import { type ClickHouse, sql as ch, isUnavailable, propertyOf, strings, uint } from '../../engines/clickhouse/index.ts'
import { isTroubleOfPostgres, type Sql } from '../../engines/postgres/index.ts'
import type { Logger } from '../../lib/logger.ts'

/** Events that come later than this are not looked for any more: another call will come. */
const DAYS = 2

interface UsageContext {
  readonly sql: Sql
  readonly clickhouse: ClickHouse
  readonly log: Logger
  readonly signal?: AbortSignal
}

export async function noteUsage(context: UsageContext): Promise<void> {
  const projects = await context.sql<{ id: number; keys: string[] }[]>`
    SELECT project_id AS id, array_agg(key) AS keys FROM feature_flags WHERE NOT deleted GROUP BY project_id`
  for (const { id, keys } of projects) {
    try {
      await noteUsageOf(context, id, keys)
    } catch (error) {
      // An engine that is away is away for the others as well, and a stop is meant for all of them.
      if (context.signal?.aborted || isTroubleOfPostgres(error) || isUnavailable(error)) throw error
      context.log.warn({ project: id, err: error }, 'it is not known when the flags of a project were called')
    }
  }
}

/** Only of flags that exist: the names in events are whatever somebody sends, and as many as they like. */
async function noteUsageOf({ sql, clickhouse }: UsageContext, project: number, keys: readonly string[]): Promise<void> {
  const { rows: called } = await clickhouse.query<{ key: string; at: number }>(ch`
    SELECT ifNull(${propertyOf(ch`props`, '$feature_flag')}, '') AS key, toUnixTimestamp64Milli(max(timestamp)) AS at FROM events
    WHERE project_id = ${uint(project)} AND event = '$feature_flag_called' AND timestamp > now64() - toIntervalDay(${uint(DAYS)})
      AND timestamp <= now64() + toIntervalHour(1) AND key IN ${strings(keys)}
    GROUP BY key`)
  if (called.length === 0) return
  await sql`
    INSERT INTO feature_flag_usage (flag_id, last_called_at)
    SELECT f.id, to_timestamp(c.at / 1000.0)
    FROM unnest(${called.map(({ key }) => key)}::text[], ${called.map(({ at }) => Number(at))}::float8[]) AS c (key, at)
    JOIN feature_flags f ON f.project_id = ${project} AND f.key = c.key AND NOT f.deleted
    ON CONFLICT (flag_id) DO UPDATE SET last_called_at = greatest(feature_flag_usage.last_called_at, excluded.last_called_at)`
}
