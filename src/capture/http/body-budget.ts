import { ApiError } from '../../http/errors.ts'
import type { Client } from '../../lib/held-back.ts'
import { SumsByName } from '../../lib/sums-by-name.ts'
import { LIMITS } from '../limits.ts'

/**
 * Limits how many bytes of request bodies are in memory. A body counts from its first byte until its request is
 * answered. While it is read it is
 *   small     and may use the whole budget;
 *   large     and leaves a reserve for small ones, so that uploads never keep events out. When the budget is full, the
 *             largest stalled body is evicted;
 *   silent    for too long: its request is answered 408.
 * One address may hold a share of the budget, and so may one project, once its key is known. The shares are large,
 * because behind a proxy that is not configured as trusted all clients have one address.
 */
export interface BudgetLimits {
  readonly totalBytes: number
  /** Kept free of large bodies. */
  readonly reserveBytes: number
  readonly smallBytes: number
  readonly addressBytes: number
  readonly projectBytes: number
  /** How long a body may pause. */
  readonly idleSeconds: number
  /** After this long without data a body may be evicted. */
  readonly stalledSeconds: number
}

/** Why a request had to wait or was refused; a label in the metrics. */
export type HoldReason =
  | 'bytes'
  | 'address_bytes'
  | 'project_bytes'
  | 'body_stalled'
  | 'gave_way'
  | 'queue'
  | 'queue_of_client'
  | 'refusals'

export type OnHeldBack = (reason: HoldReason, client: Client) => void

export class BodyBudget {
  readonly limits: BudgetLimits
  readonly #onHeldBack: OnHeldBack
  readonly #byAddress = new SumsByName<string>()
  readonly #byProject = new SumsByName<number>()
  readonly #reading = new Set<Holding>()
  #held = 0
  /** Seconds since the start, counted by a timer: reading the clock for each chunk would cost more. */
  #now = 0
  readonly #timer: NodeJS.Timeout

  constructor(limits: Partial<BudgetLimits> = {}, onHeldBack: OnHeldBack = () => {}) {
    this.limits = { ...LIMITS.bodies, ...limits }
    this.#onHeldBack = onHeldBack
    this.#timer = setInterval(() => this.tick(), 1_000)
    this.#timer.unref()
  }

  get held(): number {
    return this.#held
  }

  /** A body begins. `onEvicted` is called at most once, when the body has to be dropped before it is complete. */
  open(address: string | null, onEvicted: (error: ApiError) => void): Holding {
    const holding = new Holding(this, address, onEvicted)
    holding.movedAt = this.#now
    this.#reading.add(holding)
    return holding
  }

  /** Called every second: evicts bodies that have been silent for too long. */
  tick(): void {
    this.#now++
    for (const holding of this.#reading)
      if (this.#now - holding.movedAt > this.limits.idleSeconds) this.#evict(holding, 'body_stalled', silent())
  }

  close(): void {
    clearInterval(this.#timer)
  }

  /** Counts bytes that have arrived; returns an error when they exceed a limit. */
  take(holding: Holding, bytes: number): ApiError | null {
    holding.movedAt = this.#now
    const { totalBytes, reserveBytes, smallBytes, addressBytes } = this.limits
    if (holding.address !== null && this.#byAddress.of(holding.address) + bytes > addressBytes)
      return this.#refuse('address_bytes', holding, 'Too much is being received from your address at once.')
    const room = holding.bytes + bytes <= smallBytes ? totalBytes : totalBytes - reserveBytes
    while (this.#held + bytes > room) {
      const stalled = this.#stalled(holding)
      if (!stalled) return this.#refuse('bytes', holding, 'Too much is being received at once.')
      this.#evict(stalled, 'gave_way', silent())
    }
    this.#held += bytes
    holding.bytes += bytes
    if (holding.address !== null) this.#byAddress.add(holding.address, bytes)
    return null
  }

  moved(holding: Holding): void {
    holding.movedAt = this.#now
  }

  drop(holding: Holding): void {
    this.release(holding)
    this.#reading.add(holding)
  }

  /** The body is complete. */
  complete(holding: Holding): void {
    this.#reading.delete(holding)
  }

  /** The project is known now: from here on the body counts for it too. */
  assign(holding: Holding, project: number): ApiError | null {
    if (holding.project !== null) return null
    if (this.#byProject.of(project) + holding.bytes > this.limits.projectBytes)
      return this.#refuse(
        'project_bytes',
        { address: holding.address, project },
        'Too much of this project is being stored at once.',
      )
    holding.project = project
    this.#byProject.add(project, holding.bytes)
    return null
  }

  release(holding: Holding): void {
    this.#reading.delete(holding)
    this.#held -= holding.bytes
    if (holding.address !== null) this.#byAddress.add(holding.address, -holding.bytes)
    if (holding.project !== null) this.#byProject.add(holding.project, -holding.bytes)
    holding.bytes = 0
  }

  /** The largest stalled body. Small bodies are never evicted. */
  #stalled(newcomer: Holding): Holding | null {
    let largest: Holding | null = null
    for (const holding of this.#reading) {
      const still = this.#now - holding.movedAt >= this.limits.stalledSeconds
      if (!still || holding === newcomer || holding.bytes <= this.limits.smallBytes) continue
      if (!largest || holding.bytes > largest.bytes) largest = holding
    }
    return largest
  }

  #evict(holding: Holding, reason: HoldReason, error: ApiError): void {
    this.#onHeldBack(reason, holding)
    this.release(holding)
    holding.onEvicted(error)
  }

  #refuse(reason: HoldReason, client: Client, why: string): ApiError {
    this.#onHeldBack(reason, client)
    return new ApiError('overloaded', `${why} Nothing was stored; send it again.`, { retryAfterSeconds: 5 })
  }
}

/** The bytes that one body holds. */
export class Holding {
  readonly address: string | null
  readonly onEvicted: (error: ApiError) => void
  readonly #budget: BodyBudget
  bytes = 0
  /** The body is parsed in a worker thread. */
  large = false
  project: number | null = null
  movedAt = 0

  constructor(budget: BodyBudget, address: string | null, onEvicted: (error: ApiError) => void) {
    this.#budget = budget
    this.address = address
    this.onEvicted = onEvicted
  }

  take(bytes: number): ApiError | null {
    return this.#budget.take(this, bytes)
  }

  /** The body is refused: its bytes are released, and the rest of it is read and discarded. */
  drop(): void {
    this.#budget.drop(this)
  }

  moved(): void {
    this.#budget.moved(this)
  }

  complete(): void {
    this.#budget.complete(this)
  }

  /** Throws when the project holds too much already. */
  assign(project: number): void {
    const error = this.#budget.assign(this, project)
    if (error) throw error
  }

  release(): void {
    this.#budget.release(this)
  }
}

const silent = () =>
  new ApiError('request_timeout', 'The upload stood still for too long. Nothing was stored; send it again.', {
    retryAfterSeconds: 5,
  })
