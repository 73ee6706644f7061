import type { ChunkPlace } from './snapshots.ts'

/** A stretch of a recording that can be asked for by itself: events from `start` to before `end`. */
export interface Block {
  readonly start: number
  readonly end: number
  readonly events: number
  readonly bytes: number
  /** A player can begin here. */
  readonly has_full_snapshot: boolean
}

const BLOCK_BYTES = 1024 * 1024

/**
 * Blocks follow each other without a gap and never share an event: a new one begins only where no chunk before reaches. The first ends as
 * soon as it has a picture, so that the first frame is there soon.
 */
export function blocksOf(places: readonly ChunkPlace[]): Block[] {
  const blocks: Block[] = []
  for (const place of places) {
    const open = blocks.at(-1)
    if (open && place.first_timestamp >= open.end && isFull(open, place, blocks.length === 1)) {
      blocks[blocks.length - 1] = { ...open, end: place.first_timestamp }
      blocks.push(extended(undefined, place))
    } else blocks[Math.max(blocks.length - 1, 0)] = extended(open, place)
  }
  return blocks
}

const extended = (open: Block | undefined, place: ChunkPlace): Block => ({
  start: open?.start ?? place.first_timestamp,
  end: Math.max(open?.end ?? 0, place.last_timestamp + 1),
  events: (open?.events ?? 0) + place.events,
  bytes: (open?.bytes ?? 0) + place.bytes,
  has_full_snapshot: (open?.has_full_snapshot ?? false) || place.has_full_snapshot,
})

const isFull = (open: Block, next: ChunkPlace, first: boolean): boolean =>
  first ? open.has_full_snapshot : open.bytes + next.bytes > BLOCK_BYTES
