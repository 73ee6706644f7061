import { ApiError } from '../../http/errors.ts'
import { LIMITS } from '../limits.ts'

/**
 * How many bytes of bodies all requests together hold in memory, and who holds them. A body is counted from its first byte until its
 * request is answered. While it is read it is
 *   small     and may use all there is;
 *   large     and leaves a reserve to small ones, so that no upload keeps events out. When there is no room for it, the largest body that
 *             stands still gives way;
 *   silent    for too long: its request is answered 408.
 * One address may hold a share of all, and so may one project, once its key is known. The shares are large: behind a proxy that nobody
 * mentioned all clients have one address.
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
  /** How long it must have paused to give way to others. */
  readonly stalledSeconds: number
}

/** Why somebody was held back; for metrics. */
export type HeldBack =
  | 'bytes'
  | 'address_bytes'
  | 'project_bytes'
  | 'body_stalled'
  | 'gave_way'
  | 'queue'
  | 'lane_queue'
  | 'refusals'

export class BodyBudget {
  readonly limits: BudgetLimits
  readonly #onHeldBack: (reason: HeldBack) => void
  readonly #byAddress = new Shares()
  readonly #byProject = new Shares()
  readonly #reading = new Set<Holding>()
  #held = 0
  /** Seconds, counted here because asking the clock for each chunk costs more. */
  #now = 0
  readonly #timer: NodeJS.Timeout

  constructor(limits: Partial<BudgetLimits> = {}, onHeldBack: (reason: HeldBack) => void = () => {}) {
    this.limits = { ...LIMITS.bodies, ...limits }
    this.#onHeldBack = onHeldBack
    this.#timer = setInterval(() => this.tick(), 1_000)
    this.#timer.unref()
  }

  get held(): number {
    return this.#held
  }

  /** A body that begins. `giveWay` is called at most once, when it must be let go before it is complete. */
  open(address: string | null, giveWay: (error: ApiError) => void): Holding {
    const holding = new Holding(this, address, giveWay)
    holding.movedAt = this.#now
    this.#reading.add(holding)
    return holding
  }

  /** Another second has passed: bodies that have been silent for too long are let go. */
  tick(): void {
    this.#now++
    for (const holding of this.#reading)
      if (this.#now - holding.movedAt > this.limits.idleSeconds) this.#letGo(holding, 'body_stalled', silent())
  }

  close(): void {
    clearInterval(this.#timer)
  }

  /** Counts bytes that have arrived, or says why there is no room for them. */
  take(holding: Holding, bytes: number): ApiError | null {
    holding.movedAt = this.#now
    const { totalBytes, reserveBytes, smallBytes, addressBytes } = this.limits
    if (holding.address !== null && this.#byAddress.of(holding.address) + bytes > addressBytes)
      return this.#refuse('address_bytes', 'Too much is being received from your address at once.')
    const room = holding.bytes + bytes <= smallBytes ? totalBytes : totalBytes - reserveBytes
    while (this.#held + bytes > room) {
      const stalled = this.#stalled(holding)
      if (!stalled) return this.#refuse('bytes', 'Too much is being received at once.')
      this.#letGo(stalled, 'gave_way', silent())
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

  /** Whose it is turned out: from now on it counts for the project too. */
  assign(holding: Holding, project: number): ApiError | null {
    if (holding.project !== null) return null
    if (this.#byProject.of(project) + holding.bytes > this.limits.projectBytes)
      return this.#refuse('project_bytes', 'Too much of this project is being stored at once.')
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

  /** The largest of those that stand still; small ones may stay. */
  #stalled(newcomer: Holding): Holding | null {
    let largest: Holding | null = null
    for (const holding of this.#reading) {
      const still = this.#now - holding.movedAt >= this.limits.stalledSeconds
      if (!still || holding === newcomer || holding.bytes <= this.limits.smallBytes) continue
      if (!largest || holding.bytes > largest.bytes) largest = holding
    }
    return largest
  }

  #letGo(holding: Holding, reason: HeldBack, error: ApiError): void {
    this.#onHeldBack(reason)
    this.release(holding)
    holding.giveWay(error)
  }

  #refuse(reason: HeldBack, why: string): ApiError {
    this.#onHeldBack(reason)
    return new ApiError('overloaded', `${why} Nothing was stored; send it again.`, { retryAfterSeconds: 5 })
  }
}

/** What one body holds. */
export class Holding {
  readonly address: string | null
  readonly giveWay: (error: ApiError) => void
  readonly #budget: BodyBudget
  bytes = 0
  /** It is read in a thread. */
  large = false
  project: number | null = null
  movedAt = 0

  constructor(budget: BodyBudget, address: string | null, giveWay: (error: ApiError) => void) {
    this.#budget = budget
    this.address = address
    this.giveWay = giveWay
  }

  take(bytes: number): ApiError | null {
    return this.#budget.take(this, bytes)
  }

  /** The body is refused, and what comes of it is thrown away; it must still come. */
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

/** Sums by name; what is down to zero is forgotten. */
class Shares {
  readonly #sums = new Map<string | number, number>()

  of(name: string | number): number {
    return this.#sums.get(name) ?? 0
  }

  add(name: string | number, bytes: number): void {
    const sum = this.of(name) + bytes
    if (sum === 0) this.#sums.delete(name)
    else this.#sums.set(name, sum)
  }
}

const silent = () =>
  new ApiError('request_timeout', 'The upload stood still for too long. Nothing was stored; send it again.', {
    retryAfterSeconds: 5,
  })
