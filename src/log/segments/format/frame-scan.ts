import type { FileHandle } from 'node:fs/promises'
import { crc32 } from './crc32.ts'
import {
  FRAME_HEAD_BYTES,
  flagsOf,
  isHead,
  MAX_PAYLOAD_BYTES,
  partitionIndex,
  payloadCrc,
  payloadLength,
} from './frame.ts'

/**
 * Walks the frames of one segment between two offsets.
 *
 * `step()` never waits: it returns what is at the current offset, or that more bytes must be loaded first (`load()`),
 * so scanning a block costs no promise for each record. After an invalid head it searches byte by byte for the next
 * valid one; the bytes in between are reported as damage.
 */
type Step = 'frame' | 'damage' | 'load' | 'end'

export class FrameScan {
  /** Where the current frame or damage starts and ends, as offsets in the file. */
  start: number
  end: number
  partition = 0
  flags = 0

  readonly #file: FileHandle
  readonly #salt: number
  readonly #limit: number
  readonly #blockBytes: number
  #block: Buffer = Buffer.alloc(0)
  /** The file offset of the block's first byte. */
  #blockAt: number
  /** How many bytes the next step needs at `#next`. */
  #wanted = FRAME_HEAD_BYTES
  #next: number
  #damagedFrom = -1
  /** The file ended before the limit. */
  #short = false

  constructor(file: FileHandle, salt: number, from: number, limit: number, blockBytes: number) {
    this.#file = file
    this.#salt = salt
    this.#limit = limit
    this.#blockBytes = blockBytes
    this.#blockAt = from
    this.#next = from
    this.start = from
    this.end = from
  }

  step(): Step {
    for (;;) {
      const limit = this.#short ? this.#blockAt + this.#block.length : this.#limit
      if (this.#next + FRAME_HEAD_BYTES > limit) return this.#finish()
      if (!this.#has(this.#next, FRAME_HEAD_BYTES)) return this.#ask(FRAME_HEAD_BYTES)
      const at = this.#next - this.#blockAt
      if (isHead(this.#block, at, this.#salt, this.#next) && this.#fits(at)) {
        if (this.#damagedFrom >= 0) return this.#damage(this.#next)
        this.start = this.#next
        this.end = this.#next + FRAME_HEAD_BYTES + payloadLength(this.#block, at)
        this.partition = partitionIndex(this.#block, at)
        this.flags = flagsOf(this.#block, at)
        return 'frame'
      }
      if (this.#damagedFrom < 0) this.#damagedFrom = this.#next
      this.#next++
    }
  }

  /** The payload of the current frame; null when it must be loaded first, undefined when its checksum is wrong. */
  payload(): Buffer | null | undefined {
    if (!this.#has(this.start, this.end - this.start)) {
      if (this.#short) return undefined
      this.#ask(this.end - this.start)
      return null
    }
    const at = this.start - this.#blockAt
    const payload = this.#block.subarray(at + FRAME_HEAD_BYTES, this.end - this.#blockAt)
    return crc32(payload) === payloadCrc(this.#block, at) ? payload : undefined
  }

  /** Continues after the current frame, without reading its payload. */
  skip(): void {
    this.#next = this.end
  }

  /** Reads what `step()` or `payload()` needs, and the block after it. */
  async load(): Promise<void> {
    const length = Math.min(Math.max(this.#wanted, this.#blockBytes), this.#limit - this.#next)
    const block = Buffer.allocUnsafeSlow(length)
    let filled = 0
    while (filled < length) {
      const { bytesRead } = await this.#file.read(block, filled, length - filled, this.#next + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    this.#short = filled < length
    this.#block = block.subarray(0, filled)
    this.#blockAt = this.#next
  }

  #has(offset: number, bytes: number): boolean {
    return offset >= this.#blockAt && offset + bytes <= this.#blockAt + this.#block.length
  }

  #fits(at: number): boolean {
    const length = payloadLength(this.#block, at)
    return length <= MAX_PAYLOAD_BYTES && this.#next + FRAME_HEAD_BYTES + length <= this.#limit
  }

  #ask(bytes: number): 'load' {
    this.#wanted = bytes
    return 'load'
  }

  #finish(): 'damage' | 'end' {
    if (this.#damagedFrom < 0 && this.#next < this.#limit) this.#damagedFrom = this.#next
    if (this.#damagedFrom >= 0) {
      this.#next = this.#limit
      return this.#damage(this.#limit)
    }
    return 'end'
  }

  #damage(end: number): 'damage' {
    this.start = this.#damagedFrom
    this.end = end
    this.#damagedFrom = -1
    return 'damage'
  }
}
