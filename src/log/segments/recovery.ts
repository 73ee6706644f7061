import { open, stat } from 'node:fs/promises'
import {
  listSegments,
  listSetAside,
  readHeader,
  removeUnfinished,
  segmentFile,
  setAside,
} from './files/segment-files.ts'
import { FLAG_GROUP, FLAG_MORE } from './format/frame.ts'
import { FrameScan } from './format/frame-scan.ts'

/**
 * The content of a folder when it is opened, after its torn tail has been cut off.
 *
 * Only the last segment can have a torn tail: a new segment is begun when the previous one is durable, and says where
 * that one ends. The tail is cut after the last complete append. Damage is a torn tail when no group starts after it,
 * because a group is written only after everything before it was synced; with a group after it, it is damage to durable
 * records, and what follows is kept. Readers find such damage again, skip it and report it.
 */
interface Recovered {
  readonly segments: readonly SegmentExtent[]
  /** Where the last intact segment ends. */
  readonly end: number
  /** Above every position that was ever used. */
  readonly floor: number
  /** The end of each partition's last record, by name. */
  readonly ends: ReadonlyMap<string, number>
  readonly cutBytes: number
  /** Segments at the end whose header, and so their content, cannot be read. They have been set aside. */
  readonly unreadable: readonly SegmentExtent[]
}

const BLOCK_BYTES = 1024 * 1024

export async function recover(dir: string): Promise<Recovered> {
  await removeUnfinished(dir)
  const segments = await segmentsWithEnds(dir)
  const floor = await firstUnusedPosition(dir, segments)
  for (const [index, segment] of segments.entries()) {
    const next = segments[index + 1]
    if (next !== undefined) segment.end = Math.min(segment.end, next.base)
  }
  const unreadable: SegmentExtent[] = []
  for (let last = segments.pop(); last !== undefined; last = segments.pop()) {
    const tail = await cutTail(dir, last.base, last.end - last.base)
    if (tail !== null) {
      const end = last.base + tail.cut
      return {
        segments: [...segments, { base: last.base, end }],
        end,
        floor,
        ends: tail.ends,
        cutBytes: last.end - end,
        unreadable,
      }
    }
    await setAside(dir, last.base)
    unreadable.push(last)
  }
  return { segments, end: 0, floor, ends: new Map(), cutBytes: 0, unreadable }
}

interface SegmentExtent {
  readonly base: number
  end: number
}

async function segmentsWithEnds(dir: string): Promise<SegmentExtent[]> {
  const bases = await listSegments(dir)
  return Promise.all(bases.map(async (base) => ({ base, end: base + (await stat(segmentFile(dir, base))).size })))
}

/** Sizes before any cut: a position that was readable once must never name another record, even if its own is lost. */
async function firstUnusedPosition(dir: string, segments: readonly SegmentExtent[]): Promise<number> {
  const aside = await Promise.all(
    (await listSetAside(dir)).map(async (base) => base + (await stat(`${segmentFile(dir, base)}.damaged`)).size),
  )
  return Math.max(0, ...segments.map(({ end }) => end), ...aside)
}

/** Cuts a segment after its last complete append and syncs it. Null when its header is not readable. */
async function cutTail(dir: string, base: number, size: number) {
  const file = await open(segmentFile(dir, base), 'r+')
  try {
    const found = await readHeader(file)
    if (found === null || found.header.base !== base) return null
    const { header, dataStart } = found
    const tail = new Tail(
      dataStart,
      header.partitions.map(({ end }) => end),
    )
    const scan = new FrameScan(file, header.salt, dataStart, size, BLOCK_BYTES)
    for (let step = scan.step(); step !== 'end'; step = scan.step()) {
      if (step === 'load') await scan.load()
      else if (step === 'damage') tail.damage()
      else {
        let payload = scan.payload()
        if (payload === null) {
          await scan.load()
          payload = scan.payload()
        }
        tail.frame(scan.flags, scan.partition, base + scan.end, scan.end, payload !== undefined)
        scan.skip()
      }
    }
    const { cut, ends } = tail.result()
    if (cut < size) await file.truncate(cut)
    // Also without a cut: bytes that the last process wrote and did not sync will become readable.
    await file.sync()
    return { cut, ends: new Map(header.partitions.map(({ name }, index) => [name, ends[index] as number])) }
  } finally {
    await file.close()
  }
}

/** Follows the frames and finds the end of the last complete append that was durable, or may count as durable. */
class Tail {
  #cut: number
  #ends: number[]
  /** Set at damage, with the end before it; cleared when a group starts after it. */
  #beforeDamage: { cut: number; ends: number[] } | null = null
  /** Records of an append whose last record has not been seen. */
  #open: [slot: number, end: number][] = []

  constructor(dataStart: number, ends: number[]) {
    this.#cut = dataStart
    this.#ends = ends
  }

  damage(): void {
    this.#beforeDamage ??= { cut: this.#cut, ends: [...this.#ends] }
    this.#open = []
  }

  frame(flags: number, partition: number, position: number, offset: number, intact: boolean): void {
    if (flags & FLAG_GROUP) this.#beforeDamage = null
    if (!intact) {
      this.damage()
      return
    }
    this.#open.push([partition, position])
    if (flags & FLAG_MORE) return
    for (const [slot, end] of this.#open) this.#ends[slot] = end
    this.#open = []
    this.#cut = offset
  }

  result(): { cut: number; ends: number[] } {
    return this.#beforeDamage ?? { cut: this.#cut, ends: this.#ends }
  }
}
