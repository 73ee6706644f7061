import { type RawItems, type RecordingHead, recordingStart } from '../../events/index.ts'
import { type LogEntry, RECORDINGS_PARTITION } from '../../log/index.ts'
import { LIMITS } from '../limits.ts'
import type { Arrival } from './arrival.ts'
import { joinSnapshots, type Snapshot } from './snapshots.ts'

/**
 * Snapshots -> records of the recordings partition, which `openRecording` reads. Items are copied unchanged,
 * neighbouring ones in one copy.
 */
export const recordingEntries = (snapshots: readonly Snapshot[], arrival: Arrival): LogEntry[] =>
  snapshots.length === 0 ? [] : joinSnapshots(snapshots).flatMap((snapshot) => split(snapshot, arrival))

function split({ items, uuid: _, ...about }: Snapshot, { project, receivedAt, sentAt, ip }: Arrival): LogEntry[] {
  const records = new RecordingRecords({ project, receivedAt, sentAt, ip, ...about })
  for (const raw of items) records.add(raw)
  return records.finish()
}

const COMMA = Buffer.from(',')
const END = Buffer.from(']}')

/** Collects items until a record is full. */
class RecordingRecords {
  readonly #start: Buffer
  readonly #entries: LogEntry[] = []
  #pieces: Buffer[] = []
  #length = 0

  constructor(head: RecordingHead) {
    this.#start = recordingStart(head)
  }

  add({ bytes, bounds }: RawItems): void {
    let run = 0
    for (let i = 0; i < bounds.length; i += 2) {
      const size = (bounds[i + 1] as number) - (bounds[i] as number)
      if (this.#length > 0 && this.#length + size > LIMITS.recordBytes) {
        this.#take(bytes, bounds.slice(run, i))
        this.#close()
        run = i
      }
      this.#length += size
    }
    this.#take(bytes, bounds.slice(run))
  }

  finish(): LogEntry[] {
    this.#close()
    return this.#entries
  }

  #take(bytes: Buffer, bounds: readonly number[]): void {
    if (bounds.length === 0) return
    if (this.#pieces.length > 0) this.#pieces.push(COMMA)
    this.#pieces.push(bytes.subarray(bounds[0], bounds.at(-1)))
  }

  #close(): void {
    if (this.#pieces.length > 0)
      this.#entries.push({
        partition: RECORDINGS_PARTITION,
        payload: Buffer.concat([this.#start, ...this.#pieces, END]),
      })
    this.#pieces = []
    this.#length = 0
  }
}
