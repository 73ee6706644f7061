import { exactDigits, type Json, type JsonObject, stringifyJson } from '../../lib/json.ts'

/**
 * ClickHouse's JSON type takes less than JSON allows. Where the exact text would leave `props` empty, a row brings a mended copy:
 * integers beyond 64 bits and numbers beyond a double become the nearest double (or text), lone surrogates become U+FFFD, and what is
 * nested deeper than anybody filters is left out. Most texts need none of this, and the check for it is one pass.
 */
const MAX_DEPTH = 100
const SUSPECT = /\\u[dD][89a-fA-F]|\d{19}|[eE]\+?\d{3}/

/** The text for the `props` column, or undefined when the column's own reading of `exactText` will do. */
export function mendedProps(properties: JsonObject, exactText: string): string | undefined {
  if (!SUSPECT.test(exactText) && !isDeep(exactText)) return undefined
  return stringifyJson(mend(properties, 0))
}

function mend(value: Json, depth: number): Json {
  const digits = exactDigits(value)
  if (digits !== undefined) return fits(digits) ? value : mendNumber(Number(digits), digits)
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value === 'number') return mendNumber(value, String(value))
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_DEPTH) return null
  if (Array.isArray(value)) return value.map((item) => mend(item, depth + 1))
  const mended: JsonObject = Object.create(null)
  for (const [key, item] of Object.entries(value)) mended[key.toWellFormed()] = mend(item, depth + 1)
  return mended
}

const fits = (digits: string): boolean => {
  if (!/^-?\d+$/.test(digits)) return Number.isFinite(Number(digits))
  const integer = BigInt(digits)
  return integer >= -(2n ** 63n) && integer < 2n ** 64n
}

/** JavaScript writes doubles up to 1e21 as plain digits, which ClickHouse takes for an integer that is too long: those go as text. */
const mendNumber = (number: number, digits: string): Json =>
  Number.isFinite(number) && (Math.abs(number) >= 1e21 || fits(String(number))) ? number : digits

/** More brackets open at once than `MAX_DEPTH`; those inside strings are counted too, which at worst mends in vain. */
function isDeep(text: string): boolean {
  if (text.length <= MAX_DEPTH * 2) return false
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    if (char === 123 || char === 91) {
      if (++depth > MAX_DEPTH) return true
    } else if (char === 125 || char === 93) depth--
  }
  return false
}
