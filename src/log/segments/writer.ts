import type { FileHandle } from 'node:fs/promises'
import type { Logger } from '../../lib/logger.ts'
import { type LogEntry, type LogStatus, LogUnavailable, type LogWriter } from '../port.ts'
import { DiskReserve } from './files/disk-reserve.ts'
import { createSegment, deleteSegment } from './files/segment-files.ts'
import { type SegmentIo, writeAll } from './files/segment-io.ts'
import { FRAME_HEAD_BYTES, MAX_PAYLOAD_BYTES } from './format/frame.ts'
import { Group } from './group.ts'
import type { SegmentReaderHandle } from './reader-handle.ts'
import { backlogBytes, deletable, firstNeeded } from './retention.ts'
import type { SharedPositions } from './shared-positions.ts'

/**
 * Writes the log.
 *
 *   idle      nothing waits
 *             -> writing   `append()` was called. The write starts after the current turn of the event loop, so that
 *                          all requests read in it share a group
 *   writing   one group is being written: one write, one fdatasync. New appends are collected in the next group
 *             -> writing   it is durable, readers are notified, its appends are resolved, and others wait
 *             -> idle      the same, and no appends wait
 *             -> torn      the write failed (disk full, I/O error): the group's appends are rejected
 *             -> tainted   the fdatasync failed: the group's appends are rejected
 *   torn      the file may hold a part of a group after the durable end
 *             -> writing   the next group came, and the file could be cut back to the durable end
 *             -> tainted   it could not
 *   tainted   after a failed sync it is unknown which pages reached the disk, and a second sync reports success: the
 *             file is not written again
 *             -> writing   the next group came, and a new segment could be created for it. Its header says where the
 *                          log ends in the old file, so other bytes of that file never become readable
 *             -> tainted   no segment could be created: that group's appends are rejected too
 *   closed    `close()` was called: new appends are refused at once, accepted ones are written first
 *
 * A full segment is replaced by a new one in the same way, between two groups. In any state an append is refused while
 * too much waits in memory, the backlog is over its limit, or the disk is down to its reserve. Every refusal is
 * LogUnavailable and leaves nothing behind; there is no timer: the next append (or status request) tries again.
 */
export interface SegmentLog extends LogWriter {
  status(): SegmentLogStatus
  /** What `openSegmentReader` needs, in this thread or another. */
  readerHandle(): SegmentReaderHandle
}

export interface SegmentLogStatus extends LogStatus {
  /** Since the log was opened. A group is one write and one sync. */
  readonly appends: number
  readonly records: number
  readonly groups: number
  readonly bytes: number
  readonly refusals: number
  readonly lastSyncMs: number
  readonly bufferedBytes: number
  readonly segments: number
  /** Bytes cut off at the end when the log was opened: the rest of an interrupted write. */
  readonly cutBytes: number
  /** Durable bytes that readers could not read. */
  readonly damage: { readonly places: number; readonly bytes: number }
}

export interface WriterLimits {
  readonly segmentBytes: number
  /** How long a segment is written to, so that applied records of a quiet log do not stay on disk for ever. */
  readonly segmentMs: number
  readonly backlogBytes: number
  readonly bufferedBytes: number
  readonly reserveBytes: number
}

interface WriterStart {
  readonly dir: string
  readonly partitions: readonly string[]
  readonly shared: SharedArrayBuffer
  readonly positions: SharedPositions
  readonly limits: WriterLimits
  readonly io: SegmentIo
  readonly log: Logger | undefined
  /** Ends of the partitions, in the order of `partitions`. */
  readonly ends: readonly number[]
  /** Segments of earlier runs, oldest first. */
  readonly segments: readonly { base: number; end: number }[]
  /** Where the last of them ends, and the lowest base a new one may have. */
  readonly end: number
  readonly floor: number
  readonly cutBytes: number
  unlock(): Promise<void>
}

interface ActiveSegment {
  readonly file: FileHandle
  readonly base: number
  readonly salt: number
  /** Where its records begin. */
  readonly dataStart: number
  readonly begunAt: number
  /** File offset after the last durable byte. */
  offset: number
}

const FAULT_IS_NEWS_MS = 10_000

