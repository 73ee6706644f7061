import type { SegmentIo } from './segment-io.ts'

const LOOK_EVERY_MS = 1_000

/**
 * Keeps the last free bytes of the disk for the engines, which need them to catch up. Checks at most once a second, in
 * the background.
 */
export class DiskReserve {
  readonly #dir: string
  readonly #reserveBytes: number
  readonly #io: SegmentIo
  #lookedAt = 0
  #refusal: string | null = null

  constructor(dir: string, reserveBytes: number, io: SegmentIo) {
    this.#dir = dir
    this.#reserveBytes = reserveBytes
    this.#io = io
  }

  /** Why nothing may be written now, as of the last check. */
  refusal(): string | null {
    if (this.#reserveBytes > 0 && Date.now() - this.#lookedAt >= LOOK_EVERY_MS) void this.look()
    return this.#refusal
  }

  async look(): Promise<void> {
    this.#lookedAt = Date.now()
    if (this.#reserveBytes <= 0) return
    try {
      const free = await this.#io.freeBytes(this.#dir)
      this.#refusal =
        free < this.#reserveBytes
          ? `The disk of the log is nearly full: ${free} bytes are free, ${this.#reserveBytes} are kept in reserve.`
          : null
    } catch {
      // Without an answer appends are allowed: a full disk fails the write.
      this.#refusal = null
    }
  }
}
