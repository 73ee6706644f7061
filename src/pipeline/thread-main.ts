import { parentPort, workerData } from 'node:worker_threads'
import { openClickHouse } from '../engines/clickhouse/index.ts'
import { openPostgres } from '../engines/postgres/index.ts'
import { DefinitionRecorder } from '../identity/index.ts'
import { createLogger } from '../lib/logger.ts'
import { EVENT_PARTITIONS, openSegmentReader } from '../log/index.ts'
import { liveBatches } from './live-samples.ts'
import { type BatchSeen, runPartition } from './partition-runner.ts'
import { projectSettings } from './project-settings.ts'
import { eventSteps } from './steps/index.ts'
import type { PipelineCommand, PipelineMessage, PipelineStart } from './thread-messages.ts'

/** The program of the pipeline's thread: one runner for each event partition, until told to stop. */
const start = workerData as PipelineStart
const tell = (message: PipelineMessage) => parentPort?.postMessage(message)

const log = createLogger(start.logLevel).child({ room: 'pipeline' })
const stop = new AbortController()
let watched: ReadonlySet<number> = new Set(start.watched)
parentPort?.on('message', (command: PipelineCommand) => {
  if (command.kind === 'stop') stop.abort()
  else watched = new Set(command.projects)
})

const sql = await openPostgres(start.postgres, { log, max: EVENT_PARTITIONS.length + 1 })
const clickhouse = openClickHouse({ ...start.clickhouse, log })
const reader = openSegmentReader(start.reader)
const settings = projectSettings(sql)
tell({ kind: 'running' })

await Promise.all(
  EVENT_PARTITIONS.map((partition) =>
    runPartition({
      partition,
      reader,
      sql,
      clickhouse,
      steps: eventSteps(),
      settings,
      definitions: new DefinitionRecorder(),
      log,
      signal: stop.signal,
      onBatch: report,
    }),
  ),
)
await reader.close()
await clickhouse.close()
await sql.end({ timeout: 2 })
tell({ kind: 'stopped' })
parentPort?.close()

function report({ partition, position, rows, warnings, deadLetters, oldestReceivedAt }: BatchSeen): void {
  const counts: Record<string, number> = {}
  for (const { type } of warnings) counts[type] = (counts[type] ?? 0) + 1
  const lagMs = Number.isFinite(oldestReceivedAt) ? Date.now() - oldestReceivedAt : 0
  const live = watched.size === 0 ? [] : liveBatches(rows, warnings, watched)
  tell({ kind: 'batch', partition, position, events: rows.length, warnings: counts, deadLetters, lagMs, live })
}
