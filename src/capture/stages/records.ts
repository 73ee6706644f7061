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
 * Stage 4: admitted events -> records of the log, at least one for each partition. Each event is encoded once, and its
 * size is checked then. `decodeCaptured` and `openRecording` read the records.
 */
export interface Records {
  readonly entries: LogEntry[]
  readonly events: number
  readonly recordings: number
  readonly warnings: readonly Warning[]
  /** The error that the request gets, although its warnings are stored. */
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

/** The fast path for the most common request: one event without warnings. */
function oneRecord(admitted: Admitted, arrival: Arrival): Records | null {
  const { events, snapshots, warnings } = admitted
  if (events.length !== 1 || snapshots.length > 0 || warnings.any) return null
  const event = events[0] as CapturedEvent
  const text = encodeEvent(event, admitted)
  if (text === null) {
    // Its warning has been added; encoding the event again would add it twice.
    events.length = 0
    return null
  }
  const payload = recordOf(headOf(arrival), text, [])
  return { entries: [{ partition: partitionOf(event, arrival), payload }], events: 1, recordings: 0, warnings: [] }
}

function manyRecords(admitted: Admitted, arrival: Arrival): Records {
  const partitions = new Map<string, PartitionRecords>()
  const recordsOf = (partition: string): PartitionRecords => {
    const known = partitions.get(partition)
    if (known) return known
    const fresh = new PartitionRecords(partition, arrival)
    partitions.set(partition, fresh)
    return fresh
  }

  let events = 0
  for (const event of admitted.events) {
    const text = encodeEvent(event, admitted)
    if (text === null) continue
    recordsOf(partitionOf(event, arrival)).addEvent(text)
    events++
  }
  const recordings = recordingEntries(admitted.snapshots, arrival)

  const warnings = admitted.warnings.list()
  if (warnings.length > 0) {
    const first = partitions.values().next().value ?? recordsOf(warningsPartition(warnings, arrival))
    first.addWarnings(warnings)
  }
  return {
    entries: [...[...partitions.values()].flatMap((each) => each.finish()), ...recordings],
    events,
    recordings: recordings.length,
    warnings,
  }
}

const partitionOf = ({ distinctId }: Pick<CapturedEvent, 'distinctId'>, arrival: Arrival): string =>
  arrival.historical ? HISTORICAL_PARTITION : livePartition(arrival.livePartitions, arrival.project, distinctId)

const warningsPartition = (warnings: readonly Warning[], arrival: Arrival): string =>
  partitionOf({ distinctId: warnings[0]?.distinctId ?? '' }, arrival)

/** Null when the event is too large or too deep to be stored. */
function encodeEvent(event: CapturedEvent, { warnings, unstorable }: Admitted): string | null {
  const text = eventText(event)
  if (text === null) {
    warnings.add('event_nested_too_deep', event)
    unstorable?.set(event.uuid, 'event_nested_too_deep')
    return null
  }
  if (text.length * 3 > LIMITS.eventBytes) {
    const bytes = Buffer.byteLength(text)
    if (bytes > LIMITS.eventBytes) {
      warnings.add('event_too_large', event, { bytes, limit: LIMITS.eventBytes })
      unstorable?.set(event.uuid, 'event_too_large')
      return null
    }
  }
  return text
}

/** The same text as `stringifyJson` would give, assembled by hand because this is the hot path. */
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
function headOf({ project, receivedAt, sentAt, ip, historical, visitor = '' }: Arrival): string {
  const sent = sentAt === null ? 'null' : stringifyJson(sentAt)
  return `{"project":${project},"receivedAt":${receivedAt},"sentAt":${sent},"ip":${ip === null ? 'null' : `"${ip}"`},"historical":${historical}${visitor}`
}

const recordOf = (head: string, events: string, warnings: readonly Warning[]): Buffer =>
  Buffer.from(`${head},"events":[${events}],"warnings":${warnings.length === 0 ? '[]' : stringifyJson(warnings)}}`)

/** The records of one partition: collects events until a record is full. */
class PartitionRecords {
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

  /** Warnings go into the record of the last events, and into further records when there are very many. */
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
