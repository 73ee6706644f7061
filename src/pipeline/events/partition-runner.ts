import { getHeapStatistics } from 'node:v8'
import type { ClickHouse } from '../../engines/clickhouse/index.ts'
import { dequeue, pending } from '../../engines/outbox.ts'
import { isTroubleOfPostgres, type Sql } from '../../engines/postgres/index.ts'
import { type EventRow, storedAsEvents } from '../../events/index.ts'
import type { DefinitionRecorder } from '../../identity/index.ts'
import { backoffMs } from '../../lib/backoff.ts'
import type { Logger } from '../../lib/logger.ts'
import { pause } from '../../lib/pause.ts'
import type { LogRange, LogReader, Position } from '../../log/index.ts'
import { GrowthGate } from '../cluster/growth.ts'
import type { Ownership } from '../cluster/ownership.ts'
import { LostPartition, readPosition } from '../cluster/position.ts'
import { ClaimedElsewhere, lookupTime, lookupTooOld, settleClaims } from '../cluster/shared-claims.ts'
import { recordDeadLetters } from '../shared/dead-letters.ts'
import { deliver, eventRowsIn, type RefusedRow, unpacked } from '../shared/deliver.ts'
import type { Delivery } from '../shared/delivery.ts'
import { keepRunning } from '../shared/keep-running.ts'
import type { projectSettings } from '../shared/project-settings.ts'
import type { Step } from '../steps/step.ts'
import { type Applied, type ApplyOptions, applyBatch } from './apply.ts'
import { type Batch, decodeRange, openBatch } from './batch.ts'
import { addAllAsDeadLetters, isolatePoison } from './isolate-poison.ts'
import { paceMs } from './pace.ts'
import { dropClaimed, recogniseRetries } from './recognise-retries.ts'
import type { UuidClaims, UuidsInProgress } from './uuids-in-progress.ts'

/**
 * Processes one partition of the log, batch by batch, exactly once.
 *
 *   recovering   rows left in the outbox are delivered, all partitions have claimed theirs, the position is read from
 *                Postgres
 *                -> reading      all of that is done
 *   reading      the next range is read; at the end of the log the runner waits for more
 *                -> deciding     there are records
 *   deciding     steps, retries of clients, then one Postgres transaction that moves the position and enqueues rows
 *                -> reading      committed; the rows are delivered meanwhile, in order, at most one batch behind
 *                -> deciding     Postgres was away or a write lost a race: again, from the same range; it refused an
 *                                event: without it
 *                -> recovering   the position is not where we left it: another process has run this partition
 *   stopped      the signal was aborted: the current batch is finished or rolled back, delivered rows are dequeued
 *
 * A crash while deciding leaves no trace. A crash while delivering is repaired by `recovering`, because rows in the
 * outbox have a token.
 */
interface RunnerDeps {
  readonly partition: string
  readonly reader: LogReader
  readonly sql: Sql
  readonly clickhouse: ClickHouse
  readonly steps: readonly Step[]
  readonly settings: ReturnType<typeof projectSettings>
  readonly definitions: DefinitionRecorder
  /** Shared by all partitions of the process. */
  readonly inProgress: UuidsInProgress
  readonly log: Logger
  readonly signal: AbortSignal
  /** When several processes share the partitions: that this one is ours. */
  readonly ownership?: Ownership
  readonly onBatch?: (seen: BatchSeen) => void
}

/** Figures and rows of a batch, for metrics and the live view. */
export interface BatchSeen {
  readonly partition: string
  readonly position: Position
  readonly rows: readonly EventRow[]
  readonly warnings: Batch['warnings']
  readonly deadLetters: number
  readonly oldestReceivedAt: number
}

/**
 * Under a backlog batches are as large as this. A row costs ClickHouse half as much in one of 24 MB as in one of 8,
 * because fewer parts are merged; but rows are in memory until they are stored (docs/PERFORMANCE.md), so where V8 may
 * use less than 4 GB they are smaller.
 */
const MEGABYTES = Math.min(16, Math.max(8, Math.floor(getHeapStatistics().heap_size_limit / 2 ** 28)))
const LIMITS = { bytes: MEGABYTES * 1024 * 1024, records: 20_000 }
const BATCHES_BEHIND = 1
/** How often Postgres may refuse a batch although a dry run passes. */
const REFUSALS = 5

export const runPartition = (deps: RunnerDeps): Promise<void> =>
  keepRunning(deps.partition, deps, () => new PartitionRunner(deps).run())

class PartitionRunner {
  readonly #deps: RunnerDeps
  readonly #deliveries: Promise<void>[] = []
  /** A delivery has failed: the runner starts over, also while nothing comes, and delivers it again. */
  readonly #failed = new AbortController()
  /** When the next batch may be read. */
  #paceUntil = 0
  /** How long the last batch took to be stored. */
  #deliveryMs = 0

  constructor(deps: RunnerDeps) {
    this.#deps = deps
  }

