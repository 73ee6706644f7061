import { GrowingBuffer } from '../../lib/growing-buffer.ts'

/** Longer texts are written by Node: for shorter ones the call costs more than the characters. */
const SHORT = 48
/** The most bytes that a size takes. */
const SIZE_BYTES = 5
const HEX = Uint8Array.from({ length: 128 }, (_, code) => Number.parseInt(String.fromCharCode(code), 16) || 0)
/** Where the bytes of a uuid begin in its text. */
const UUID_BYTES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const

/** Writes values in ClickHouse's RowBinary format: both sides then do without quotes, digits and names of columns. */
export class RowBinary extends GrowingBuffer {
  uint8(value: number): this {
    this.room(1)
    this.bytes[this.used++] = value
    return this
  }

  uint16(value: number): this {
    this.room(2)
    this.used = this.bytes.writeUInt16LE(value, this.used)
    return this
  }

  uint32(value: number): this {
    if (value >>> 0 !== value) throw new RangeError(`${value} is not a UInt32`)
    this.room(4)
    this.#fourBytes(value)
    return this
  }

  int32(value: number): this {
    if ((value | 0) !== value) throw new RangeError(`${value} is not an Int32`)
    this.room(4)
    this.#fourBytes(value)
    return this
  }

  uint64(value: bigint | number): this {
    this.room(8)
    this.used = this.bytes.writeBigUInt64LE(BigInt(value), this.used)
    return this
  }

  /** A whole number that a double holds exactly. */
  int64(value: number): this {
    if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is not an exact whole number`)
    this.room(8)
    const high = Math.floor(value / 0x1_0000_0000)
    this.#fourBytes(value - high * 0x1_0000_0000)
    this.#fourBytes(high)
    return this
  }

  float64(value: number): this {
    this.room(8)
    this.used = this.bytes.writeDoubleLE(value, this.used)
    return this
  }

  /** A uuid of 36 characters: two halves of 64 bits, each with its last byte first. */
  uuid(text: string): this {
    this.room(16)
    for (let i = 0; i < 8; i++) this.bytes[this.used + 7 - i] = byteOfUuid(text, i)
    for (let i = 8; i < 16; i++) this.bytes[this.used + 23 - i] = byteOfUuid(text, i)
    this.used += 16
    return this
  }

  /** The same as one number of 128 bits, which sorts like the text. */
  uuidAsUint128(text: string): this {
    this.room(16)
    for (let i = 0; i < 16; i++) this.bytes[this.used + 15 - i] = byteOfUuid(text, i)
    this.used += 16
    return this
  }

  string(value: string): this {
    const { length } = value
    if (length > SHORT) return this.#longString(value)
    this.room(length + 1)
    const bytes = this.bytes
    let at = this.used
    bytes[at++] = length
    for (let i = 0; i < length; i++) {
      const code = value.charCodeAt(i)
      if (code > 0x7f) return this.#longString(value)
      bytes[at++] = code
    }
    this.used = at
    return this
  }

  /** A text of which the bytes are known. */
  stringOf(bytes: Uint8Array, from: number, to: number): this {
    this.size(to - from)
    this.room(to - from)
    this.bytes.set(bytes.subarray(from, to), this.used)
    this.used += to - from
    return this
  }

  array<T>(values: readonly T[], write: (value: T) => unknown): this {
    this.size(values.length)
    for (const value of values) write(value)
    return this
  }

  /** How many bytes or elements follow. */
  size(count: number): this {
    this.room(SIZE_BYTES)
    let left = count
    while (left >= 0x80) {
      this.bytes[this.used++] = (left & 0x7f) | 0x80
      left >>>= 7
    }
    this.bytes[this.used++] = left
    return this
  }

  /** Values that were written elsewhere: a few bytes. */
  written(values: Uint8Array): this {
    this.room(values.length)
    const bytes = this.bytes
    const at = this.used
    for (let i = 0; i < values.length; i++) bytes[at + i] = values[i] as number
    this.used += values.length
    return this
  }

  /**
   * Most texts have one byte for each character: they are written behind the size they then have, and moved only if
   * they have more.
   */
  #longString(value: string): this {
    // Bytes are counted only near the end of the buffer.
    if (this.used + SIZE_BYTES + value.length * 3 > this.bytes.length) this.room(SIZE_BYTES + Buffer.byteLength(value))
    const start = this.used
    this.size(value.length)
    const from = this.used
    const written = this.bytes.write(value, from)
    if (written !== value.length) {
      this.used = start
      this.bytes.copyWithin(start + sizeBytes(written), from, from + written)
      this.size(written)
    }
    this.used += written
    return this
  }

  /** By hand: Node's own writers check their arguments, and rows have many numbers. */
  #fourBytes(value: number): void {
    const bytes = this.bytes
    const at = this.used
    bytes[at] = value
    bytes[at + 1] = value >>> 8
    bytes[at + 2] = value >>> 16
    bytes[at + 3] = value >>> 24
    this.used = at + 4
  }
}

/** How many bytes a size takes. */
function sizeBytes(count: number): number {
  let bytes = 1
  for (let left = count; left >= 0x80; left >>>= 7) bytes++
  return bytes
}

function byteOfUuid(text: string, index: number): number {
  const at = UUID_BYTES[index] as number
  return ((HEX[text.charCodeAt(at)] as number) << 4) | (HEX[text.charCodeAt(at + 1)] as number)
}
