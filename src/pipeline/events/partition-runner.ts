import type { ClickHouse } from '../../engines/clickhouse/index.ts'
import { pending, settle } from '../../engines/outbox.ts'
import { isTroubleOfPostgres, type Sql } from '../../engines/postgres/index.ts'
import type { EventRow } from '../../events/index.ts'
import type { DefinitionRecorder } from '../../identity/index.ts'
import { backoffMs } from '../../lib/backoff.ts'
import type { Logger } from '../../lib/logger.ts'
import { pause } from '../../lib/pause.ts'
import type { LogRange, LogReader, Position } from '../../log/index.ts'
import type { Ownership } from '../cluster/ownership.ts'
import { LostPartition, readPosition } from '../cluster/position.ts'
import { askedTooLongAgo, ClaimedElsewhere, noteAsking, settleClaims } from '../cluster/shared-claims.ts'
import { deliver, eventRowsIn, type RefusedRow, unpacked } from '../shared/deliver.ts'
import { keepRunning } from '../shared/keep-running.ts'
import type { projectSettings } from '../shared/project-settings.ts'
import type { Step } from '../steps/step.ts'
import { type Applied, type ApplyOptions, applyBatch } from './apply.ts'
import { type Batch, decodeRange, openBatch } from './batch.ts'
import { buryAll, isolatePoison } from './isolate-poison.ts'
import { recogniseRetries, refuseClaimed } from './recognise-retries.ts'
import type { UuidClaims, UuidsUnderWay } from './uuids-under-way.ts'

/**
 * Takes one partition of the log into the tables, batch by batch, exactly once.
 *
 *   recovering   rows promised by an earlier life are delivered, the others have said what they owe, the position is read from Postgres
 *                -> reading      all of that is done
 *   reading      the next range is read; at the end of the log it waits for more
 *                -> deciding     there is something
 *   deciding     steps, retries of clients, then one Postgres transaction that moves the position and promises rows
 *                -> reading      committed; the rows are delivered meanwhile, in order, at most two batches behind
 *                -> deciding     Postgres was away or lost a race: again, from the same range; it refused an event: again without it
 *                -> recovering   the position is not where we left it: somebody else has run this partition
 *   stopped      the signal was aborted: the batch in work is finished or rolled back, delivered rows are settled
 *
 * A crash while deciding leaves no trace; a crash while delivering is mended by `recovering`, because promised rows carry their token.
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
  readonly underWay: UuidsUnderWay
  readonly log: Logger
  readonly signal: AbortSignal
  /** When several processes share the partitions: that this one is ours. */
  readonly ownership?: Ownership
  readonly onBatch?: (seen: BatchSeen) => void
}

/** What is worth telling about a batch: for metrics and for those who watch live. */
export interface BatchSeen {
  readonly partition: string
  readonly position: Position
  readonly rows: readonly EventRow[]
  readonly warnings: Batch['warnings']
  readonly deadLetters: number
  readonly oldestReceivedAt: number
}

const LIMITS = { bytes: 8 * 1024 * 1024, records: 10_000 }
const BATCHES_BEHIND = 2
/**
 * Batches are some way apart, and further the more comes in: an insert costs ClickHouse about the same for ten rows as for a thousand,
 * and every part it makes is merged again later. A full batch is followed at once.
 */
const PACE_MS = { least: 150, most: 1_000, ofRecord: 2 }
const DEFERRED_EVERY_MS = 2_000
/** So often a batch may be refused without a reason that shows in a rehearsal. */
const REFUSALS = 5

export const runPartition = (deps: RunnerDeps): Promise<void> =>
  keepRunning(deps.partition, deps, () => new PartitionRunner(deps).run())

class PartitionRunner {
  readonly #deps: RunnerDeps
  readonly #deliveries: Promise<void>[] = []
  /** When the next batch may be read. */
  #paceUntil = 0
  #lastDeferredAt = 0

  constructor(deps: RunnerDeps) {
    this.#deps = deps
  }

  async run(): Promise<void> {
    const { reader, partition, signal } = this.#deps
    /** As Postgres has it; `cursor` may be ahead of it, past records of other partitions. */
    let position = await this.#recover()
    let cursor = position
    while (!signal.aborted) {
      const early = this.#paceUntil - Date.now()
      if (early > 0) await pause(early, signal)
      const range = await reader.read(partition, cursor, LIMITS)
      cursor = range.next
      if (range.records.length === 0 && !this.#deferredDue()) {
        await this.#waitForMore(cursor)
        continue
      }
      this.#paceUntil = Date.now() + paceOf(range)
      await this.#decide({ ...range, from: position })
      position = range.next
    }
    await Promise.all(this.#deliveries)
  }

  async #recover(): Promise<Position> {
    const { sql, partition, reader, underWay, signal } = this.#deps
    let owed = await pending(sql, partition)
    const claims = underWay.startOver(partition, owed.flatMap(eventRowsIn))
    for (; owed.length > 0; owed = await pending(sql, partition)) {
      for (const { id, ...promised } of owed) {
        for (const insert of unpacked(promised)) await this.#bring(insert)
        await settle(sql, [id])
      }
    }
    claims.release()
    await underWay.allStarted(signal)
    const { position } = await readPosition(sql, partition)
    if (this.#deps.ownership) await settleClaims(sql, partition, position)
    // An earlier life may have ended between delivering and this.
    await reader.release(partition, position)
    return position
  }

  /** Sleeps until the log grows, or until it is time to look after deferred changes. */
  async #waitForMore(from: Position): Promise<void> {
    const { reader, partition, signal } = this.#deps
    await reader.wait(partition, from, AbortSignal.any([signal, AbortSignal.timeout(DEFERRED_EVERY_MS)]))
  }

