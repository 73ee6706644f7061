import type { CapturedEvent, CapturedRequest, Warning } from '../events/index.ts'
import { stringifyJson } from '../lib/json.ts'
import { HISTORICAL_PARTITION, type LogEntry, livePartition } from '../log/index.ts'
import type { Admitted } from './admit.ts'
import type { Arrival } from './arrival.ts'
import { encodeSafely } from './encode-safely.ts'
import { LIMITS } from './limits.ts'
import { recordingEntries } from './recording-records.ts'
import type { V1Results } from './v1/admit-v1.ts'

/**
 * Stage 4: admitted events -> records of the log, at least one for each partition they fall into. Each event is encoded once; its
 * size is checked on the way. The records are what `decodeCaptured` and `openRecording` read.
 */
export interface Records {
  readonly entries: LogEntry[]
  readonly events: number
  readonly recordings: number
  readonly warnings: readonly Warning[]
  /** The verdict on each event, for the protocol that wants one. */
  readonly results?: V1Results
}

export function toRecords(admitted: Admitted, arrival: Arrival): Records {
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
    const partition = arrival.historical ? HISTORICAL_PARTITION : livePartition(arrival.project, event.distinctId)
    lane(partition).addEvent(text)
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

const warningsPartition = (warnings: readonly Warning[], arrival: Arrival): string =>
  arrival.historical ? HISTORICAL_PARTITION : livePartition(arrival.project, warnings[0]?.distinctId ?? '')

/** Null when the event is too large or too deep to be stored. */
function encodeEvent(event: CapturedEvent, { warnings }: Admitted): string | null {
  const text = encodeSafely(event)
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
    const { project, receivedAt, sentAt, ip, historical } = arrival
    const head: Omit<CapturedRequest, 'events' | 'warnings'> = { project, receivedAt, sentAt, ip, historical }
    this.#head = stringifyJson(head).slice(0, -1)
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
    const text = `${this.#head},"events":[${this.#events.join(',')}],"warnings":${stringifyJson(warnings)}}`
    this.#entries.push({ partition: this.#partition, payload: Buffer.from(text) })
    this.#events = []
    this.#length = 0
  }
}
