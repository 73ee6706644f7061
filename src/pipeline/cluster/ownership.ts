import { performance } from 'node:perf_hooks'
import type { Sql } from '../../engines/postgres/index.ts'
import type { Logger } from '../../lib/logger.ts'
import { pause } from '../../lib/pause.ts'
import { LostPartition } from './position.ts'

/**
 * Decides which partitions this process runs, when several processes share them. A lease is a row in Postgres with an
 * owner and an expiry; its owner renews it once a second. Each process takes at most an even share, so that a new
 * process gets some.
 *
 * For each partition:
 *
 *   elsewhere   another process has the lease, or we have our share
 *               -> ours        the lease was free or had expired: we took it, under a new epoch
 *   ours        our runner runs
 *               -> leaving     the lease was not renewed in time, another process has it, others need their share, a
 *                              backup needs a pause (`pause-all.ts`), or we stop
 *   leaving     the runner's signal is aborted, and it has not ended yet
 *               -> elsewhere   it has ended; a lease that is still ours is given back
 *
 * The lease keeps two processes from running the same partition. Should it happen all the same, the epoch, checked in
 * the transaction that moves the position, makes the former owner fail (`position.ts`).
 */
export interface Ownership {
  readonly epoch: number
  /** Aborted when the partition is no longer ours. */
  readonly signal: AbortSignal
  /** Throws when the lease has expired: a process that was suspended must not continue with a partition of another. */
  assertHeld(): void
}

interface SharingDeps {
  readonly sql: Sql
  readonly log: Logger
  readonly signal: AbortSignal
  /** Unique among the processes. */
  readonly id: string
  readonly leaseMs?: number
}

type Run = (ownership: Ownership) => Promise<void>

/** With the second until others look, a partition has a new owner within ten seconds. */
export const LEASE_MS = 8_000
const CHECKS_PER_LEASE = 10

export async function shareAmongProcesses(deps: SharingDeps, runs: ReadonlyMap<string, Run>): Promise<void> {
  const sharing = new Sharing(deps, runs)
  await sharing.run()
}

interface Held extends Ownership {
  readonly partition: string
  readonly lost: AbortController
  heldUntil: number
  leaving: boolean
  done: Promise<void>
}

class Sharing {
  readonly #deps: SharingDeps
  readonly #runs: ReadonlyMap<string, Run>
  readonly #leaseMs: number
  readonly #held = new Map<string, Held>()

  constructor(deps: SharingDeps, runs: ReadonlyMap<string, Run>) {
    this.#deps = deps
    this.#runs = runs
    this.#leaseMs = deps.leaseMs ?? LEASE_MS
  }

