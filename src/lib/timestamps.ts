/**
 * Times as numbers: ms since epoch, with a fraction if the client sent microseconds (a double is exact enough until the
 * year 2255).
 */
const ISO =
  /^([+-]?\d{4,6})[-/](\d{1,2})[-/](\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i
const RFC_2822 = /^(?:[a-z]{3},\s*)?\d{1,2}\s+[a-z]{3}\s+\d{4}/i
/** Digits below this are seconds, above it milliseconds (the year 5138 in seconds, 1973 in milliseconds). */
const MILLISECONDS_FROM = 100_000_000_000

/** Parses times as SDKs and scripts send them. Null when it is not a time. Without a zone it is UTC. */
export function parseTimestamp(text: string): number | null {
  const trimmed = text.trim()
  if (/^\d{9,16}(\.\d+)?$/.test(trimmed)) return fromDigits(Number(trimmed))
  const iso = ISO.exec(trimmed)
  if (iso) return fromParts(iso)
  if (!RFC_2822.test(trimmed)) return null
  const parsed = Date.parse(trimmed)
  return Number.isNaN(parsed) ? null : parsed
}

const fromDigits = (number: number) => (number < MILLISECONDS_FROM ? number * 1000 : number)

function fromParts([, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z']: string[]):
  | number
  | null {
  const [y, mo, d, h, mi, s] = [year, month, day, hour, minute, second].map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const date = new Date(0)
  date.setUTCFullYear(y, mo - 1, d)
  const sameDay = date.getUTCMonth() === mo - 1 && date.getUTCDate() === d
  if (!sameDay || h > 24 || mi > 59 || s > 60) return null
  const micros = Math.round(Number(`0.${fraction || '0'}`) * 1_000_000)
  return date.getTime() + ((h * 60 + mi) * 60 + s) * 1000 + micros / 1000 - offsetMs(zone)
}

function offsetMs(zone: string): number {
  if (zone === 'Z' || zone === 'z') return 0
  const sign = zone[0] === '-' ? -1 : 1
  const digits = zone.slice(1).replace(':', '')
  return sign * (Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2) || '0')) * 60_000
}

/** ISO 8601 with `Z`, with microseconds where there are any. */
export function isoTimestamp(ms: number): string {
  const whole = Math.floor(ms)
  const micros = Math.round((ms - whole) * 1000)
  if (micros === 1000) return isoTimestamp(whole + 1)
  const iso = new Date(whole).toISOString()
  return micros === 0 ? iso : `${iso.slice(0, -1)}${String(micros).padStart(3, '0')}Z`
}
