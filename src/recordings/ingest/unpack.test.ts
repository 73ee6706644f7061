import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fullSnapshot, mutation, pack } from '../../../test/support/recordings.ts'
import { timedEvents } from './timed-events.ts'

const packed = (text: string) => gzipSync(text).toString('latin1')
function unpack(event: unknown) {
  const { events, lines, unreadable } = timedEvents(Buffer.from(JSON.stringify([event])), 0, Date.now())
  const [one] = events
  return { line: one ? lines.slice(one.lineAt, one.lineEnd).toString() : '', unreadable: unreadable === 1 }
}

describe('packed rrweb events', () => {
  it('come out as they went in', () => {
    for (const event of [fullSnapshot(1), mutation(2, 'text'), fullSnapshot(3, 'ünïcode ✓ 🍰')]) {
      const { line, unreadable } = unpack(pack(event))
      expect([JSON.parse(line), unreadable]).toEqual([event, false])
    }
  })

  it('keep any JSON, on one line, with its digits', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const { line } = unpack({ type: 2, timestamp: 1, data: packed(text), cv: '2024-10' })
        expect(JSON.parse(line)).toEqual({ type: 2, timestamp: 1, data: JSON.parse(text) })
      }),
    )
    const spread = unpack({ type: 2, timestamp: 1, data: packed('{\n "n": 12345678901234567890\r\n}'), cv: '2024-10' })
    expect(spread.line).toBe('{"type":2,"timestamp":1,"data":{"n":12345678901234567890}}')
  })

  it('stay as they are when they are not what they say', () => {
    const half = gzipSync('{"node":{}}').subarray(0, 12).toString('latin1')
    const lying = Buffer.from(gzipSync('[]'))
    lying.writeUInt32LE(0xffffffff, lying.length - 4)
    for (const data of ['', 'x', half, packed('no json'), packed(''), lying.toString('latin1'), '\u{1F370}']) {
      const event = { type: 2, timestamp: 1, data, cv: '2024-10' }
      const { line, unreadable } = unpack(event)
      expect([JSON.parse(line), unreadable]).toEqual([event, true])
    }
    for (const event of [
      { type: 2, timestamp: 1, data: { node: {} }, cv: '2024-10' },
      { type: 3, timestamp: 1, data: { source: 99 }, cv: '2024-10' },
      { type: 2, timestamp: 1, data: packed('{}'), cv: 7 },
    ])
      expect(unpack(event)).toEqual({ line: JSON.stringify(event), unreadable: true })
  })

  it('with nothing packed in them are left alone', () => {
    const event = { type: 3, timestamp: 1, data: { source: 0, adds: [], half: '\ud83d' } }
    expect(unpack(event)).toEqual({ line: JSON.stringify(event), unreadable: false })
  })
})
