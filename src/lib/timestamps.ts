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
  const common = fromCommonForm(text)
  if (common !== null) return common
  const trimmed = text.trim()
  if (/^\d{9,16}(\.\d+)?$/.test(trimmed)) return fromDigits(Number(trimmed))
  const iso = ISO.exec(trimmed)
  if (iso) return fromParts(iso)
  if (!RFC_2822.test(trimmed)) return null
  const parsed = Date.parse(trimmed)
  return Number.isNaN(parsed) ? null : parsed
}

/**
 * `2020-01-01T12:00:05.250Z`, which nearly every SDK sends, without a regular expression: it would make eleven texts.
 * Null for every other text, and for days and hours that may need a closer look.
 */
function fromCommonForm(text: string): number | null {
  if (text.length !== COMMON_FORM.length) return null
  for (let i = 0; i < COMMON_FORM.length; i++) {
    const wanted = COMMON_FORM.charCodeAt(i)
    const code = text.charCodeAt(i)
    if (wanted === ANY_DIGIT ? code < ANY_DIGIT || code > NINE : code !== wanted) return null
  }
  const month = twoDigits(text, 5)
  const day = twoDigits(text, 8)
  const hour = twoDigits(text, 11)
  const minute = twoDigits(text, 14)
  const second = twoDigits(text, 17)
  if (month < 1 || month > 12 || day < 1 || day > 28 || hour > 23 || minute > 59 || second > 59) return null
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2)
  const ms = twoDigits(text, 20) * 10 + text.charCodeAt(22) - ANY_DIGIT
  return year < 100 ? null : Date.UTC(year, month - 1, day, hour, minute, second, ms)
}

const COMMON_FORM = '0000-00-00T00:00:00.000Z'
const ANY_DIGIT = 0x30
const NINE = 0x39
const twoDigits = (text: string, at: number): number =>
  (text.charCodeAt(at) - ANY_DIGIT) * 10 + text.charCodeAt(at + 1) - ANY_DIGIT

const fromDigits = (number: number) => (number < MILLISECONDS_FROM ? number * 1000 : number)

function fromParts([, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z']: string[]):
  | number
  | null {
  const [y, mo, d, h, mi, s] = [Number(year), Number(month), Number(day), Number(hour), Number(minute), Number(second)]
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
