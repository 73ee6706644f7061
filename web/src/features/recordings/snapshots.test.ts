import { describe, expect, it } from 'vitest'
import { firstPicture, idleSpans, snapshotsOf } from './snapshots.ts'

const move = (timestamp: number) => ({ type: 3, timestamp, data: { source: 1 } })
const mutation = (timestamp: number) => ({ type: 3, timestamp, data: { source: 0 } })

describe('the events of a recording', () => {
  it('are read from lines, lists and pairs with a window', () => {
    const event = { type: 4, timestamp: 1, data: {} }
    for (const answer of [JSON.stringify(event), [event], `${JSON.stringify(['w', event])}\n`, [['w', event], null]])
      expect(snapshotsOf(answer)).toEqual([event])
    expect(snapshotsOf(null)).toEqual([])
  })

  it('tell where nobody did anything: what the page does by itself is no activity', () => {
    const events = [{ type: 4, timestamp: 1_000 }, move(2_000), mutation(9_000), move(15_000), mutation(40_000)]
    expect(idleSpans(events)).toEqual([
      { from: 1_000, to: 14_000 },
      { from: 14_000, to: 39_000 },
    ])
    expect(idleSpans([])).toEqual([])
  })

  it('tell when there is something to see', () => {
    expect(firstPicture([{ type: 4, timestamp: 1_000 }, { type: 2, timestamp: 1_030 }, move(2_000)])).toBe(31)
    expect(firstPicture([])).toBe(1)
  })
})
