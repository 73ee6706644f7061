/**
 * Reads what lz-string's `compressToBase64` writes (`compression=lz64` of old SDKs). Our own reader, because a few
 * kilobytes can unpack to gigabytes and the library's has no limit.
 *
 * The format: base64 of a bit stream, least significant bit first inside a value, most significant bit first inside a
 * 6-bit digit. A value names an entry of a growing dictionary; 0 announces a new 8-bit character, 1 a new 16-bit one, 2
 * ends the text. The width of a value grows by one bit whenever the dictionary has filled the width it had.
 */
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/='
const VALUE_OF = new Int8Array(128).fill(-1)
for (let i = 0; i < DIGITS.length; i++) VALUE_OF[DIGITS.charCodeAt(i)] = i === 64 ? 0 : i

/** The text, null when the input is not lz-string, 'too large' when it would pass `maxCharacters`. */
export function decompressLz64(base64: string, maxCharacters: number): { text: string } | null | 'too large' {
  const bits = bitReader(base64)
  const first = readCharacter(bits, bits(2))
  if (first === null) return null
  if (first === END) return { text: '' }

  const dictionary: string[] = ['', '', '', first]
  const parts: string[] = [first]
  let length = first.length
  let previous = first
  let width = 3
  // How many entries still fit the present width.
  let room = 4
  for (;;) {
    let value = bits(width)
    if (value < 0) return null
    if (value < 3) {
      const character = readCharacter(bits, value)
      if (character === null) return null
      if (character === END) return { text: parts.join('') }
      dictionary.push(character)
      value = dictionary.length - 1
      if (--room === 0) room = 2 ** width++
    }
    const known = dictionary[value]
    const entry = known ?? (value === dictionary.length ? previous + previous[0] : null)
    if (entry === null) return null
    length += entry.length
    if (length > maxCharacters) return 'too large'
    parts.push(entry)
    dictionary.push(previous + entry[0])
    previous = entry
    if (--room === 0) room = 2 ** width++
  }
}

const END = ''

/** The new character that a value below 3 announces; END at the end of the text, null when the input runs out. */
function readCharacter(bits: (count: number) => number, announced: number): string | null {
  if (announced === 2) return END
  if (announced !== 0 && announced !== 1) return null
  const code = bits(announced === 0 ? 8 : 16)
  return code < 0 ? null : String.fromCharCode(code)
}

/** Reads values of a given width; -1 at the end of the input or at a character that is no base64 digit. */
function bitReader(base64: string): (count: number) => number {
  let at = 0
  let digit = 0
  let left = 0
  return (count) => {
    let value = 0
    for (let bit = 0; bit < count; bit++) {
      if (left === 0) {
        const code = at < base64.length ? base64.charCodeAt(at++) : 128
        digit = code < 128 ? (VALUE_OF[code] as number) : -1
        if (digit < 0) return -1
        left = 6
      }
      left--
      value += ((digit >> left) & 1) * 2 ** bit
    }
    return value
  }
}
