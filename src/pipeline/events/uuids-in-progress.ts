/**
 * Uuids of events that are decided but not yet in ClickHouse, over all partitions that one process runs: a client may
 * send the same event again under another distinct id, or once live and once as an import, and the two are then in
 * different partitions.
 *
 *   free      not claimed: it is in ClickHouse or nowhere
 *             -> claimed   a batch calls `claim`, before it looks in ClickHouse
 *   claimed   a second `claim` means a retry
 *             -> free      the batch was delivered (`release`), or its partition starts again (`restart`)
 *
 * Rows in the outbox from before a restart are claimed too, and no batch is decided before every partition has claimed
 * its own.
 */
export class UuidsInProgress {
  /** By uuid, the batch that claimed it. */
  readonly #claimed = new Map<string, UuidClaims>()
  readonly #notStarted: Set<string>
  readonly #waiting: (() => void)[] = []

  /** Waits for these partitions to start. */
  constructor(partitions: readonly string[]) {
    this.#notStarted = new Set(partitions)
  }

  claimsOf(partition: string): UuidClaims {
    return new UuidClaims(partition, this.#claimed)
  }

  /** A partition starts, or starts again, with these rows in the outbox. */
  restart(partition: string, owed: Iterable<{ readonly projectId: number; readonly uuid: string }>): UuidClaims {
    for (const [key, claims] of this.#claimed) if (claims.partition === partition) this.#claimed.delete(key)
    const claims = this.claimsOf(partition)
    for (const { projectId, uuid } of owed) claims.claim(projectId, uuid)
    this.#notStarted.delete(partition)
    if (this.#notStarted.size === 0) for (const go of this.#waiting.splice(0)) go()
    return claims
  }

  /** Resolves when every partition has started, or when the signal is aborted. */
  async allStarted(signal: AbortSignal): Promise<void> {
    if (this.#notStarted.size === 0 || signal.aborted) return
    await new Promise<void>((go) => {
      this.#waiting.push(go)
      signal.addEventListener('abort', () => go(), { once: true })
    })
  }
}

/** The claims of one batch. */
export class UuidClaims {
  readonly partition: string
  readonly #claimed: Map<string, UuidClaims>
  readonly #own: string[] = []

  constructor(partition: string, claimed: Map<string, UuidClaims>) {
    this.partition = partition
    this.#claimed = claimed
  }

  /** False when it is already claimed, by another batch or by this one. */
  claim(project: number, uuid: string): boolean {
    const key = `${project}:${uuid}`
    if (this.#claimed.has(key)) return false
    this.#claimed.set(key, this)
    this.#own.push(key)
    return true
  }

  release(): void {
    for (const key of this.#own) if (this.#claimed.get(key) === this) this.#claimed.delete(key)
    this.#own.length = 0
  }
}
