/**
 * Uuids of events that are decided but not yet in ClickHouse, over all partitions that one process runs: a client may send the same
 * event again under another distinct id, or once live and once as an import, and the two then meet in different partitions.
 *
 *   free      nobody has it, or it is in ClickHouse: ask there
 *             -> claimed   a batch says `claim`, before it asks ClickHouse
 *   claimed   whoever claims it again holds a retry
 *             -> free      the batch was delivered (`release`), or its partition starts over (`startOver`)
 *
 * Rows that an earlier life promised are claimed too, and nobody decides before every partition has said what it still owes.
 */
export class UuidsUnderWay {
  /** By uuid, the batch that holds it. */
  readonly #claimed = new Map<string, UuidClaims>()
  readonly #unheard: Set<string>
  readonly #waiting: (() => void)[] = []

  /** Waits for these partitions to start. */
  constructor(partitions: readonly string[]) {
    this.#unheard = new Set(partitions)
  }

  claimsOf(partition: string): UuidClaims {
    return new UuidClaims(partition, this.#claimed)
  }

  /** A partition starts, or starts over, owing these rows. */
  startOver(partition: string, owed: Iterable<{ readonly projectId: number; readonly uuid: string }>): UuidClaims {
    for (const [key, claims] of this.#claimed) if (claims.partition === partition) this.#claimed.delete(key)
    const claims = this.claimsOf(partition)
    for (const { projectId, uuid } of owed) claims.claim(projectId, uuid)
    this.#unheard.delete(partition)
    if (this.#unheard.size === 0) for (const go of this.#waiting.splice(0)) go()
    return claims
  }

  /** Resolves when every partition has started, or when it is time to stop. */
  async allStarted(signal: AbortSignal): Promise<void> {
    if (this.#unheard.size === 0 || signal.aborted) return
    await new Promise<void>((go) => {
      this.#waiting.push(go)
      signal.addEventListener('abort', () => go(), { once: true })
    })
  }
}

/** What one batch has claimed. */
export class UuidClaims {
  readonly partition: string
  readonly #claimed: Map<string, UuidClaims>
  readonly #own: string[] = []

  constructor(partition: string, claimed: Map<string, UuidClaims>) {
    this.partition = partition
    this.#claimed = claimed
  }

  /** False when it is claimed already, be it by this very batch. */
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
