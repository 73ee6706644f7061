import type { Logger } from '../../lib/logger.ts'
import type { LogRange, LogReader, LogRecord, Position } from '../port.ts'
import { Doorbell } from './doorbell.ts'
import { deleteSegment } from './files/segment-files.ts'
import { FrameScan } from './format/frame-scan.ts'
import { ReaderFiles, type ReadSegment } from './reader-files.ts'
import type { SegmentReaderHandle } from './reader-handle.ts'
import { deletable, firstNeeded } from './retention.ts'
import { type SharedPositions, sharedPositions } from './shared-positions.ts'

/**
 * Reads the log, in the writer's thread or another one.
 *
 * It reads what is before the durable end, skips the records of other partitions by their heads alone, and skips
 * segments without records of its partition: each segment's header has the ends of all partitions before it. Durable
 * bytes that cannot be read (bit rot, a lost block) are reported once, with their number, and reading continues after
 * them.
 */
export interface ReaderOptions {
  readonly log?: Logger
  /** How much is read at once. 1 MiB. */
  readonly blockBytes?: number
}

interface Limits {
  readonly bytes: number
  readonly records: number
}

const BLOCK_BYTES = 1024 * 1024

export function openSegmentReader(handle: SegmentReaderHandle, options: ReaderOptions = {}): LogReader {
  return new SegmentReader(handle, options)
}

class SegmentReader implements LogReader {
  readonly partitions: readonly string[]
  readonly #dir: string
  readonly #log: Logger | undefined
  readonly #blockBytes: number
  readonly #positions: SharedPositions
  readonly #files: ReaderFiles
  readonly #doorbell: Doorbell
  /** Starts of damage that has been reported: the readers of all partitions come across it. */
  readonly #reported = new Set<number>()

  constructor(handle: SegmentReaderHandle, options: ReaderOptions) {
    this.partitions = handle.partitions
    this.#dir = handle.dir
    this.#log = options.log
    this.#blockBytes = options.blockBytes ?? BLOCK_BYTES
    this.#positions = sharedPositions(handle.shared)
    this.#files = new ReaderFiles(handle.dir, this.#positions)
    this.#doorbell = new Doorbell(this.#positions)
  }

  async read(partition: string, from: Position, limits: Limits): Promise<LogRange> {
    const slot = this.#slot(partition)
    const durable = this.#positions.durableEnd()
    const batch = new Batch(limits)
    let position = from
    while (position < durable && !batch.full) {
      if (this.#positions.end(slot) <= position) {
        position = durable
        break
      }
      const bases = await this.#files.bases()
      const index = Math.max(
        0,
        bases.findLastIndex((base) => base <= position),
      )
      const base = bases[index]
      if (base === undefined || base >= durable) {
        position = durable
        break
      }
      const next = bases[index + 1]
      const reached = await this.#readSegment(base, next, partition, position, durable, batch)
      if (reached !== null) position = reached
    }
    return { partition, from, next: Math.max(position, from), records: batch.records }
  }

  wait(partition: string, from: Position, signal: AbortSignal): Promise<void> {
    const slot = this.#slot(partition)
    return this.#doorbell.until(() => this.#positions.end(slot) > from, signal)
  }

  async release(partition: string, upTo: Position): Promise<void> {
    this.#positions.release(this.#slot(partition), upTo)
    // The active base before the ends: records in segments before it are included in the ends.
    const active = this.#positions.activeBase()
    const needed = firstNeeded(this.#positions, this.partitions.length)
    for (const base of deletable(await this.#files.bases(), active, needed)) {
      await deleteSegment(this.#dir, base)
      this.#files.forget(base)
    }
  }

  close(): Promise<void> {
    return this.#files.close()
  }

  #slot(partition: string): number {
    const slot = this.partitions.indexOf(partition)
    if (slot < 0) throw new RangeError(`The log has no partition '${partition}'.`)
    return slot
  }

  /** Continues in one segment; returns the position it reached, or null when the segment was deleted. */
  async #readSegment(
    base: number,
    next: number | undefined,
    partition: string,
    from: number,
    durable: number,
    batch: Batch,
  ): Promise<number | null> {
    const follower = next === undefined ? null : await this.#files.use(next, async ({ header }) => header)
    const endBefore = follower?.partitions.find(({ name }) => name === partition)?.end
    // The segment has no records of this partition after `from`.
    if (next !== undefined && endBefore !== undefined && endBefore <= from) return Math.max(next, from)
    return this.#files.use(base, async (segment) => {
      // Without the header of the next segment the file's size says where this one ends.
      const size = next === undefined ? Number.POSITIVE_INFINITY : (await segment.file.stat()).size
      const end = follower?.previousEnd ?? Math.min(base + size, next ?? Number.POSITIVE_INFINITY)
      const limit = Math.min(end, durable)
      if (segment.header === null) this.#damaged(base, limit)
      const reached = segment.header === null ? limit : await this.#scan(segment, partition, from, limit, batch)
      return reached >= end && next !== undefined ? Math.max(next, reached) : reached
    })
  }

  async #scan(segment: ReadSegment, partition: string, from: number, end: number, batch: Batch): Promise<number> {
    const { base, file, header, dataStart } = segment
    if (header === null) return end
    const wanted = header.partitions.findIndex(({ name }) => name === partition)
    const start = Math.max(from - base, dataStart)
    if (wanted < 0 || base + start >= end) return Math.max(end, from)
    const scan = new FrameScan(file, header.salt, start, end - base, this.#blockBytes)
    for (let step = scan.step(); step !== 'end'; step = scan.step()) {
      if (step === 'load') await scan.load()
      else if (step === 'damage') this.#damaged(base + scan.start, base + scan.end)
      else if (scan.partition !== wanted) scan.skip()
      else {
        let payload = scan.payload()
        if (payload === null) {
          await scan.load()
          payload = scan.payload()
        }
        if (payload) {
          if (!batch.take(base + scan.start, payload)) return base + scan.start
          if (batch.full) return base + scan.end
        } else this.#damaged(base + scan.start, base + scan.end)
        scan.skip()
      }
    }
    return end
  }

  #damaged(from: number, to: number): void {
    if (this.#reported.has(from)) return
    this.#reported.add(from)
    this.#positions.addLoss(to - from)
    const bytes = to - from
    this.#log?.error({ dir: this.#dir, from, bytes }, 'a place in the log cannot be read; records in it are lost')
  }
}

/** The records of one read, up to its limits, but at least one. */
class Batch {
  readonly records: LogRecord[] = []
  full = false
  #bytes = 0
  readonly #limits: Limits

  constructor(limits: Limits) {
    this.#limits = limits
  }

  take(position: Position, payload: Buffer): boolean {
    this.#bytes += payload.length
    const fits = this.records.length === 0 || this.#bytes <= this.#limits.bytes
    if (fits) this.records.push({ position, payload })
    this.full = !fits || this.records.length >= this.#limits.records || this.#bytes >= this.#limits.bytes
    return fits
  }
}
