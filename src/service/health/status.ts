import { questionCounts } from '../../engines/clickhouse/index.ts'
import { freeBytes } from '../../lib/free-bytes.ts'
import type { Services } from '../services.ts'
import { VERSION } from '../version.ts'

const MOST_HELD_BACK = 20

/** The state of the service: what runs, its positions and its backlog. */
export async function serviceStatus({ config, engines, eventLog, pipeline, startedAt, metrics }: Services) {
  // First the log: what is applied in between is then counted as owed, and never missing in both.
  const log = eventLog?.status()
  const [counts] = await engines.sql<{ dead_letters: number; owed: number }[]>`
    SELECT (SELECT count(*) FROM dead_letters) AS dead_letters, (SELECT count(*) FROM clickhouse_outbox) AS owed`
  return {
    pid: process.pid,
    version: VERSION,
    node: process.versions.node,
    url: config.public_url,
    data: config.data,
    disk_free_bytes: await freeBytes(config.data),
    roles: config.roles,
    started_at: startedAt,
    postgres: engines.embeddedPostgres
      ? { embedded: true, state: engines.embeddedPostgres.state, restarts: engines.embeddedPostgres.restarts }
      : { embedded: false },
    clickhouse: engines.embeddedClickHouse
      ? { embedded: true, state: engines.embeddedClickHouse.state, restarts: engines.embeddedClickHouse.restarts }
      : { embedded: false },
    log: log
      ? {
          kind: config.nats_url === undefined ? ('embedded' as const) : ('nats' as const),
          writable: log.writable,
          reason: log.reason,
          backlog_bytes: log.backlogBytes,
          backlog_limit_bytes: log.backlogLimitBytes,
          partitions: log.partitions,
        }
      : null,
    pipeline: pipeline
      ? {
          running: pipeline.running,
          restarts: pipeline.restarts,
          stalled_seconds: Math.round(metrics.stall.seconds((log?.backlogBytes ?? 0) > 0)),
          inserts_owed_to_clickhouse: counts?.owed ?? 0,
        }
      : null,
    questions: engines.ch ? questionCounts(engines.ch) : null,
    held_back: metrics.heldBack.top(MOST_HELD_BACK),
    dead_letters: counts?.dead_letters ?? 0,
  }
}
