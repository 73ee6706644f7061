import type { CapturedEvent, Warning } from '../../events/index.ts'
import type { ErrorCode } from '../../http/errors.ts'
import { stringifyJson } from '../../lib/json.ts'
import { HISTORICAL_PARTITION, type LogEntry, livePartition } from '../../log/index.ts'
import { LIMITS } from '../limits.ts'
import type { Admitted } from './admit.ts'
import type { Arrival } from './arrival.ts'
import { encodeSafely } from './encode-safely.ts'
import { recordingEntries } from './recording-records.ts'

/**
 * Stage 4: admitted events -> records of the log, at least one for each partition they fall into. Each event is encoded once; its
 * size is checked on the way. The records are what `decodeCaptured` and `openRecording` read.
 */
export interface Records {
  readonly entries: LogEntry[]
  readonly events: number
  readonly recordings: number
  readonly warnings: readonly Warning[]
  /** Why the request is answered with an error although its warnings are kept. */
  readonly refused?: ErrorCode
  /** What became of each event, by its uuid; for the v1 protocol. */
  readonly results?: EventResults
}

export type EventResults = Record<string, EventResult>

interface EventResult {
  readonly result: 'ok' | 'drop' | 'warning'
  readonly details?: string
}

export function toRecords(admitted: Admitted, arrival: Arrival): Records {
  return oneRecord(admitted, arrival) ?? manyRecords(admitted, arrival)
}

/** The short way for the most common request of all: one event, and nothing wrong with it. */
function oneRecord(admitted: Admitted, arrival: Arrival): Records | null {
  const { events, snapshots, warnings } = admitted
  if (events.length !== 1 || snapshots.length > 0 || warnings.any) return null
  const event = events[0] as CapturedEvent
  const text = encodeEvent(event, admitted)
  if (text === null) {
    // Its warning stands already; encoding it again would count it twice.
    events.length = 0
    return null
  }
  const payload = recordOf(headOf(arrival), text, [])
  return { entries: [{ partition: partitionOf(event, arrival), payload }], events: 1, recordings: 0, warnings: [] }
}

function manyRecords(admitted: Admitted, arrival: Arrival): Records {
  const lanes = new Map<string, Lane>()
  const lane = (partition: string): Lane => {
    const known = lanes.get(partition)
    if (known) return known
    const fresh = new Lane(partition, arrival)
    lanes.set(partition, fresh)
    return fresh
  }

  let events = 0
  for (const event of admitted.events) {
    const text = encodeEvent(event, admitted)
    if (text === null) continue
    lane(partitionOf(event, arrival)).addEvent(text)
    events++
  }
  const recordings = recordingEntries(admitted.snapshots, arrival)

  const warnings = admitted.warnings.list()
  if (warnings.length > 0) {
    const first = lanes.values().next().value ?? lane(warningsPartition(warnings, arrival))
    first.addWarnings(warnings)
  }
  return {
    entries: [...[...lanes.values()].flatMap((each) => each.finish()), ...recordings],
    events,
    recordings: recordings.length,
    warnings,
  }
}

const partitionOf = ({ distinctId }: CapturedEvent, arrival: Arrival): string =>
  arrival.historical ? HISTORICAL_PARTITION : livePartition(arrival.project, distinctId)

const warningsPartition = (warnings: readonly Warning[], arrival: Arrival): string =>
  arrival.historical ? HISTORICAL_PARTITION : livePartition(arrival.project, warnings[0]?.distinctId ?? '')

/** Null when the event is too large or too deep to be stored. */
function encodeEvent(event: CapturedEvent, { warnings }: Admitted): string | null {
  const text = eventText(event)
  if (text === null) {
    warnings.add('event_nested_too_deep', event)
    return null
  }
  if (text.length * 3 > LIMITS.eventBytes) {
    const bytes = Buffer.byteLength(text)
    if (bytes > LIMITS.eventBytes) {
      warnings.add('event_too_large', event, { bytes, limit: LIMITS.eventBytes })
      return null
    }
  }
  return text
}

/** What `stringifyJson` makes of the event, put together by hand: all but the properties is short, and this is the hot path. */
function eventText({
  uuid,
  clientUuid,
  event,
  distinctId,
  properties,
  timestamp,
  offset,
}: CapturedEvent): string | null {
  const inner = encodeSafely(properties)
  const at = timestamp === null ? 'null' : encodeSafely(timestamp)
  const late = offset === null ? 'null' : encodeSafely(offset)
  if (inner === null || at === null || late === null) return null
  return `{"uuid":"${uuid}","clientUuid":${clientUuid},"event":${JSON.stringify(event)},"distinctId":${JSON.stringify(distinctId)},"properties":${inner},"timestamp":${at},"offset":${late}}`
}

/** A record's text up to its events. */
function headOf({ project, receivedAt, sentAt, ip, historical }: Arrival): string {
  const sent = sentAt === null ? 'null' : stringifyJson(sentAt)
  return `{"project":${project},"receivedAt":${receivedAt},"sentAt":${sent},"ip":${ip === null ? 'null' : `"${ip}"`},"historical":${historical}`
}

const recordOf = (head: string, events: string, warnings: readonly Warning[]): Buffer =>
  Buffer.from(`${head},"events":[${events}],"warnings":${warnings.length === 0 ? '[]' : stringifyJson(warnings)}}`)

/** The records of one partition: texts are gathered until a record is full. */
class Lane {
  readonly #partition: string
  readonly #head: string
  readonly #entries: LogEntry[] = []
  #events: string[] = []
  #length = 0
  #warnings: readonly Warning[] = []

  constructor(partition: string, arrival: Arrival) {
    this.#partition = partition
    this.#head = headOf(arrival)
  }

  addEvent(text: string): void {
    if (this.#events.length >= LIMITS.recordEvents || this.#length + text.length > LIMITS.recordBytes) this.#close([])
    this.#events.push(text)
    this.#length += text.length
  }

  addWarnings(warnings: readonly Warning[]): void {
    this.#warnings = warnings
  }

  /** Warnings go out with the last events, and in records of their own when there are very many. */
  finish(): LogEntry[] {
    let from = 0
    do {
      const some = this.#warnings.slice(from, from + LIMITS.recordEvents)
      from += some.length
      if (this.#events.length > 0 || some.length > 0) this.#close(some)
    } while (from < this.#warnings.length)
    return this.#entries
  }

  #close(warnings: readonly Warning[]): void {
    this.#entries.push({
      partition: this.#partition,
      payload: recordOf(this.#head, this.#events.join(','), warnings),
    })
    this.#events = []
    this.#length = 0
  }
}
