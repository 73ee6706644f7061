import type { eventWithTime } from 'rrweb'
import { quiet } from './quiet.ts'

/** JSON lines, an array, or lines of [window, event]. */
export function snapshotsOf(answer: unknown): eventWithTime[] {
  const items =
    typeof answer === 'string'
      ? answer
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as unknown)
      : Array.isArray(answer)
        ? answer
        : []
  return items
    .map((item) => (Array.isArray(item) ? item.at(-1) : item) as eventWithTime)
    .filter((item) => typeof item === 'object' && item !== null && 'timestamp' in item)
    .map(quiet)
}

export interface Span {
  from: number
  to: number
}

const FULL = 2
const CHANGE = 3
/** Mouse, touch, scroll, input and the like: what a person does, as opposed to what the page does. */
const BY_PERSON = new Set([1, 2, 3, 4, 5, 6, 7, 12, 14])
/** What the player passes over quickly. */
const IDLE_MS = 10_000

/** Where nobody did anything for a while, in ms since the beginning. */
export function idleSpans(events: readonly { type: number; timestamp: number; data?: unknown }[]): Span[] {
  const first = events[0]?.timestamp ?? 0
  const last = events.at(-1)?.timestamp ?? 0
  const active = events
    .filter(({ type, data }) => type === CHANGE && BY_PERSON.has((data as { source: number }).source))
    .map(({ timestamp }) => timestamp)
  const spans: Span[] = []
  let from = first
  for (const at of [...active, last]) {
    if (at - from > IDLE_MS) spans.push({ from: from - first, to: at - first })
    from = Math.max(from, at)
  }
  return spans
}

/** Whether there is anything to see yet. */
export const hasPicture = (events: readonly { type: number }[]): boolean =>
  events.length > 1 && events.some(({ type }) => type === FULL)

/**
 * From when on there is something to see, in ms since the beginning: before it the player shows what it showed last.
 */
export function firstPicture(events: readonly { type: number; timestamp: number }[]): number {
  const first = events[0]?.timestamp ?? 0
  return (events.find(({ type }) => type === FULL)?.timestamp ?? first) - first + 1
}
