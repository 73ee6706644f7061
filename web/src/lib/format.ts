/** Numbers, times and durations as people read them. Times are shown in the project's time zone. */
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const fine = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })
const telling = new Intl.NumberFormat('en', { maximumSignificantDigits: 8 })
/** Two decimals would show these as 0. */
const tiny = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 })
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

export const number = (value: number | null | undefined): string =>
  value === null || value === undefined || !Number.isFinite(value)
    ? '–'
    : Number.isInteger(value)
      ? whole.format(value)
      : (Math.abs(value) < 0.01 ? tiny : fine).format(value)

/** With every digit that tells, for numbers whose meaning is not known. */
export const exact = (value: number): string => (Number.isInteger(value) ? whole : telling).format(value)

export const short = (value: number): string => (Math.abs(value) < 10_000 ? number(value) : compact.format(value))

export const percent = (share: number, digits = 1): string =>
  Number.isFinite(share) ? `${(share * 100).toFixed(share === 0 || share === 1 ? 0 : digits)}%` : '–'

export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return '–'
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`
  const units: [number, string][] = [
    [86_400, 'd'],
    [3_600, 'h'],
    [60, 'm'],
    [1, 's'],
  ]
  const first = units.findIndex(([size]) => seconds >= size)
  let rest = Math.round(seconds)
  const parts: string[] = []
  for (const [size, name] of units.slice(first, first + 2)) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) parts.push(`${count}${name}`)
  }
  return parts.join(' ') || '0s'
}

/** 1:05, 12:40, 1:02:03 */
export function clock(seconds: number): string {
  const s = Math.max(0, Math.floor(seconds))
  const pad = (n: number) => String(n).padStart(2, '0')
  const hours = Math.floor(s / 3600)
  const minutes = Math.floor((s % 3600) / 60)
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(s % 60)}` : `${minutes}:${pad(s % 60)}`
}

const formats = new Map<string, Intl.DateTimeFormat>()
function formatter(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = zone + JSON.stringify(options)
  const known = formats.get(key)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...options })
  formats.set(key, made)
  return made
}

type Time = string | number | Date

export const dateTime = (time: Time, zone: string): string =>
  formatter(zone, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).format(new Date(time))

export const dayOnly = (time: Time, zone: string): string =>
  formatter(zone, { day: 'numeric', month: 'short', year: 'numeric' }).format(new Date(time))

export const timeOnly = (time: Time, zone: string): string =>
  formatter(zone, { hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(new Date(time))

export const minuteOnly = (time: Time, zone: string): string =>
  formatter(zone, { hour: '2-digit', minute: '2-digit' }).format(new Date(time))

export function ago(time: Time, now = Date.now()): string {
  const seconds = Math.round((now - new Date(time).getTime()) / 1000)
  if (seconds < 0) return 'just now'
  if (seconds < 5) return 'just now'
  if (seconds < 60) return `${seconds} s ago`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ago`
  const days = Math.floor(seconds / 86_400)
  return days < 60 ? `${days} d ago` : `${Math.floor(days / 30)} months ago`
}

/** A value of a property, on one line. */
export function valueText(value: unknown): string {
  if (value === null) return 'null'
  if (value === undefined) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return JSON.stringify(value)
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : many}`

export const capitalised = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

export function bytes(count: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
  const power = count < 1 ? 0 : Math.min(Math.floor(Math.log10(count) / 3), units.length - 1)
  return `${number(Math.round((count / 1000 ** power) * 10) / 10)} ${units[power]}`
}
