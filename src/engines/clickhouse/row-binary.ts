/** Writes values in ClickHouse's RowBinary format: for rows whose texts are too large to be quoted as JSON. */
export class RowBinary {
  #bytes = Buffer.allocUnsafe(1024)
  #length = 0

  uint8(value: number): this {
    this.#room(1)
    this.#length = this.#bytes.writeUInt8(value, this.#length)
    return this
  }

  uint16(value: number): this {
    this.#room(2)
    this.#length = this.#bytes.writeUInt16LE(value, this.#length)
    return this
  }

  uint32(value: number): this {
    this.#room(4)
    this.#length = this.#bytes.writeUInt32LE(value, this.#length)
    return this
  }

  uint64(value: bigint | number): this {
    this.#room(8)
    this.#length = this.#bytes.writeBigUInt64LE(BigInt(value), this.#length)
    return this
  }

  int64(value: number): this {
    this.#room(8)
    this.#length = this.#bytes.writeBigInt64LE(BigInt(value), this.#length)
    return this
  }

  string(value: string): this {
    const size = Buffer.byteLength(value)
    this.size(size).#room(size)
    this.#length += this.#bytes.write(value, this.#length)
    return this
  }

  array<T>(values: readonly T[], write: (value: T) => unknown): this {
    this.size(values.length)
    for (const value of values) write(value)
    return this
  }

  /** How many bytes or elements follow. */
  size(count: number): this {
    this.#room(5)
    while (count >= 0x80) {
      this.#length = this.#bytes.writeUInt8((count & 0x7f) | 0x80, this.#length)
      count >>>= 7
    }
    this.#length = this.#bytes.writeUInt8(count, this.#length)
    return this
  }

  /** The bytes written. Nothing can be written afterwards. */
  done(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  #room(needed: number): void {
    if (this.#length + needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + needed))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}
