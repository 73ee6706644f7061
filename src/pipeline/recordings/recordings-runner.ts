import type { ClickHouse } from '../../engines/clickhouse/index.ts'
import { inTransaction, type Sql } from '../../engines/postgres/index.ts'
import { type ProjectWarning, recordWarnings } from '../../events/index.ts'
import { groupBy } from '../../lib/group-by.ts'
import { timeLimit } from '../../lib/in-time.ts'
import type { Logger } from '../../lib/logger.ts'
import { pause } from '../../lib/pause.ts'
import { type LogRange, type LogReader, type LogRecord, type Position, RECORDINGS_PARTITION } from '../../log/index.ts'
import { countRecordingUsage, deletedAmong, eraseRecordings } from '../../recordings/index.ts'
import type { Ownership } from '../cluster/ownership.ts'
import { intendRange, movePosition, readPosition } from '../cluster/position.ts'
import { recordDeadLetters } from '../shared/dead-letters.ts'
import { deliver } from '../shared/deliver.ts'
import { keepRunning } from '../shared/keep-running.ts'
import type { projectSettings } from '../shared/project-settings.ts'
import { dropUnwanted, openRecordings, type RecordingBatch } from './recording-batch.ts'
import { recordingInserts, refusedRow } from './recording-inserts.ts'

/**
 * Moves uploads of session recordings from the log into ClickHouse, exactly once. Nothing about them is decided in
 * Postgres, so they go straight to their tables, and the position follows:
 *
 *   recovering  the position is read from Postgres, with the range that was being inserted when an earlier run ended
 *               -> reading      always
 *   reading     the next range is read and decoded, or exactly the interrupted one; at the end of the log the runner
 *               waits for more
 *               -> intending    there are records
 *   intending   the range is written to Postgres
 *               -> inserting    written
 *               -> recovering   the position is not where we left it: another process runs this partition
 *   inserting   rows go to ClickHouse under tokens made of the range, the summary last: a recording that is listed can
 *               be played
 *               -> erasing      both are stored, however long that took
 *   erasing     recordings that were deleted meanwhile are deleted again, with the rows just added
 *               -> moving       always
 *   moving      one transaction: warnings, dead letters, position
 *               -> reading      committed
 *   stopped     the signal was aborted; what was not moved is done again under the same tokens
 */
interface RecordingsRunnerDeps {
  readonly reader: LogReader
  readonly sql: Sql
  readonly clickhouse: ClickHouse
  readonly settings: ReturnType<typeof projectSettings>
  readonly log: Logger
  readonly signal: AbortSignal
  /** When several processes share the partitions: that this one is ours. */
  readonly ownership?: Ownership
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
/** With few uploads, batches are at least this far apart, so that ClickHouse gets fewer and larger inserts. */
const PACE_MS = 300
const USAGE_EVERY_MS = 2_000
/** After so long without anything, what a range held counts as lost. The log has waited for it before. */
const LOST_AFTER_MS = 30_000
const AGAIN_MS = 250

export const runRecordings = (deps: RecordingsRunnerDeps): Promise<void> =>
  keepRunning(PARTITION, deps, () => new RecordingsRunner(deps).run())

class RecordingsRunner {
  readonly #deps: RecordingsRunnerDeps
  /** Projects with a quota that have uploads since their usage was last counted. */
  readonly #uncounted = new Set<number>()
  #countedAt = 0
  #lastRange = { at: 0, full: true }
  readonly #over = new AbortController()
  readonly #signal: AbortSignal
  #coming: Promise<RecordingBatch | null> = Promise.resolve(null)

  constructor(deps: RecordingsRunnerDeps) {
    this.#deps = deps
    this.#signal = AbortSignal.any([deps.signal, this.#over.signal])
  }

  /** What reads ahead ends with it: the next runner has the same reader. */
  async run(): Promise<void> {
    try {
      await this.#run()
    } finally {
      this.#over.abort()
      await this.#coming.catch(() => {})
    }
  }

  async #run(): Promise<void> {
    const { sql, signal, reader } = this.#deps
    const kept = await readPosition(sql, PARTITION)
    let { position } = kept
    await reader.release(PARTITION, position)
    if (kept.intended !== null) {
      await this.#take(await this.#open(await this.#readExactly(position, kept.intended)))
      position = kept.intended
    }
    this.#coming = this.#next(position, position)
    while (!signal.aborted) {
      const batch = await this.#coming
      if (batch === null) break
      position = batch.range.next
      // The next range is read and decoded while this one is inserted.
      this.#coming = this.#next(position, position)
      this.#coming.catch(() => {})
      await this.#take(batch)
    }
  }

