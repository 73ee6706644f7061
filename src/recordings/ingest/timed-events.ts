import { isObject, type JsonObject } from '../../lib/json.ts'
import { unpackEvent } from './unpack.ts'

/** One rrweb event: as parsed (its bulky parts maybe still packed), as a line of JSON, and when it happened. */
export interface TimedEvent {
  readonly event: JsonObject
  readonly line: string
  /** By the client's clock, which orders what is played. */
  readonly timestamp: number
  /** By ours, as far as the client's can be trusted: what lists and retention go by. */
  readonly at: number
}

export interface TimedEvents {
  /** In order of time. */
  readonly events: readonly TimedEvent[]
  readonly invalid: number
  readonly unreadable: number
  readonly clockOff: boolean
}

const HOUR = 3_600_000
/** A browser may send what it kept while it was offline, but no further back than this. */
const OLDEST = 7 * 24 * HOUR
const NEWEST = HOUR
const LARGEST_TIME = 8.64e15

/**
 * Reads the events of one upload. A client whose clock is off by days is not disbelieved about what came after what, but its session is
 * filed under the time of its arrival; otherwise nobody would find it.
 */
export function timedEvents(items: readonly unknown[], receivedAt: number): TimedEvents {
  const valid: JsonObject[] = []
  for (const item of items) if (isRrwebEvent(item)) valid.push(item)
  const newest = valid.reduce((latest, { timestamp }) => Math.max(latest, timestamp as number), 0)
  const clockOff = valid.length > 0 && (newest < receivedAt - OLDEST || newest > receivedAt + NEWEST)
  const shift = clockOff ? receivedAt - newest : 0
  let unreadable = 0
  const events = valid.map((event): TimedEvent => {
    const unpacked = unpackEvent(event)
    if (unpacked.unreadable) unreadable++
    const timestamp = Math.round(event.timestamp as number)
    const at = Math.min(Math.max(timestamp + shift, receivedAt - OLDEST), receivedAt + NEWEST)
    return { event, line: unpacked.line, timestamp, at }
  })
  events.sort((one, other) => one.timestamp - other.timestamp)
  return { events, invalid: items.length - valid.length, unreadable, clockOff }
}

const isRrwebEvent = (item: unknown): item is JsonObject =>
  isObject(item) &&
  typeof item.type === 'number' &&
  typeof item.timestamp === 'number' &&
  item.timestamp >= 0 &&
  item.timestamp <= LARGEST_TIME
