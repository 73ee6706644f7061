import { describe, expect, it } from 'vitest'
import { blocksOf } from './blocks.ts'
import type { ChunkPlace } from './snapshots.ts'

const place = (first: number, last: number, bytes: number, full = false): ChunkPlace => ({
  first_timestamp: first,
  last_timestamp: last,
  position: first,
  part: 0,
  bytes,
  events: 1,
  window_id: 'w',
  has_full_snapshot: full,
})
const MB = 1024 * 1024

describe('blocks of a recording', () => {
  it('begin with one that ends as soon as it has a picture', () => {
    const blocks = blocksOf([place(0, 9, 100), place(10, 19, 100, true), place(20, 29, 100), place(30, 39, 100)])
    expect(blocks).toMatchObject([
      { start: 0, end: 20, events: 2, has_full_snapshot: true },
      { start: 20, end: 40, events: 2, has_full_snapshot: false },
    ])
  })

  it('are about as large as a page, and never cut through chunks that lie over each other', () => {
    const blocks = blocksOf([
      place(0, 9, 100, true),
      place(10, 19, MB),
      place(15, 25, MB),
      place(26, 30, MB),
      place(31, 31, 10),
    ])
    expect(blocks.map(({ start, end }) => [start, end])).toEqual([
      [0, 10],
      [10, 26],
      [26, 31],
      [31, 32],
    ])
  })

  it('are cut through chunks that lie over each other without end, and still cover everything', () => {
    // Two windows, each with a chunk from every even second to the next but one.
    const places = Array.from({ length: 20 }, (_, i) => place(i * 1_000, i * 1_000 + 1_900, MB, i === 0))
    const blocks = blocksOf(places)
    expect(blocks.length).toBeGreaterThan(4)
    expect(blocks[0]?.start).toBe(0)
    expect(blocks.at(-1)?.end).toBe(20_901)
    for (const [i, block] of blocks.entries()) {
      expect(block.bytes).toBeLessThanOrEqual(4 * MB)
      expect(block.end).toBeGreaterThan(block.start)
      if (i > 0) expect(block.start).toBe(blocks[i - 1]?.end)
    }
  })

  it('that are cut off from a long chunk reach to its end', () => {
    const blocks = blocksOf([place(0, 9_000, 3 * MB, true), place(1_000, 2_000, 3 * MB)])
    expect(blocks.map(({ start, end }) => [start, end])).toEqual([
      [0, 1_000],
      [1_000, 9_001],
    ])
  })

  it('are none when there is nothing', () => {
    expect(blocksOf([])).toEqual([])
  })
})