  async run(): Promise<void> {
    const { reader, sql, partition, signal } = this.#deps
    /** The stored position; `cursor` may be ahead of it, past records of other partitions. */
    let position = await this.#recover()
    const gate = await GrowthGate.open(sql, partition)
    let cursor = position
    const ended = AbortSignal.any([signal, this.#failed.signal])
    while (!signal.aborted) {
      this.#failed.signal.throwIfAborted()
      const early = this.#paceUntil - Date.now()
      if (early > 0) await pause(early, ended)
      const range = gate.allowed(await reader.read(partition, cursor, LIMITS))
      cursor = range.next
      if (range.records.length === 0) {
        await (gate.closed ? gate.pass(ended) : reader.wait(partition, cursor, ended))
        continue
      }
      this.#paceUntil = Date.now() + paceMs(range, LIMITS, this.#deliveryMs)
      await this.#decide({ ...range, from: position })
      position = range.next
    }
    await Promise.all(this.#deliveries)
  }

  async #recover(): Promise<Position> {
    const { sql, partition, reader, inProgress, signal } = this.#deps
    let owed = await pending(sql, partition)
    const claims = inProgress.restart(partition, owed.flatMap(eventRowsIn))
    for (; owed.length > 0; owed = await pending(sql, partition)) {
      for (const { id, ...queued } of owed) {
        for (const delivery of unpacked(queued)) await this.#deliver(delivery)
        await dequeue(sql, [id])
      }
    }
    claims.release()
    await inProgress.allStarted(signal)
    const { position } = await readPosition(sql, partition)
    if (this.#deps.ownership) await settleClaims(sql, partition, position)
    // An earlier run may have ended between delivering and this.
    await reader.release(partition, position)
    return position
  }

  async #decide(range: LogRange): Promise<void> {
    const { sql, clickhouse, steps, settings, inProgress, ownership, onBatch, partition } = this.#deps
    const decoded = decodeRange(range)
    const projects = await settings(decoded.requests.map(({ request }) => request.project))
    const batch = openBatch(decoded, projects, steps)
    const claims = inProgress.claimsOf(partition)
    const shared = ownership && { epoch: ownership.epoch, lookup: await lookupTime(sql, clickhouse) }
    await recogniseRetries(batch, clickhouse, claims)
    const applied = await this.#apply(batch, shared)
    onBatch?.({
      partition,
      position: range.next,
      rows: storedAsEvents(applied.rows),
      warnings: [...batch.warnings, ...applied.warnings],
      deadLetters: batch.deadLetters.length,
      oldestReceivedAt: Math.min(...decoded.requests.map(({ request }) => request.receivedAt)),
    })
    while (this.#deliveries.length >= BATCHES_BEHIND) await this.#deliveries[0]
    this.#deliverBehind(applied, claims, range.next)
  }

  async #apply(batch: Batch, shared: ApplyOptions['shared']): Promise<Applied> {
    const { sql, signal, log, partition, definitions } = this.#deps
    let refusals = 0
    for (let attempt = 0; ; attempt++) {
      try {
        return await applyBatch(sql, batch, { definitions, shared })
      } catch (error) {
        if (signal.aborted || error instanceof LostPartition) throw error
        if (shared && lookupTooOld(shared.lookup)) throw error
        if (error instanceof ClaimedElsewhere) {
          dropClaimed(batch, error.keys)
          continue
        }
        if (!isTroubleOfPostgres(error)) {
          log.error({ partition, err: error }, 'the batch holds an event that Postgres refuses')
          const verdict = await isolatePoison(sql, batch, { definitions })
          if (verdict === 'removed') continue
          if (verdict === 'not found' && ++refusals >= REFUSALS) {
            addAllAsDeadLetters(batch, error as Error)
            continue
          }
        }
        log.warn({ partition, attempt, error: (error as Error).message }, 'the batch waits for Postgres')
        await pause(backoffMs(attempt, { firstMs: 50, longestMs: 5_000 }), signal)
      }
    }
  }

  /** Delivers in the background, in order, while the next batch is decided. */
  #deliverBehind(applied: Applied, claims: UuidClaims, position: Position): void {
    const { sql, reader, partition, ownership } = this.#deps
    const before = this.#deliveries.at(-1)
    const delivery = (async () => {
      await before
      const began = performance.now()
      for (const queued of applied.inserts)
        for (const delivery of unpacked(queued, applied.rows)) await this.#deliver(delivery)
      this.#deliveryMs = performance.now() - began
      await dequeue(sql, applied.ids)
      if (ownership) await settleClaims(sql, partition, position)
      await reader.release(partition, position)
      claims.release()
      this.#deliveries.shift()
    })()
    delivery.catch((error) => this.#failed.abort(error))
    this.#deliveries.push(delivery)
  }

  async #deliver(delivery: Delivery): Promise<void> {
    const { clickhouse, log, signal, ownership } = this.#deps
    ownership?.assertHeld()
    const refused = await deliver(clickhouse, delivery, { log, signal })
    for (const row of refused) await this.#addDeadRow(row)
  }

  async #addDeadRow({ table, row, error }: RefusedRow): Promise<void> {
    const { sql, partition } = this.#deps
    const { project_id = 0, uuid = '' } = JSON.parse(row) as { project_id?: number; uuid?: string }
    const letter = { project: project_id, position: 0, uuid: `${table} ${uuid}`, error, payload: row }
    await recordDeadLetters(sql, partition, [{ ...letter, reason: 'refused_by_clickhouse' }])
  }
}
