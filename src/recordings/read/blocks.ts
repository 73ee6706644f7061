import type { ChunkPlace } from './snapshots.ts'

/** A part of a recording that can be requested separately: events from `start` to before `end`. */
interface Block {
  readonly start: number
  readonly end: number
  readonly events: number
  readonly bytes: number
  /** A player can start here. */
  readonly has_full_snapshot: boolean
}

const BLOCK_BYTES = 1024 * 1024
const LARGEST_BYTES = 4 * BLOCK_BYTES

/**
 * Blocks have no gaps and never share an event, because each takes its events by their time. A new block begins where
 * all previous chunks have ended, so that none is read twice; where chunks overlap for long, as those of several
 * windows do, it is cut all the same. The first block ends as soon as it has a full snapshot, so that the first frame
 * is shown soon.
 */
export function blocksOf(places: readonly ChunkPlace[]): Block[] {
  const blocks: Block[] = []
  let end = 0
  for (const place of places) {
    const open = blocks.at(-1)
    if (open && mayBegin(open, place) && isFull(open, place, blocks.length === 1)) {
      blocks[blocks.length - 1] = { ...open, end: place.first_timestamp }
      blocks.push(extended(undefined, place, end))
    } else blocks[Math.max(blocks.length - 1, 0)] = extended(open, place, end)
    end = Math.max(end, place.last_timestamp + 1)
  }
  return blocks
}

const mayBegin = (open: Block, { first_timestamp: at, bytes }: ChunkPlace): boolean =>
  at >= open.end || (at > open.start && open.bytes + bytes > LARGEST_BYTES)

/** `reached` is where the previous chunks end: a block that was cut from one of them contains its rest. */
const extended = (open: Block | undefined, place: ChunkPlace, reached: number): Block => ({
  start: open?.start ?? place.first_timestamp,
  end: Math.max(reached, place.last_timestamp + 1),
  events: (open?.events ?? 0) + place.events,
  bytes: (open?.bytes ?? 0) + place.bytes,
  has_full_snapshot: (open?.has_full_snapshot ?? false) || place.has_full_snapshot,
})

const isFull = (open: Block, next: ChunkPlace, first: boolean): boolean =>
  first ? open.has_full_snapshot : open.bytes + next.bytes > BLOCK_BYTES
