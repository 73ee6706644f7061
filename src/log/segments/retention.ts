import type { SharedPositions } from './shared-positions.ts'

/**
 * The first position that is still needed, or Infinity. A partition whose last record has been released needs nothing,
 * however far back its released position is: a quiet partition must not keep the segments of busy ones.
 */
export function firstNeeded(positions: SharedPositions, slots: number): number {
  let needed = Number.POSITIVE_INFINITY
  for (let slot = 0; slot < slots; slot++) {
    // The released position is read first: an end that grows meanwhile can only keep more.
    const released = positions.released(slot)
    if (released < positions.end(slot)) needed = Math.min(needed, released)
  }
  return needed
}

/** Segments before the active one that are not needed. Oldest first: a crash in between leaves no gap. */
export function deletable(bases: readonly number[], activeBase: number, needed: number): number[] {
  return bases.filter((base, index) => {
    const next = bases[index + 1]
    return base < activeBase && next !== undefined && next <= activeBase && next <= needed
  })
}

/** Bytes from the first needed position to the end, without the gaps between segments. */
export function backlogBytes(segments: readonly { base: number; end: number }[], needed: number): number {
  let bytes = 0
  for (const { base, end } of segments) if (end > needed) bytes += end - Math.max(base, needed)
  return bytes
}