  async #decide(range: LogRange): Promise<void> {
    const { sql, clickhouse, steps, settings, underWay, ownership, onBatch, partition } = this.#deps
    const decoded = decodeRange(range)
    const projects = await settings(decoded.requests.map(({ request }) => request.project))
    const batch = openBatch(decoded, projects, steps)
    const claims = underWay.claimsOf(partition)
    const shared = ownership && { epoch: ownership.epoch, asked: await noteAsking(sql, clickhouse) }
    await recogniseRetries(batch, clickhouse, claims)
    const applied = await this.#apply(batch, shared)
    onBatch?.({
      partition,
      position: range.next,
      rows: applied.rows,
      warnings: [...batch.warnings, ...applied.warnings],
      deadLetters: batch.deadLetters.length,
      oldestReceivedAt: Math.min(...decoded.requests.map(({ request }) => request.receivedAt)),
    })
    while (this.#deliveries.length >= BATCHES_BEHIND) await this.#deliveries[0]
    this.#deliverBehind(applied, claims, range.next)
  }

  async #apply(batch: Batch, shared: ApplyOptions['shared']): Promise<Applied> {
    const { sql, signal, log, partition, definitions } = this.#deps
    let withDeferred = this.#deferredDue()
    if (withDeferred) this.#lastDeferredAt = Date.now()
    let refusals = 0
    for (let attempt = 0; ; attempt++) {
      try {
        return await applyBatch(sql, batch, { withDeferred, definitions, shared })
      } catch (error) {
        if (signal.aborted || error instanceof LostPartition) throw error
        if (shared && askedTooLongAgo(shared.asked)) throw error
        if (error instanceof ClaimedElsewhere) {
          refuseClaimed(batch, error.keys)
          continue
        }
        if (!isTroubleOfPostgres(error)) {
          log.error({ partition, err: error }, 'the batch holds an event that Postgres refuses')
          // What the batch takes along for others may be at fault too; it can wait for the next one.
          withDeferred = false
          const verdict = await isolatePoison(sql, batch, { definitions })
          if (verdict === 'buried') continue
          if (verdict === 'no culprit' && ++refusals >= REFUSALS) {
            buryAll(batch, error as Error)
            continue
          }
        }
        log.warn({ partition, attempt, error: (error as Error).message }, 'the batch waits for Postgres')
        await pause(backoffMs(attempt, { firstMs: 50, longestMs: 5_000 }), signal)
      }
    }
  }

  /** Deliveries follow each other in order while the next batch is decided. */
  #deliverBehind(applied: Applied, claims: UuidClaims, position: Position): void {
    const { sql, reader, partition, ownership } = this.#deps
    const before = this.#deliveries.at(-1)
    const delivery = (async () => {
      await before
      for (const insert of applied.inserts.flatMap((promised) => unpacked(promised, applied.rows)))
        await this.#bring(insert)
      await settle(sql, applied.ids)
      if (ownership) await settleClaims(sql, partition, position)
      await reader.release(partition, position)
      claims.release()
      this.#deliveries.shift()
    })()
    // A failed delivery surfaces when the runner awaits it; until then it must not count as unhandled.
    delivery.catch(() => {})
    this.#deliveries.push(delivery)
  }

  async #bring(insert: { table: string; token: string; rows: Buffer }): Promise<void> {
    const { clickhouse, log, signal, ownership } = this.#deps
    ownership?.assertHeld()
    const refused = await deliver(clickhouse, insert, { log, signal })
    for (const row of refused) await this.#buryRow(row)
  }

  async #buryRow({ table, row, error }: RefusedRow): Promise<void> {
    const { sql, partition } = this.#deps
    const { project_id = 0, uuid = '' } = JSON.parse(row) as { project_id?: number; uuid?: string }
    await sql`
      INSERT INTO dead_letters (project_id, partition, position, uuid, reason, error, payload)
      VALUES (${project_id}, ${partition}, 0, ${`${table} ${uuid}`}, 'refused_by_clickhouse', ${error}, ${row.replaceAll('\0', '\uFFFD')})
      ON CONFLICT DO NOTHING`
  }

  #deferredDue(): boolean {
    return Date.now() - this.#lastDeferredAt > DEFERRED_EVERY_MS && this.#deps.partition === 'live-0'
  }
}

function paceOf({ records }: LogRange): number {
  const bytes = records.reduce((sum, { payload }) => sum + payload.length, 0)
  if (records.length >= LIMITS.records || bytes >= LIMITS.bytes / 2) return 0
  return Math.min(PACE_MS.most, Math.max(PACE_MS.least, records.length * PACE_MS.ofRecord))
}
