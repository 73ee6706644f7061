import { performance } from 'node:perf_hooks'
import type { Sql } from '../../engines/postgres/index.ts'
import type { Logger } from '../../lib/logger.ts'
import { pause } from '../../lib/pause.ts'
import { LostPartition } from './position.ts'

/**
 * Which partitions this process runs, when several processes share them. A lease is a row in Postgres with an owner and an end; its owner
 * puts the end off once a second. Each process takes at most its even share, so that one that comes gets some and one that goes leaves some.
 *
 * For each partition:
 *
 *   elsewhere   somebody else has the lease, or we have our share
 *               -> ours        the lease was free or had run out: we took it, under an epoch of our own
 *   ours        our runner runs
 *               -> leaving     it was not put off in time, somebody else has it, others came who want their share, or we stop
 *   leaving     the signal has told the runner to end, and it has not yet ended
 *               -> elsewhere   it has; a lease that is still ours is given back
 *
 * The lease keeps two from working on the same thing; the epoch, checked in the transaction that moves the position, keeps the second one
 * from doing harm when they do (`position.ts`).
 */
export interface Ownership {
  readonly epoch: number
  /** Aborted when the partition is no longer ours. */
  readonly signal: AbortSignal
  /** Throws when the lease has run out, whether or not anybody has noticed: a process that was frozen must not go on as if nothing was. */
  assertHeld(): void
}

interface SharingDeps {
  readonly sql: Sql
  readonly log: Logger
  readonly signal: AbortSignal
  /** A name nobody else has. */
  readonly id: string
  readonly leaseMs?: number
}

type Run = (ownership: Ownership) => Promise<void>

const LEASE_MS = 10_000
const LOOKS_A_LEASE = 10

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
        await this.#look()
      } catch (error) {
        log.warn({ error: (error as Error).message }, 'the leases of the partitions could not be looked at')
      }
      for (const held of this.#held.values()) if (now() > held.heldUntil) this.#leave(held, 'its lease has run out')
      await pause(this.#leaseMs / LOOKS_A_LEASE, signal)
    }
    for (const held of this.#held.values()) this.#leave(held, 'this process stops')
    await Promise.all([...this.#held.values()].map(({ done }) => done))
    await sql`DELETE FROM pipeline_members WHERE id = ${id}`.catch(() => {})
  }

  async #look(): Promise<void> {
    const members = await this.#reportBeingHere()
    await this.#putOff()
    const share = Math.ceil(this.#runs.size / members)
    const mine = [...this.#held.values()].filter(({ leaving }) => !leaving)
    for (const held of mine.slice(share)) this.#leave(held, 'another process takes its share')
    if (mine.length < share) await this.#take(share - mine.length)
  }

  async #reportBeingHere(): Promise<number> {
    const { sql, id } = this.#deps
    await sql`INSERT INTO pipeline_members (id) VALUES (${id}) ON CONFLICT (id) DO UPDATE SET seen_at = now()`
    await sql`DELETE FROM pipeline_members WHERE seen_at < now() - ${this.#lease()}::interval`
    const [row] = await sql<[{ members: number }]>`SELECT count(*) AS members FROM pipeline_members`
    return Math.max(1, row.members)
  }

  async #putOff(): Promise<void> {
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
        if (now() > held.heldUntil) throw new LostPartition(`the lease of partition ${partition} has run out`)
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

/** The later of two clocks: one stands still while the machine sleeps, the other may be set back. */
const STARTED = { wall: Date.now(), steady: performance.now() }
const now = (): number => Math.max(Date.now() - STARTED.wall, performance.now() - STARTED.steady)
