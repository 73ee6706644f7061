/** Collects texts as UTF-8, without joining them first. */
export class TextBuffer {
  #bytes: Buffer
  #length = 0

  constructor(expectedBytes = 1024) {
    this.#bytes = Buffer.allocUnsafe(expectedBytes)
  }

  add(text: string): this {
    // A unit of UTF-16 takes three bytes at most.
    this.#room(text.length * 3)
    this.#length += this.#bytes.write(text, this.#length)
    return this
  }

  /** The bytes of all texts. Nothing can be added afterwards. */
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
