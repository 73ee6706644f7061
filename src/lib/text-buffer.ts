import { GrowingBuffer } from './growing-buffer.ts'
import { stringifyJson } from './json.ts'

/** Longer texts are written by Node: for shorter ones the call costs more than the characters. */
const SHORT = 48

/** Collects texts as UTF-8, without joining them first. */
export class TextBuffer extends GrowingBuffer {
  add(text: string): this {
    return (text.length <= SHORT && this.#addAscii(text)) || this.#addLong(text)
  }

  /** The text as a string of JSON, in quotes. */
  quoted(text: string): this {
    return isPlain(text) ? this.add('"').add(text).add('"') : this.#addLong(stringifyJson(text))
  }

  /** Null when the text holds more than ASCII: then nothing was added. */
  #addAscii(text: string): this | null {
    this.room(text.length)
    const bytes = this.bytes
    let at = this.used
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code > 0x7f) return null
      bytes[at++] = code
    }
    this.used = at
    return this
  }

  #addLong(text: string): this {
    // A unit of UTF-16 takes three bytes at most. They are counted only near the end of the buffer.
    if (this.used + text.length * 3 > this.bytes.length) this.room(Buffer.byteLength(text))
    this.used += this.bytes.write(text, this.used)
    return this
  }
}

/** Short, and JSON escapes nothing of it. */
function isPlain(text: string): boolean {
  if (text.length > SHORT) return false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x20 || code > 0x7e || code === QUOTE || code === BACKSLASH) return false
  }
  return true
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
