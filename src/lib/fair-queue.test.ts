import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FairQueue } from './fair-queue.ts'

test('a newcomer is served after one turn of the others, however many of theirs wait', () => {
  const queue = new FairQueue<string>()
  for (let n = 0; n < 20; n++) queue.push({ lane: 'flood', sender: 'one' }, `flood ${n}`)
  queue.push({ lane: 'flood', sender: 'two' }, 'neighbour')
  queue.push({ lane: 'honest', sender: 'three' }, 'honest')
  expect([queue.shift(), queue.shift(), queue.shift()]).toEqual(['flood 0', 'honest', 'neighbour'])
  expect([queue.shift(), queue.shift()]).toEqual(['flood 1', 'flood 2'])
})

test('a lane whose load is infinite is passed over', () => {
  const queue = new FairQueue<string>()
  const allButA = (lane: string) => (lane === 'a' ? Number.POSITIVE_INFINITY : 0)
  queue.push({ lane: 'a' }, 'a')
  expect(queue.shift(allButA)).toBeUndefined()
  queue.push({ lane: 'b' }, 'b')
  expect(queue.shift(allButA)).toBe('b')
  expect(queue.shift()).toBe('a')
  expect(queue.size).toBe(0)
})

test('the lane with the lowest load goes first, and among equals the one served longest ago', () => {
  const queue = new FairQueue<string>()
  const load = new Map([
    ['a', 2],
    ['b', 1],
    ['c', 1],
  ])
  for (const lane of ['a', 'b', 'c']) for (const n of [1, 2]) queue.push({ lane }, `${lane}${n}`)
  const served = Array.from({ length: 7 }, () => queue.shift((lane) => load.get(lane) ?? 0))
  expect(served).toEqual(['b1', 'c1', 'b2', 'c2', 'a1', 'a2', undefined])
})

test('those who wait take turns, and a full line refuses', () => {
  const queue = new FairQueue<string>({ most: 5, mostOfOne: 3 })
  const push = (lane: string, item: string) => queue.push({ lane }, item)
  expect(['a1', 'a2', 'a3', 'a4'].map((item) => push('a', item))).toEqual([true, true, true, false])
  expect([push('b', 'b1'), push('c', 'c1'), push('d', 'd1')]).toEqual([true, true, false])
  expect(Array.from({ length: 6 }, () => queue.shift())).toEqual(['a1', 'b1', 'c1', 'a2', 'a3', undefined])
})

test('an item that waits no longer leaves its line, and an empty lane is forgotten', () => {
  const queue = new FairQueue<string>()
  queue.push({ lane: 'a' }, 'first')
  queue.push({ lane: 'a' }, 'second')
  expect(queue.remove({ lane: 'a' }, 'first')).toBe(true)
  expect(queue.remove({ lane: 'a' }, 'first')).toBe(false)
  expect(queue.remove({ lane: 'b' }, 'second')).toBe(false)
  expect([queue.size, ...queue.lanes()]).toEqual([1, 'a'])
  expect(queue.remove({ lane: 'a' }, 'second')).toBe(true)
  expect([queue.size, ...queue.lanes()]).toEqual([0])
})

test('room is made by the longest line, and only for somebody in a shorter lane', () => {
  const queue = new FairQueue<string>()
  for (const item of ['1', '2', '3']) queue.push({ lane: 'long', sender: 'x' }, item)
  queue.push({ lane: 'long', sender: 'y' }, 'other')
  expect(queue.makeRoom('long')).toBeUndefined()
  expect(queue.makeRoom('new')).toBe('3')
  expect(queue.takeAll()).toEqual(['1', '2', 'other'])
})

test('nothing is lost or served twice, and each sender is served in order', () => {
  const place = fc.record({ lane: fc.constantFrom('a', 'b', 'c'), sender: fc.constantFrom('x', 'y') })
  const step = fc.option(place, { nil: null })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const queue = new FairQueue<{ n: number; who: string }>()
      const served: { n: number; who: string }[] = []
      let pushed = 0
      for (const where of steps) {
        if (where) queue.push(where, { n: pushed++, who: `${where.lane}/${where.sender}` })
        else served.push(...[queue.shift()].filter((item) => item !== undefined))
        expect(queue.size).toBe(pushed - served.length)
      }
      for (let item = queue.shift(); item; item = queue.shift()) served.push(item)
      expect([queue.size, ...queue.lanes()]).toEqual([0])
      expect(served.map(({ n }) => n).toSorted((a, b) => a - b)).toEqual(Array.from({ length: pushed }, (_, n) => n))
      for (const who of new Set(served.map((item) => item.who))) {
        const order = served.filter((item) => item.who === who).map(({ n }) => n)
        expect(order).toEqual(order.toSorted((a, b) => a - b))
      }
    }),
  )
})
