import type { JsonObject } from '../../lib/json.ts'
import { walkArray } from '../../lib/json-spans.ts'
import { readSent, type SentEvent, sketchOf } from './sent-event.ts'
import { roomForUpload, unpackEvent } from './unpack.ts'

/** One rrweb event: as much as a summary needs of it, the whole as a line of JSON, and when it happened. */
export interface TimedEvent {
  readonly event: JsonObject
  readonly line: Buffer
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

/**
 * Reads the events of one upload, an array in some bytes. A client whose clock is off by days is not disbelieved about what came after
 * what, but its session is filed under the time of its arrival; otherwise nobody would find it.
 */
export function timedEvents(bytes: Buffer, itemsAt: number, receivedAt: number): TimedEvents {
  const sent: SentEvent[] = []
  let invalid = 0
  walkArray(bytes, itemsAt, (at) => {
    const { event, end } = readSent(bytes, at)
    if (event) sent.push(event)
    else invalid++
    return end
  })
  const newest = sent.reduce((latest, { timestamp }) => Math.max(latest, timestamp), 0)
  const clockOff = sent.length > 0 && (newest < receivedAt - OLDEST || newest > receivedAt + NEWEST)
  const shift = clockOff ? receivedAt - newest : 0
  const room = roomForUpload()
  let unreadable = 0
  const events = sent.map((event): TimedEvent => {
    const unpacked = unpackEvent(bytes, event, room)
    if (unpacked.unreadable) unreadable++
    const timestamp = Math.round(event.timestamp)
    const at = Math.min(Math.max(timestamp + shift, receivedAt - OLDEST), receivedAt + NEWEST)
    return { event: sketchOf(bytes, event), line: unpacked.line, timestamp, at }
  })
  events.sort((one, other) => one.timestamp - other.timestamp)
  return { events, invalid, unreadable, clockOff }
}
