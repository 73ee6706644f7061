import { DAY, HOUR } from '../../lib/durations.ts'
import type { JsonObject } from '../../lib/json.ts'
import { walkArray } from '../../lib/json-spans.ts'
import { LineBuffer } from './line-buffer.ts'
import { readSent } from './sent-event.ts'
import { sketchOf } from './sketch.ts'
import { roomForUpload, unpacking } from './unpack.ts'

/** One rrweb event: its summary, the position of its JSON line (without the line feed), and its times. */
export interface TimedEvent {
  readonly event: JsonObject
  readonly lineAt: number
  readonly lineEnd: number
  /** By the client's clock: the order of playback. */
  readonly timestamp: number
  /** Corrected by our clock if the client's cannot be trusted: for lists and retention. */
  at: number
}

export interface TimedEvents {
  /** In order of time. */
  readonly events: readonly TimedEvent[]
  /** In the order in which they were sent, which is almost always the same. */
  readonly lines: LineBuffer
  readonly invalid: number
  readonly unreadable: number
  readonly clockOff: boolean
}

const PACKED = Buffer.from('"cv"')
/** An SDK that compresses does so from its first events on; searching all of an upload took a tenth of the time. */
const LOOKED_AT = 64 * 1024
/** A browser may send what it kept while it was offline, but not older than this. */
const OLDEST = 7 * DAY
const NEWEST = HOUR

/**
 * Reads the events of one upload. If the client's clock is off by days, its order of events is kept, but the session is
 * listed under its time of arrival; otherwise it could not be found.
 */
export function timedEvents(bytes: Buffer, itemsAt: number, receivedAt: number): TimedEvents {
  const events: TimedEvent[] = []
  const sent = bytes.length - itemsAt
  // Only compressed events need more space; unused memory would still cost a garbage collection.
  const isPacked = bytes.subarray(itemsAt, itemsAt + LOOKED_AT).includes(PACKED)
  const lines = new LineBuffer(isPacked ? 2 * sent : sent)
  const room = roomForUpload()
  let invalid = 0
  let unreadable = 0
  walkArray(bytes, itemsAt, (from) => {
    const { event, end } = readSent(bytes, from)
    if (!event) {
      invalid++
      return end
    }
    const patches = unpacking(bytes, event, room)
    if (!patches) unreadable++
    const lineAt = lines.length
    lines.add(bytes, from, end, patches)
    const timestamp = Math.round(event.timestamp)
    events.push({ event: sketchOf(bytes, event), lineAt, lineEnd: lines.length - 1, timestamp, at: timestamp })
    return end
  })
  const newest = events.reduce((latest, { timestamp }) => Math.max(latest, timestamp), 0)
  const clockOff = events.length > 0 && (newest < receivedAt - OLDEST || newest > receivedAt + NEWEST)
  const shift = clockOff ? receivedAt - newest : 0
  const trusted = (timestamp: number) => Math.min(Math.max(timestamp + shift, receivedAt - OLDEST), receivedAt + NEWEST)
  for (const event of events) event.at = trusted(event.timestamp)
  events.sort((one, other) => one.timestamp - other.timestamp)
  return { events, lines, invalid, unreadable, clockOff }
}
