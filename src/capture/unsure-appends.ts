import { createHash } from 'node:crypto'
import { MINUTE } from '../lib/durations.ts'
import { type LogEntry, LogUnavailable, type LogWriter } from '../log/index.ts'

/**
 * Appends that a log in NATS refused, and may have stored all the same: the answer was lost, or one partition took its
 * share and another did not. The client gets a 503 and sends the request again. Events that brought a uuid are then
 * recognised by it; the others got theirs from us, so a request that comes again must get the same ones. Its first
 * records are kept for that, and appended again in its place.
 *
 *   unknown   -> kept       an append was refused, and may be stored
 *   kept      -> kept       the same request came again, and was refused again
 *             -> unknown    it came again and was stored; ten minutes have passed; or too many are kept
 *
 * A request is the same when its records are, but for what we add: uuids and the time. The memory is of this process:
 * a client that comes to another one is a new client there.
 */
interface Kept {
  readonly entries: readonly LogEntry[]
  readonly bytes: number
  readonly until: number
}

const KEPT_MS = 10 * MINUTE
const MOST_BYTES = 16 * 1024 * 1024
const TIME = /"receivedAt":(\d+)/

export class UnsureAppends {
  readonly #log: LogWriter
  readonly #kept = new Map<string, Kept>()
  #bytes = 0

  constructor(log: LogWriter) {
    this.#log = log
  }

  append(entries: readonly LogEntry[]): Promise<void> {
    return this.#log.mayComeTwice ? this.#append(entries) : this.#log.append(entries)
  }

  async #append(entries: readonly LogEntry[]): Promise<void> {
    this.#forgetOld()
    const key = this.#kept.size > 0 ? contentOf(entries) : null
    const first = key === null ? undefined : this.#take(key)
    try {
      await this.#log.append(first?.entries ?? entries)
    } catch (error) {
      const unsure = error instanceof LogUnavailable && error.maybeStored
      if (first || unsure) this.#keep(key ?? contentOf(entries), first?.entries ?? entries)
      throw error
    }
  }

  #take(key: string): Kept | undefined {
    const found = this.#kept.get(key)
    if (found === undefined) return undefined
    this.#forget(key, found)
    return found.until > Date.now() ? found : undefined
  }

  #keep(key: string, entries: readonly LogEntry[]): void {
    const bytes = entries.reduce((sum, { payload }) => sum + payload.length, 0)
    // Two of the same request may be refused at once: the bytes of one must not stay counted for ever.
    const same = this.#kept.get(key)
    if (same) this.#forget(key, same)
    this.#kept.set(key, { entries, bytes, until: Date.now() + KEPT_MS })
    this.#bytes += bytes
    this.#forgetOld()
  }

  /** The oldest first, as a Map keeps them. */
  #forgetOld(): void {
    for (const [key, kept] of this.#kept) {
      if (this.#bytes <= MOST_BYTES && kept.until > Date.now()) break
      this.#forget(key, kept)
    }
  }

  #forget(key: string, { bytes }: Kept): void {
    this.#kept.delete(key)
    this.#bytes -= bytes
  }
}

function contentOf(entries: readonly LogEntry[]): string {
  const hash = createHash('sha256')
  for (const { partition, payload } of entries) {
    const text = withoutOurs(Buffer.from(payload).toString('latin1'))
    hash.update(`${partition} ${text.length} `).update(text, 'latin1')
  }
  return hash.digest('base64')
}

/** Our uuids begin with the time of the request. One that a client sent tells its event from others. */
function withoutOurs(record: string): string {
  const time = Number(TIME.exec(record)?.[1]).toString(16).padStart(12, '0')
  const ours = new RegExp(`\\{"uuid":"${time.slice(0, 8)}-${time.slice(8)}-7[0-9a-f-]{21}","clientUuid":`, 'g')
  return record.replace(TIME, '').replace(ours, '{')
}