export class SegmentWriter implements SegmentLog {
  readonly partitions: readonly string[]
  readonly mayComeTwice = false
  readonly #start: WriterStart
  readonly #slots: ReadonlyMap<string, number>
  readonly #positions: SharedPositions
  readonly #limits: WriterLimits
  readonly #reserve: DiskReserve
  readonly #spareChunks: Buffer[] = []
  /** Segments before the active one that still exist, as far as this thread knows. */
  #sealed: { base: number; end: number }[]
  #ends: number[]
  #active!: ActiveSegment
  #state: 'idle' | 'writing' | 'torn' | 'tainted' = 'idle'
  #fault: { readonly reason: string; readonly at: number } | null = null
  #closing: Promise<void> | null = null
  #running: Promise<void> | null = null
  #waiting: Group
  #writingBytes = 0
  #backlog = 0
  readonly #counters = { appends: 0, records: 0, groups: 0, bytes: 0, refusals: 0, lastSyncMs: 0 }

  private constructor(start: WriterStart) {
    this.#start = start
    this.partitions = start.partitions
    this.#slots = new Map(start.partitions.map((name, slot) => [name, slot]))
    this.#positions = start.positions
    this.#limits = start.limits
    this.#reserve = new DiskReserve(start.dir, start.limits.reserveBytes, start.io)
    this.#sealed = [...start.segments]
    this.#ends = [...start.ends]
    this.#waiting = new Group(this.#spareChunks)
  }

  static async open(start: WriterStart): Promise<SegmentWriter> {
    const writer = new SegmentWriter(start)
    await writer.#reserve.look()
    await writer.#begin(start.floor, start.end)
    await writer.#deleteReleased()
    writer.#measureBacklog()
    return writer
  }