  /**
   * The next range, once there is one; null after a stop. `cursor` may be ahead of `from`, past records of other
   * partitions.
   */
  async #next(from: Position, cursor: Position): Promise<RecordingBatch | null> {
    const { reader } = this.#deps
    while (!this.#signal.aborted) {
      await this.#pace()
      const range = await reader.read(PARTITION, cursor, LIMITS)
      cursor = range.next
      this.#lastRange = { at: Date.now(), full: range.records.length === 0 || isFull(range) }
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
    let progressAt = Date.now()
    for (let at = from; at < next; ) {
      const range = await this.#deps.reader.read(PARTITION, at, LIMITS)
      if (range.next === at) {
        if (Date.now() - progressAt > LOST_AFTER_MS) {
          this.#deps.log.error({ from: at, next }, 'recordings of this range are no longer in the log')
          break
        }
        await pause(AGAIN_MS, this.#signal)
        this.#signal.throwIfAborted()
        continue
      }
      progressAt = Date.now()
      records.push(...range.records.filter(({ position }) => position < next))
      at = range.next
    }
    return { partition: PARTITION, from, next, records }
  }

  /** Waits until the log grows, or until usage has to be counted. */
  async #waitForMore(from: Position): Promise<void> {
    const { reader } = this.#deps
    if (this.#uncounted.size === 0) await reader.wait(PARTITION, from, this.#signal)
    else {
      const limit = timeLimit(USAGE_EVERY_MS, this.#signal)
      await reader.wait(PARTITION, from, limit.signal).finally(limit.end)
    }
    await this.#countUsage()
  }

  /** Waits a little when the last range was small, so that the next one is larger. */
  async #pace(): Promise<void> {
    const { at, full } = this.#lastRange
    const since = Date.now() - at
    if (!full && since < PACE_MS) await pause(PACE_MS - since, this.#signal)
  }

  async #take(batch: RecordingBatch): Promise<void> {
    const { sql, clickhouse, reader, ownership, onBatch } = this.#deps
    const { range } = batch
    await inTransaction(sql, (tx) => intendRange(tx, range, ownership?.epoch), { idempotent: true })
    for (const { project } of batch.uploads)
      if (batch.projects.get(project)?.recordingQuotaPerMonth !== null) this.#uncounted.add(project)
    await dropUnwanted(batch, { sql, clickhouse })
    const { uploads } = batch
    ownership?.assertHeld()
    await this.#insert(batch)
    await this.#eraseDeleted(batch)
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

  async #insert({ range, uploads, deadLetters }: RecordingBatch): Promise<void> {
    const { clickhouse, log, signal } = this.#deps
    for (const insert of recordingInserts(uploads, `${range.partition}:${range.from}-${range.next}`))
      for (const refused of await deliver(clickhouse, insert, { log, signal })) deadLetters.push(refusedRow(refused))
  }

  async #eraseDeleted({ uploads }: RecordingBatch): Promise<void> {
    const deleted = await deletedAmong(this.#deps.sql, uploads)
    const theirs = uploads.filter(({ project, sessionId }) => deleted.has(`${project} ${sessionId}`))
    for (const [project, some] of groupBy(theirs, (upload) => upload.project))
      await eraseRecordings(
        this.#deps,
        project,
        some.map(({ sessionId }) => sessionId),
      )
  }

  #move({ range, warnings, deadLetters }: RecordingBatch): Promise<void> {
    return inTransaction(this.#deps.sql, async (tx) => {
      await movePosition(tx, range, this.#deps.ownership?.epoch)
      await recordWarnings(tx, warnings)
      await recordDeadLetters(tx, range.partition, deadLetters)
    })
  }

  /** Counts the usage of projects with a quota while they record; capture reads the result. */
  async #countUsage(): Promise<void> {
    if (this.#uncounted.size === 0 || Date.now() - this.#countedAt < USAGE_EVERY_MS) return
    this.#countedAt = Date.now()
    for (const project of this.#uncounted) {
      await countRecordingUsage(this.#deps.sql, this.#deps.clickhouse, project, new Date())
      this.#uncounted.delete(project)
    }
  }
}

/** So large that waiting would gain nothing. */
const isFull = ({ records }: LogRange): boolean =>
  records.length >= LIMITS.records / 4 ||
  records.reduce((sum, { payload }) => sum + payload.length, 0) >= LIMITS.bytes / 4
