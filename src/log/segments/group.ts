import type { LogEntry } from '../port.ts'
import { crc32 } from './format/crc32.ts'
import { FLAG_GROUP, FLAG_MORE, FRAME_HEAD_BYTES, sealHead, writeHead } from './format/frame.ts'

/**
 * The appends that share one write and one sync. Small payloads are copied next to their heads, so that a group is a
 * few large buffers instead of thousands of small ones; large payloads are written without a copy.
 */
const CHUNK_BYTES = 256 * 1024
const COPY_UP_TO_BYTES = 32 * 1024
const SPARE_CHUNKS = 8

export class Group {
  /** Settles for every append of the group at once. */
  readonly done: Promise<void>
  settle!: { resolve: () => void; reject: (error: Error) => void }
  bytes = 0
  appends = 0
  records = 0
  /** The buffers to write, in order. */
  readonly parts: Buffer[] = []

  readonly #chunks: Buffer[] = []
  readonly #spare: Buffer[]
  #chunk: Buffer | null = null
  #chunkStart = 0
  #chunkEnd = 0
  readonly #heads: Buffer[] = []
  readonly #headAts: number[] = []
  readonly #sizes: number[] = []
  readonly #slots: number[] = []

  constructor(spareChunks: Buffer[]) {
    this.#spare = spareChunks
    this.done = new Promise((resolve, reject) => {
      this.settle = { resolve, reject }
    })
  }

  add(entries: readonly LogEntry[], slots: ReadonlyMap<string, number>): void {
    const last = entries.length - 1
    for (let i = 0; i <= last; i++) {
      const { partition, payload, crc } = entries[i] as LogEntry
      const slot = slots.get(partition) as number
      const flags = (i < last ? FLAG_MORE : 0) | (this.records === 0 ? FLAG_GROUP : 0)
      this.#frame(slot, flags, payload, crc ?? crc32(payload))
    }
    this.appends++
  }

  /** Sets the seal of every frame for the offset at which the group will be written. */
  seal(salt: number, offset: number): void {
    this.#cutPart()
    let at = offset
    for (let i = 0; i < this.#heads.length; i++) {
      sealHead(this.#heads[i] as Buffer, this.#headAts[i] as number, salt, at)
      at += this.#sizes[i] as number
    }
  }

  /** Raises the ends of the partitions for a group at this position. */
  moveEnds(ends: number[], position: number): void {
    let at = position
    for (let i = 0; i < this.#sizes.length; i++) {
      at += this.#sizes[i] as number
      ends[this.#slots[i] as number] = at
    }
  }

  /** Returns the buffers for the next group. */
  recycle(): void {
    for (const chunk of this.#chunks) if (this.#spare.length < SPARE_CHUNKS) this.#spare.push(chunk)
  }

  #frame(slot: number, flags: number, payload: Uint8Array, crc: number): void {
    const copied = payload.length <= COPY_UP_TO_BYTES
    const chunk = this.#room(copied ? FRAME_HEAD_BYTES + payload.length : FRAME_HEAD_BYTES)
    const at = this.#chunkEnd
    writeHead(chunk, at, slot, flags, payload.length, crc)
    this.#chunkEnd += FRAME_HEAD_BYTES
    if (copied) {
      chunk.set(payload, this.#chunkEnd)
      this.#chunkEnd += payload.length
    } else {
      this.#cutPart()
      this.parts.push(Buffer.from(payload.buffer, payload.byteOffset, payload.length))
    }
    const size = FRAME_HEAD_BYTES + payload.length
    this.#heads.push(chunk)
    this.#headAts.push(at)
    this.#sizes.push(size)
    this.#slots.push(slot)
    this.bytes += size
    this.records++
  }

  #room(bytes: number): Buffer {
    if (this.#chunk !== null && this.#chunkEnd + bytes <= CHUNK_BYTES) return this.#chunk
    this.#cutPart()
    this.#chunk = this.#spare.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES)
    this.#chunks.push(this.#chunk)
    this.#chunkStart = 0
    this.#chunkEnd = 0
    return this.#chunk
  }

  #cutPart(): void {
    if (this.#chunk === null || this.#chunkStart === this.#chunkEnd) return
    this.parts.push(this.#chunk.subarray(this.#chunkStart, this.#chunkEnd))
    this.#chunkStart = this.#chunkEnd
  }
}
