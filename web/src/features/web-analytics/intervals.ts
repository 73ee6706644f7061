import type { INTERVALS } from './search.ts'

export type Interval = (typeof INTERVALS)[number]

const DAY = 86_400_000

/** How many days a range has, as far as its text tells. */
function daysOf(from: string, to: string | undefined, now: number): number {
  const hours = /^-(\d+)[hM]$/.exec(from)
  if (hours) return from.endsWith('M') ? 0 : Number(hours[1]) / 24
  if (/^-1dStart$/.test(from) || from === 'dStart') return 1
  const back = /^-?(\d*)([dwmqy])(?:Start)?$/.exec(from)
  if (back) return Number(back[1] || 1) * ({ d: 1, w: 7, m: 31, q: 92, y: 366 }[back[2] ?? 'd'] ?? 1)
  const begin = Date.parse(from)
  const end = to ? Date.parse(to) : now
  return Number.isNaN(begin) || Number.isNaN(end) ? 365 : Math.max(0, (end - begin) / DAY) + 1
}

/** The steps a graph of this range can be drawn in, the best first. */
export function intervalsOf(from: string, to: string | undefined, now = Date.now()): Interval[] {
  const days = from === 'all' ? 365 : daysOf(from, to, now)
  if (days <= 2) return ['hour']
  if (days <= 14) return ['day', 'hour']
  if (days <= 92) return ['day', 'week']
  if (days <= 200) return ['week', 'day', 'month']
  return ['month', 'week', 'day']
}
