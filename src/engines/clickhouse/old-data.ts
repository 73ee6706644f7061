import type { Logger } from '../../lib/logger.ts'
import type { ClickHouse } from './client.ts'
import { sql, strings } from './sql.ts'

/** Where rows go that are older than so many days: a volume of a storage policy in the server's configuration. */
export interface OldData {
  readonly policy: string
  readonly volume: string
  readonly days: number
}

/** The large tables: the time of a row, and the TTL that the migrations gave the table. */
const LARGE: Readonly<Record<string, { readonly time: string; readonly expires?: string }>> = {
  events: { time: 'timestamp' },
  heatmaps: { time: 'timestamp' },
  recording_chunks: { time: 'received_at', expires: 'expires_at' },
  recording_minutes: { time: 'minute', expires: 'expires_at' },
}

/**
 * Gives the large tables a TTL that moves old parts to another volume, or takes it away again. What is as it should be
 * is not touched. ClickHouse moves whole parts in the background, and questions read them where they are.
 */
export async function placeOldData(clickhouse: ClickHouse, wanted: OldData | null, log: Logger): Promise<void> {
  const now = await definitions(clickhouse)
  for (const [table, { time, expires }] of Object.entries(LARGE)) {
    const found = now.get(table) ?? ''
    const move = wanted === null ? null : `toIntervalDay(${wanted.days}) TO VOLUME '${wanted.volume}'`
    if (move === null ? !found.includes(' TO VOLUME ') : found.includes(move)) continue
    if (wanted !== null)
      await clickhouse.command(
        `ALTER TABLE ${table} MODIFY SETTING storage_policy = '${wanted.policy}', materialize_ttl_recalculate_only = 1`,
      )
    const rules = [expires, move === null ? undefined : `toDateTime(${time}) + ${move}`].filter(
      (rule) => rule !== undefined,
    )
    await clickhouse.command(
      rules.length === 0 ? `ALTER TABLE ${table} REMOVE TTL` : `ALTER TABLE ${table} MODIFY TTL ${rules.join(', ')}`,
    )
    log.info({ table, ...wanted }, wanted === null ? 'old data stay where they are' : 'old data move to another volume')
  }
}

/** How the tables are defined, by our names; on a cluster, their parts on this server. */
async function definitions(clickhouse: ClickHouse): Promise<Map<string, string>> {
  const names = Object.keys(LARGE)
  const { rows } = await clickhouse.query<{ name: string; definition: string }>(sql`
    SELECT replaceRegexpOne(name, '_local$', '') AS name, engine_full AS definition FROM system.tables
    WHERE database = currentDatabase() AND engine LIKE '%MergeTree'
      AND replaceRegexpOne(name, '_local$', '') IN ${strings(names)}`)
  return new Map(rows.map(({ name, definition }) => [name, definition]))
}