  append(entries: readonly LogEntry[]): Promise<void> {
    if (entries.length === 0) return Promise.resolve()
    let bytes = 0
    for (const { partition, payload } of entries) {
      if (!this.#slots.has(partition)) return Promise.reject(new RangeError(`The log has no partition '${partition}'.`))
      if (payload.length > MAX_PAYLOAD_BYTES)
        return Promise.reject(new RangeError('The record is too large for the log.'))
      bytes += FRAME_HEAD_BYTES + payload.length
    }
    const refusal = this.#refusal(bytes)
    if (refusal !== null) {
      this.#counters.refusals++
      return Promise.reject(refusal)
    }
    const group = this.#waiting
    group.add(entries, this.#slots)
    this.#running ??= this.#run()
    return group.done
  }

  status(): SegmentLogStatus {
    this.#measureBacklog()
    const refusal = this.#refusal(0)
    const reason = refusal?.message ?? this.#recentFault()
    const { end, released } = this.#positions
    return {
      writable: reason === null,
      reason,
      backlogBytes: this.#backlog,
      backlogLimitBytes: this.#limits.backlogBytes,
      partitions: Object.fromEntries(
        this.partitions.map((name, slot) => [name, { end: end(slot), released: released(slot) }]),
      ),
      ...this.#counters,
      bufferedBytes: this.#waiting.bytes + this.#writingBytes,
      segments: this.#sealed.length + 1,
      cutBytes: this.#start.cutBytes,
      damage: this.#positions.losses(),
    }
  }

  readerHandle(): SegmentReaderHandle {
    return { dir: this.#start.dir, partitions: this.partitions, shared: this.#start.shared }
  }

  close(): Promise<void> {
    this.#closing ??= (async () => {
      await this.#running
      await this.#active.file.close()
      await this.#start.unlock()
    })()
    return this.#closing
  }

  #refusal(bytes: number): LogUnavailable | null {
    if (this.#closing !== null) return new LogUnavailable('The log is closed: the service is stopping.')
    const buffered = this.#waiting.bytes + this.#writingBytes
    // An append larger than the whole buffer is accepted when the buffer is empty: otherwise it would be refused for
    // ever.
    if (buffered > 0 && buffered + bytes > this.#limits.bufferedBytes)
      return new LogUnavailable('Events arrive faster than the disk of the log takes them.', 1)
    if (this.#backlog + buffered + bytes > this.#limits.backlogBytes) {
      this.#measureBacklog()
      if (this.#backlog + buffered + bytes > this.#limits.backlogBytes)
        return new LogUnavailable(
          `The backlog of the log has reached its limit (${this.#backlog} of ${this.#limits.backlogBytes} bytes): events wait to be processed.`,
        )
    }
    const low = this.#reserve.refusal()
    return low === null ? null : new LogUnavailable(low, 30)
  }

  /**
   * An error is reported for a while only: if a load balancer stopped sending, no append would show that it is over.
   */
  #recentFault(): string | null {
    return this.#fault !== null && Date.now() - this.#fault.at < FAULT_IS_NEWS_MS ? this.#fault.reason : null
  }

  /** Writes group after group until no appends wait. Never rejects: a failed group rejects its appends. */
  async #run(): Promise<void> {
    do {
      await new Promise(setImmediate)
      const group = this.#waiting
      this.#waiting = new Group(this.#spareChunks)
      this.#writingBytes = group.bytes
      try {
        await this.#commit(group)
        group.settle.resolve()
      } catch (error) {
        const reason = `The log cannot be written: ${(error as Error).message}`
        this.#fault = { reason, at: Date.now() }
        this.#start.log?.error({ err: error, dir: this.#start.dir }, 'a group of the log could not be written')
        group.settle.reject(new LogUnavailable(reason))
      }
      this.#writingBytes = 0
      group.recycle()
    } while (this.#waiting.appends > 0)
    this.#running = null
  }

  async #commit(group: Group): Promise<void> {
    await this.#makePlace()
    this.#state = 'writing'
    const { io } = this.#start
    const active = this.#active
    group.seal(active.salt, active.offset)
    try {
      await writeAll(io, active.file.fd, group.parts, active.offset)
    } catch (error) {
      this.#state = 'torn'
      // At once, to free the space; the next group tries again if this fails.
      await io.truncate(active.file.fd, active.offset).catch(() => {})
      throw error
    }
    const writtenAt = performance.now()
    try {
      await io.sync(active.file.fd)
    } catch (error) {
      this.#state = 'tainted'
      throw error
    }
    group.moveEnds(this.#ends, active.base + active.offset)
    active.offset += group.bytes
    this.#positions.publish(this.#ends, active.base + active.offset)
    this.#state = 'idle'
    this.#fault = null
    this.#backlog += group.bytes
    this.#counters.appends += group.appends
    this.#counters.records += group.records
    this.#counters.groups++
    this.#counters.bytes += group.bytes
    this.#counters.lastSyncMs = performance.now() - writtenAt
  }

  /** Before a group is written: makes sure that the file ends at the durable end. */
  async #makePlace(): Promise<void> {
    const active = this.#active
    if (this.#state === 'torn') {
      try {
        await this.#start.io.truncate(active.file.fd, active.offset)
        this.#state = 'idle'
      } catch {
        this.#state = 'tainted'
      }
    }
    if (this.#state !== 'tainted' && !this.#isDone(active)) return
    const end = active.base + active.offset
    await this.#begin(end, end)
    this.#sealed.push({ base: active.base, end })
    this.#state = 'idle'
    await active.file.close().catch(() => {})
    await this.#deleteReleased()
  }

  #isDone({ offset, dataStart, begunAt }: ActiveSegment): boolean {
    const { segmentBytes, segmentMs } = this.#limits
    return offset >= segmentBytes || (offset > dataStart && Date.now() - begunAt >= segmentMs)
  }

  async #begin(base: number, previousEnd: number): Promise<void> {
    const partitions = this.partitions.map((name, slot) => ({ name, end: this.#ends[slot] as number }))
    const { file, header, dataStart } = await createSegment(this.#start.dir, { base, previousEnd, partitions })
    this.#active = { file, base, salt: header.salt, dataStart, begunAt: Date.now(), offset: dataStart }
    this.#positions.setActiveBase(base)
    this.#positions.publish(this.#ends, base + dataStart)
  }

  async #deleteReleased(): Promise<void> {
    const bases = [...this.#sealed.map(({ base }) => base), this.#active.base]
    const gone = new Set(deletable(bases, this.#active.base, firstNeeded(this.#positions, this.partitions.length)))
    // A file that cannot be deleted now is found again at the next start.
    for (const base of gone) await deleteSegment(this.#start.dir, base).catch(() => {})
    this.#sealed = this.#sealed.filter(({ base }) => !gone.has(base))
  }

  #measureBacklog(): void {
    const needed = firstNeeded(this.#positions, this.partitions.length)
    // Readers delete the files of released segments; here only the entry is removed.
    this.#sealed = this.#sealed.filter((_, index) => (this.#sealed[index + 1] ?? this.#active).base > needed)
    const { base, offset } = this.#active
    this.#backlog = backlogBytes([...this.#sealed, { base, end: base + offset }], needed)
  }
}
