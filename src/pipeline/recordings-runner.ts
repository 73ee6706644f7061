import type { ClickHouse } from '../engines/clickhouse/index.ts'
import { inTransaction, type Sql } from '../engines/postgres/index.ts'
import { type ProjectWarning, recordWarnings } from '../events/index.ts'
import type { Logger } from '../lib/logger.ts'
import { pause } from '../lib/pause.ts'
import { type LogRange, type LogReader, type LogRecord, type Position, RECORDINGS_PARTITION } from '../log/index.ts'
import { chunkRowsAsNdjson, countRecordingUsage, minuteRowsAsNdjson } from '../recordings/index.ts'
import { type DeadLetter, recordDeadLetters } from './dead-letters.ts'
import { deliver } from './deliver.ts'
import { keepRunning } from './keep-running.ts'
import { intendRange, movePosition, readPosition } from './position.ts'
import type { projectSettings } from './project-settings.ts'
import { openRecordings, type RecordingBatch, sortOut } from './recording-batch.ts'

/**
 * Takes uploads of session recordings from the log into ClickHouse, exactly once. Nothing about them is decided in Postgres, so they go
 * straight to their tables, and the position follows:
 *
 *   recovering  the position is read from Postgres, with the range that was under way when an earlier life ended
 *               -> reading      always
 *   reading     the next range is read and unpacked, or exactly the range that was under way; at the end of the log it waits for more
 *               -> intending    there is something
 *   intending   Postgres is told which range comes next
 *               -> inserting    written
 *               -> recovering   the position is not where we left it: somebody else runs this partition
 *   inserting   rows go to ClickHouse under tokens made of the range, the summary first: what has its events there has its summary too
 *               -> moving       both are in, however long that took
 *   moving      one transaction: warnings, dead letters, position
 *               -> reading      committed
 *   stopped     the signal was aborted; what was not moved is done again under the same tokens
 */
export interface RecordingsRunnerDeps {
  readonly reader: LogReader
  readonly sql: Sql
  readonly clickhouse: ClickHouse
  readonly settings: ReturnType<typeof projectSettings>
  readonly log: Logger
  readonly signal: AbortSignal
  readonly onBatch?: (seen: RecordingsSeen) => void
}

export interface RecordingsSeen {
  readonly position: Position
  readonly uploads: number
  readonly bytes: number
  readonly warnings: readonly ProjectWarning[]
  readonly deadLetters: number
  readonly oldestReceivedAt: number
}

const LIMITS = { bytes: 8 * 1024 * 1024, records: 500 }
const PARTITION = RECORDINGS_PARTITION
/** Under a trickle of uploads batches are at least this far apart, so that ClickHouse gets fewer and larger inserts. */
const PACE_MS = 300
const USAGE_EVERY_MS = 2_000

export const runRecordings = (deps: RecordingsRunnerDeps): Promise<void> =>
  keepRunning(PARTITION, deps, () => new RecordingsRunner(deps).run())

class RecordingsRunner {
  readonly #deps: RecordingsRunnerDeps
  /** Projects with a limit that have recorded since they were last counted. */
  readonly #uncounted = new Set<number>()
  #countedAt = 0
  #lastRange = { at: 0, records: 0 }

  constructor(deps: RecordingsRunnerDeps) {
    this.#deps = deps
  }

  async run(): Promise<void> {
    const { sql, signal } = this.#deps
    const kept = await readPosition(sql, PARTITION)
    let { position } = kept
    if (kept.intended !== null) {
      await this.#take(await this.#open(await this.#readExactly(position, kept.intended)))
      position = kept.intended
    }
    let coming = this.#next(position, position)
    while (!signal.aborted) {
      const batch = await coming
      if (batch === null) break
      position = batch.range.next
      // The next range is read and unpacked while this one is on its way into ClickHouse.
      coming = this.#next(position, position)
      coming.catch(() => {})
      await this.#take(batch)
    }
  }

