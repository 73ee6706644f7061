import type { House } from './house.ts'
import type { Readiness } from './probes.ts'
import { has, needsClickHouse } from './topology.ts'

/**
 * What each role needs to do its work. Capture needs the log; while PostgreSQL is away it goes on with the keys it knows, so where it is
 * alone that is no reason to send its clients elsewhere.
 */
export function readiness({ engines, eventLog, pipeline, config }: House): Readiness {
  const others = needsClickHouse(config)
  return async () => {
    const log = eventLog?.status()
    const [postgres, clickhouse] = await Promise.all([
      !others ||
        engines.sql`SELECT 1`.then(
          () => true,
          () => false,
        ),
      !others || engines.ch?.ping().catch(() => false),
    ])
    const pipelineRuns = !has(config, 'pipeline') || pipeline?.running === true
    const logIsWell = !log || log.writable
    const missing = [
      ...(postgres ? [] : ['postgres does not answer']),
      ...(clickhouse ? [] : ['clickhouse does not answer']),
      ...(logIsWell ? [] : [`the log takes no events: ${log.reason}`]),
      ...(pipelineRuns ? [] : ['the pipeline is not running']),
    ]
    return { missing, details: { roles: config.roles } }
  }
}
