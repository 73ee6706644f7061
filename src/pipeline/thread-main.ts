import { parentPort, workerData } from 'node:worker_threads'
import { openClickHouse } from '../engines/clickhouse/index.ts'
import { openPostgres } from '../engines/postgres/index.ts'
import { openGeo } from '../events/index.ts'
import { DefinitionRecorder } from '../identity/index.ts'
import { createLogger } from '../lib/logger.ts'
import { yieldBy } from '../lib/priority.ts'
import { eventPartitions, openLogReader, RECORDINGS_PARTITION } from '../log/index.ts'
import { LEASE_MS, type Ownership, shareAmongProcesses } from './cluster/ownership.ts'
import { type BatchSeen, runPartition } from './events/partition-runner.ts'
import { UuidsInProgress } from './events/uuids-in-progress.ts'
import { liveBatches } from './live-samples.ts'
import { type RecordingsSeen, runRecordings } from './recordings/recordings-runner.ts'
import { projectSettings } from './shared/project-settings.ts'
import { eventSteps } from './steps/index.ts'
import type { PipelineCommand, PipelineMessage, PipelineStart } from './thread-messages.ts'

/** The program of the pipeline's thread: one runner for each partition of this process, until the stop command. */
const start = workerData as PipelineStart
/** A transaction holds one while it runs, and one thread does not run many at once. */
const MOST_CONNECTIONS = 10
const tell = (message: PipelineMessage) => parentPort?.postMessage(message)

// Events wait safely in the log, so capture comes first.
if (start.yields) yieldBy(10)

const log = createLogger(start.logLevel).child({ component: 'pipeline' })
const stop = new AbortController()
let watched: ReadonlySet<number> = new Set(start.watched)
parentPort?.on('message', (command: PipelineCommand) => {
  if (command.kind === 'stop') stop.abort()
  else watched = new Set(command.projects)
})

const partitions = eventPartitions(start.livePartitions)
const sql = await openPostgres(start.postgres, {
  log,
  max: Math.min(MOST_CONNECTIONS, partitions.length + 2),
  // A process that is suspended in a transaction must not keep its partitions locked for others longer than its leases.
  ...(start.sharesAs === null ? {} : { idleInTransactionMs: LEASE_MS }),
})
const clickhouse = openClickHouse({ ...start.clickhouse, log })
const reader = await openLogReader(start.reader, { log })
const settings = projectSettings(sql)
const geo = await openGeo(start, log)
tell({ kind: 'running' })

// A single process waits until every partition has claimed its rows in the outbox; several processes use
// `shared-claims.ts`.
const inProgress = new UuidsInProgress(start.sharesAs === null ? partitions : [])
const shared = { reader, sql, clickhouse, settings, log }
const untilLost = (ownership?: Ownership) =>
  ownership ? { ownership, signal: AbortSignal.any([stop.signal, ownership.signal]) } : { signal: stop.signal }

const runs = new Map<string, (ownership?: Ownership) => Promise<void>>(
  partitions.map((partition) => [
    partition,
    (ownership) =>
      runPartition({
        ...shared,
        ...untilLost(ownership),
        partition,
        inProgress,
        steps: eventSteps(geo),
        definitions: new DefinitionRecorder(),
        onBatch: report,
      }),
  ]),
)
runs.set(RECORDINGS_PARTITION, (ownership) =>
  runRecordings({ ...shared, ...untilLost(ownership), onBatch: reportRecordings }),
)

if (start.sharesAs === null) await Promise.all([...runs.values()].map((run) => run()))
else await shareAmongProcesses({ sql, log, signal: stop.signal, id: start.sharesAs }, runs)
await reader.close()
await clickhouse.close()
await sql.end({ timeout: 2 })
tell({ kind: 'stopped' })
parentPort?.close()

function report({ partition, position, rows, warnings, deadLetters, oldestReceivedAt }: BatchSeen): void {
  const live = watched.size === 0 ? [] : liveBatches(rows, warnings, watched)
  const told = { partition, position, deadLetters, lagMs: lagOf(oldestReceivedAt), warnings: countsOf(warnings) }
  tell({ kind: 'batch', ...told, events: rows.length, live })
}

function reportRecordings({ position, uploads, warnings, deadLetters, oldestReceivedAt }: RecordingsSeen): void {
  const told = { partition: RECORDINGS_PARTITION, position, deadLetters, lagMs: lagOf(oldestReceivedAt) }
  tell({ kind: 'batch', ...told, events: uploads, warnings: countsOf(warnings), live: [] })
}

function countsOf(warnings: readonly { readonly type: string }[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { type } of warnings) counts[type] = (counts[type] ?? 0) + 1
  return counts
}

function lagOf(oldestReceivedAt: number): number {
  return Number.isFinite(oldestReceivedAt) ? Date.now() - oldestReceivedAt : 0
}
