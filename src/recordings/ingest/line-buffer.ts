import { parseJson, stringifyJson } from '../../lib/json.ts'

const LINE_FEED = 0x0a
const RETURN = 0x0d

/** A replacement for some bytes. */
export interface Patch {
  readonly at: number
  readonly end: number
  readonly put: Buffer
}

/** Lines of JSON in one buffer: an upload has hundreds, and most are written together unchanged. */
export class LineBuffer {
  #bytes: Buffer
  #length = 0

  constructor(expected: number) {
    this.#bytes = Buffer.allocUnsafe(expected)
  }

  /** Where the next line begins. */
  get length(): number {
    return this.#length
  }

  /** Adds a range of bytes as a line. Patches are in order and do not overlap. */
  add(bytes: Buffer, at: number, end: number, patches: readonly Patch[] = []): void {
    const start = this.#length
    for (const patch of patches) {
      this.#copy(bytes, at, patch.at)
      this.#copy(patch.put, 0, patch.put.length)
      at = patch.end
    }
    this.#copy(bytes, at, end)
    this.#joinLines(start)
    this.#room(1)
    this.#bytes[this.#length++] = LINE_FEED
  }

  /** Valid until the next line is added. */
  slice(at: number, end: number): Buffer {
    return this.#bytes.subarray(at, end)
  }

  /** Puts JSON that spans several lines on one. */
  #joinLines(start: number): void {
    const text = this.#bytes.subarray(start, this.#length)
    if (!text.includes(LINE_FEED) && !text.includes(RETURN)) return
    const line = Buffer.from(stringifyJson(parseJson(text.toString('utf8'))))
    this.#length = start
    this.#copy(line, 0, line.length)
  }

  #copy(bytes: Buffer, at: number, end: number): void {
    this.#room(end - at)
    this.#length += bytes.copy(this.#bytes, this.#length, at, end)
  }

  #room(needed: number): void {
    if (this.#length + needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + needed))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}
