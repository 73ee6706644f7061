import { type FileHandle, open } from 'node:fs/promises'
import { listSegments, readHeader, segmentFile } from './files/segment-files.ts'
import type { SegmentHeader } from './format/segment-header.ts'
import type { SharedPositions } from './shared-positions.ts'

/** A segment as a reader sees it. */
export interface ReadSegment {
  readonly base: number
  readonly file: FileHandle
  /** Null when the header cannot be read: then nothing in the segment can. */
  readonly header: SegmentHeader | null
  readonly dataStart: number
}

interface Cached {
  readonly opened: Promise<ReadSegment | null>
  users: number
}

const KEEP_OPEN = 16

/** The segments of a folder for reading: their list, and a few open files. */
export class ReaderFiles {
  readonly #dir: string
  readonly #positions: SharedPositions
  /** In the order of their last use. */
  readonly #open = new Map<number, Cached>()
  #bases: number[] = []
  #listedFor = -1

  constructor(dir: string, positions: SharedPositions) {
    this.#dir = dir
    this.#positions = positions
  }

  /**
   * Bases of the existing segments, ascending. Called after loading the durable end, it covers everything before that.
   */
  async bases(): Promise<readonly number[]> {
    const active = this.#positions.activeBase()
    if (active !== this.#listedFor) {
      // A segment above the active base is not finished yet.
      this.#bases = (await listSegments(this.#dir)).filter((base) => base <= active)
      this.#listedFor = active
    }
    return this.#bases
  }

  forget(base: number): void {
    this.#bases = this.#bases.filter((other) => other !== base)
    const cached = this.#open.get(base)
    if (cached?.users === 0) void this.#drop(base, cached)
  }

  /** Uses a segment; null when it has been deleted meanwhile. */
  async use<T>(base: number, work: (segment: ReadSegment) => Promise<T>): Promise<T | null> {
    const cached = this.#open.get(base) ?? { opened: openSegment(this.#dir, base), users: 0 }
    this.#open.delete(base)
    this.#open.set(base, cached)
    cached.users++
    try {
      const segment = await cached.opened
      if (segment === null) {
        this.#open.delete(base)
        this.forget(base)
        return null
      }
      return await work(segment)
    } catch (error) {
      if ((await cached.opened.catch(() => null)) === null) this.#open.delete(base)
      throw error
    } finally {
      cached.users--
      this.#tidy()
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map(([base, cached]) => this.#drop(base, cached)))
  }

  #tidy(): void {
    for (const [base, cached] of this.#open) {
      if (this.#open.size <= KEEP_OPEN && this.#bases.includes(base)) continue
      if (cached.users === 0) void this.#drop(base, cached)
    }
  }

  async #drop(base: number, cached: Cached): Promise<void> {
    if (this.#open.get(base) === cached) this.#open.delete(base)
    const segment = await cached.opened.catch(() => null)
    await segment?.file.close().catch(() => {})
  }
}

async function openSegment(dir: string, base: number): Promise<ReadSegment | null> {
  let file: FileHandle
  try {
    file = await open(segmentFile(dir, base), 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  try {
    const found = await readHeader(file)
    if (found === null || found.header.base !== base) return { base, file, header: null, dataStart: 0 }
    return { base, file, header: found.header, dataStart: found.dataStart }
  } catch (error) {
    await file.close()
    throw error
  }
}
