/** Bytes that are written one after another, into a buffer that grows when it is full. */
export class GrowingBuffer {
  protected bytes: Buffer
  protected used = 0

  constructor(expectedBytes = 1024) {
    this.bytes = Buffer.allocUnsafe(expectedBytes)
  }

  get length(): number {
    return this.used
  }

  /** What was written between two lengths, once more. */
  again(from: number, to: number): this {
    this.room(to - from)
    this.bytes.copyWithin(this.used, from, to)
    this.used += to - from
    return this
  }

  /** The bytes written. Nothing can be written afterwards. */
  done(): Buffer {
    return this.bytes.subarray(0, this.used)
  }

  /** Call it before writing so many bytes: `bytes` may be another buffer afterwards. */
  protected room(needed: number): void {
    if (this.used + needed <= this.bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.used + needed))
    this.bytes.copy(larger, 0, 0, this.used)
    this.bytes = larger
  }
}
