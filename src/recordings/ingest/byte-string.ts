import { startsString } from '../../lib/json-spans.ts'

const BACKSLASH = 0x5c
const LOWER_U = 0x75
const ZERO = 0x30

/** The meaning of a letter after a backslash. */
const ESCAPES = new Uint8Array(256)
for (const pair of ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t'])
  ESCAPES[pair.charCodeAt(0)] = pair.charCodeAt(1)

const HEX = new Uint8Array(256)
for (const [value, digit] of [...'0123456789abcdef'].entries()) {
  HEX[digit.charCodeAt(0)] = value
  HEX[digit.toUpperCase().charCodeAt(0)] = value
}

/** One buffer for all strings: the bytes are used before the next call. */
let scratch = Buffer.allocUnsafe(64 * 1024)
const LARGEST_KEPT = 4 * 1024 * 1024

function roomFor(size: number): Buffer {
  if (size > LARGEST_KEPT) return Buffer.allocUnsafe(size)
  if (size > scratch.length) scratch = Buffer.allocUnsafe(size * 2)
  return scratch
}

/**
 * The bytes of a JSON string in which each character is one byte. Undefined when a character is not a byte, or when
 * this is not a string. Valid until the next call. A tenth of compressed bytes is escaped, so this is written by hand
 * for speed.
 */
export function bytesOfString(json: Buffer, at: number, end: number): Buffer | undefined {
  if (!startsString(json, at)) return undefined
  const bytes = roomFor(end - at)
  let length = 0
  for (let i = at + 1; i < end - 1; i++) {
    const code = json[i] as number
    if (code === BACKSLASH) {
      const letter = json[++i] as number
      if (letter === LOWER_U) {
        if (json[i + 1] !== ZERO || json[i + 2] !== ZERO) return undefined
        bytes[length++] = ((HEX[json[i + 3] as number] as number) << 4) | (HEX[json[i + 4] as number] as number)
        i += 4
      } else bytes[length++] = ESCAPES[letter] as number
    } else if (code < 0x80) bytes[length++] = code
    else if (code > 0xc3) return undefined
    else bytes[length++] = ((code & 0x03) << 6) | ((json[++i] as number) & 0x3f)
  }
  return bytes.subarray(0, length)
}