  async run(): Promise<void> {
    const { sql, signal, log, id } = this.#deps
    const partitions = [...this.#runs.keys()]
    while (!signal.aborted) {
      try {
        await sql`INSERT INTO partition_leases (partition) SELECT unnest(${partitions}::text[]) ON CONFLICT DO NOTHING`
        await this.#balance()
      } catch (error) {
        log.warn({ error: (error as Error).message }, 'the leases of the partitions could not be read')
      }
      for (const held of this.#held.values()) if (now() > held.heldUntil) this.#leave(held, 'its lease has expired')
      await pause(this.#leaseMs / CHECKS_PER_LEASE, signal)
    }
    for (const held of this.#held.values()) this.#leave(held, 'this process stops')
    await Promise.all([...this.#held.values()].map(({ done }) => done))
    await sql`DELETE FROM pipeline_members WHERE id = ${id}`.catch(() => {})
  }

  async #balance(): Promise<void> {
    const members = await this.#heartbeat()
    await this.#renew()
    const isPaused = await this.#isPaused()
    const share = isPaused ? 0 : Math.ceil(this.#runs.size / members)
    const mine = [...this.#held.values()].filter(({ leaving }) => !leaving)
    for (const held of mine.slice(share))
      this.#leave(held, isPaused ? 'all processes pause' : 'another process takes its share')
    if (mine.length < share) await this.#take(share - mine.length)
  }

  async #heartbeat(): Promise<number> {
    const { sql, id } = this.#deps
    await sql`INSERT INTO pipeline_members (id) VALUES (${id}) ON CONFLICT (id) DO UPDATE SET seen_at = now()`
    await sql`DELETE FROM pipeline_members WHERE seen_at < now() - ${this.#lease()}::interval`
    const [row] = await sql<[{ members: number }]>`SELECT count(*) AS members FROM pipeline_members`
    return Math.max(1, row.members)
  }

  async #isPaused(): Promise<boolean> {
    const rows = await this.#deps.sql`SELECT 1 FROM pipeline_pauses WHERE expires_at > now()`
    return rows.length > 0
  }

  async #renew(): Promise<void> {
    const { sql, id } = this.#deps
    const from = now()
    const rows = await sql<{ partition: string; epoch: number }[]>`
      UPDATE partition_leases SET expires_at = now() + ${this.#lease()}::interval
      WHERE owner = ${id} AND partition = ANY(${[...this.#held.keys()]}) RETURNING partition, epoch`
    const epochs = new Map(rows.map(({ partition, epoch }) => [partition, epoch]))
    for (const held of this.#held.values()) {
      if (epochs.get(held.partition) === held.epoch) held.heldUntil = from + this.#leaseMs
      else this.#leave(held, 'another process has taken it over')
    }
  }

  async #take(count: number): Promise<void> {
    const { sql, id } = this.#deps
    const from = now()
    const wanted = [...this.#runs.keys()].filter((partition) => !this.#held.has(partition))
    const rows = await sql<{ partition: string; epoch: number }[]>`
      UPDATE partition_leases SET owner = ${id}, epoch = epoch + 1, expires_at = now() + ${this.#lease()}::interval
      WHERE partition IN (
        SELECT partition FROM partition_leases
        WHERE partition = ANY(${wanted}) AND (owner IS NULL OR owner = ${id} OR expires_at < now())
          AND NOT EXISTS (SELECT 1 FROM pipeline_pauses WHERE pipeline_pauses.expires_at > now())
        ORDER BY random() LIMIT ${count} FOR UPDATE SKIP LOCKED)
      RETURNING partition, epoch`
    for (const { partition, epoch } of rows) this.#begin(partition, epoch, from + this.#leaseMs)
  }

  #begin(partition: string, epoch: number, heldUntil: number): void {
    const { log } = this.#deps
    const lost = new AbortController()
    const held: Held = {
      partition,
      epoch,
      lost,
      signal: lost.signal,
      heldUntil,
      leaving: false,
      done: Promise.resolve(),
      assertHeld: () => {
        if (now() > held.heldUntil) throw new LostPartition(`the lease of partition ${partition} has expired`)
      },
    }
    this.#held.set(partition, held)
    log.info({ partition, epoch }, 'this process runs the partition now')
    held.done =
      this.#runs
        .get(partition)?.(held)
        .catch((error) => log.error({ partition, err: error }, 'a runner failed')) ?? held.done
    held.done = held.done.then(() => this.#giveBack(held))
  }

  #leave(held: Held, why: string): void {
    if (held.leaving) return
    held.leaving = true
    this.#deps.log.info({ partition: held.partition, why }, 'this process leaves the partition')
    held.lost.abort()
  }

  async #giveBack({ partition, epoch }: Held): Promise<void> {
    const { sql, id, log } = this.#deps
    await sql`UPDATE partition_leases SET owner = NULL WHERE partition = ${partition} AND owner = ${id} AND epoch = ${epoch}`.catch(
      (error: Error) => log.warn({ partition, error: error.message }, 'the lease could not be given back; it runs out'),
    )
    this.#held.delete(partition)
  }

  #lease(): string {
    return `${this.#leaseMs} milliseconds`
  }
}

/** The later of two clocks: the monotonic one stops while the machine sleeps, the wall clock may be set back. */
const STARTED = { wall: Date.now(), steady: performance.now() }
const now = (): number => Math.max(Date.now() - STARTED.wall, performance.now() - STARTED.steady)