  /** The next range, when there is one; null when told to stop. `cursor` may be ahead of `from`, past records of other partitions. */
  async #next(from: Position, cursor: Position): Promise<RecordingBatch | null> {
    const { reader, signal } = this.#deps
    while (!signal.aborted) {
      await this.#pace()
      const range = await reader.read(PARTITION, cursor, LIMITS)
      cursor = range.next
      this.#lastRange = { at: Date.now(), records: range.records.length }
      if (range.records.length > 0) return this.#open({ ...range, from })
      await this.#waitForMore(cursor)
    }
    return null
  }

  #open(range: LogRange): Promise<RecordingBatch> {
    return openRecordings(range, this.#deps.settings)
  }

  async #readExactly(from: Position, next: Position): Promise<LogRange> {
    const records: LogRecord[] = []
    for (let at = from; at < next; ) {
      const range = await this.#deps.reader.read(PARTITION, at, LIMITS)
      if (range.next === at) break
      records.push(...range.records.filter(({ position }) => position < next))
      at = range.next
    }
    return { partition: PARTITION, from, next, records }
  }

  /** Sleeps until the log grows, or until it is time to count. */
  async #waitForMore(from: Position): Promise<void> {
    const { reader, signal } = this.#deps
    const wait = this.#uncounted.size > 0 ? AbortSignal.any([signal, AbortSignal.timeout(USAGE_EVERY_MS)]) : signal
    await reader.wait(PARTITION, from, wait)
    await this.#countUsage()
  }

  /** Under a trickle it waits a little, so that more comes together; not under a flood. */
  async #pace(): Promise<void> {
    const { at, records } = this.#lastRange
    const since = Date.now() - at
    if (records > 0 && records < LIMITS.records / 4 && since < PACE_MS) await pause(PACE_MS - since, this.#deps.signal)
  }

  async #take(batch: RecordingBatch): Promise<void> {
    const { sql, clickhouse, reader, onBatch } = this.#deps
    const { range } = batch
    await intendRange(sql, range)
    for (const { project } of batch.uploads)
      if (batch.projects.get(project)?.recordingQuotaPerMonth !== null) this.#uncounted.add(project)
    await sortOut(batch, { sql, clickhouse })
    const { uploads } = batch
    await this.#insert(batch, 'recording_minutes', minuteRowsAsNdjson(uploads.flatMap(({ minutes }) => minutes)))
    await this.#insert(batch, 'recording_chunks', chunkRowsAsNdjson(uploads.flatMap(({ chunks }) => chunks)))
    await this.#move(batch)
    await reader.release(PARTITION, range.next)
    onBatch?.({
      position: range.next,
      uploads: uploads.length,
      bytes: uploads.flatMap(({ chunks }) => chunks).reduce((sum, { bytes }) => sum + bytes, 0),
      warnings: batch.warnings,
      deadLetters: batch.deadLetters.length,
      oldestReceivedAt: Math.min(...uploads.map(({ receivedAt }) => receivedAt)),
    })
    await this.#countUsage()
  }

  async #insert({ range, uploads, deadLetters }: RecordingBatch, table: string, rows: Buffer): Promise<void> {
    if (uploads.every(({ chunks }) => chunks.length === 0)) return
    const { clickhouse, log, signal } = this.#deps
    const token = `${range.partition}:${range.from}-${range.next}:${table}`
    for (const { row, error } of await deliver(clickhouse, { table, token, rows }, { log, signal }))
      deadLetters.push(refusedRow(table, row, error))
  }

  #move({ range, warnings, deadLetters }: RecordingBatch): Promise<void> {
    return inTransaction(this.#deps.sql, async (tx) => {
      await movePosition(tx, range)
      await recordWarnings(tx, warnings)
      await recordDeadLetters(tx, range.partition, deadLetters)
    })
  }

  /** Projects with a limit are counted while they record, and that is soon enough for capture to notice. */
  async #countUsage(): Promise<void> {
    if (this.#uncounted.size === 0 || Date.now() - this.#countedAt < USAGE_EVERY_MS) return
    this.#countedAt = Date.now()
    for (const project of this.#uncounted) {
      await countRecordingUsage(this.#deps.sql, this.#deps.clickhouse, project, new Date())
      this.#uncounted.delete(project)
    }
  }
}

function refusedRow(table: string, row: string, error: string): DeadLetter {
  const { project_id, session_id, position = 0, minute = '' } = JSON.parse(row) as Record<string, never>
  return {
    project: project_id ?? 0,
    position,
    uuid: `${table} ${session_id} ${minute}`,
    reason: 'refused_by_clickhouse',
    error,
    payload: row,
  }
}
