import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FairQueue } from './fair-queue.ts'

test('a newcomer is served after one turn of the others, however many of theirs wait', () => {
  const queue = new FairQueue<string>()
  for (let n = 0; n < 20; n++) queue.push({ owner: 'flood', sender: 'one' }, `flood ${n}`)
  queue.push({ owner: 'flood', sender: 'two' }, 'neighbour')
  queue.push({ owner: 'honest', sender: 'three' }, 'honest')
  expect([queue.shift(), queue.shift(), queue.shift()]).toEqual(['flood 0', 'honest', 'neighbour'])
  expect([queue.shift(), queue.shift()]).toEqual(['flood 1', 'flood 2'])
})

test('an owner whose load is infinite is passed over', () => {
  const queue = new FairQueue<string>()
  const allButA = (owner: string) => (owner === 'a' ? Number.POSITIVE_INFINITY : 0)
  queue.push({ owner: 'a' }, 'a')
  expect(queue.shift(allButA)).toBeUndefined()
  queue.push({ owner: 'b' }, 'b')
  expect(queue.shift(allButA)).toBe('b')
  expect(queue.shift()).toBe('a')
  expect(queue.size).toBe(0)
})

test('the owner with the lowest load goes first, and among equals the one served longest ago', () => {
  const queue = new FairQueue<string>()
  const load = new Map([
    ['a', 2],
    ['b', 1],
    ['c', 1],
  ])
  for (const owner of ['a', 'b', 'c']) for (const n of [1, 2]) queue.push({ owner }, `${owner}${n}`)
  const served = Array.from({ length: 7 }, () => queue.shift((owner) => load.get(owner) ?? 0))
  expect(served).toEqual(['b1', 'c1', 'b2', 'c2', 'a1', 'a2', undefined])
})

test('those who wait take turns, and a full queue refuses', () => {
  const queue = new FairQueue<string>({ most: 5, mostOfOne: 3 })
  const push = (owner: string, item: string) => queue.push({ owner }, item)
  expect(['a1', 'a2', 'a3', 'a4'].map((item) => push('a', item))).toEqual([true, true, true, false])
  expect([push('b', 'b1'), push('c', 'c1'), push('d', 'd1')]).toEqual([true, true, false])
  expect(Array.from({ length: 6 }, () => queue.shift())).toEqual(['a1', 'b1', 'c1', 'a2', 'a3', undefined])
})

test('an item that waits no longer leaves its queue, and an empty owner is forgotten', () => {
  const queue = new FairQueue<string>()
  queue.push({ owner: 'a' }, 'first')
  queue.push({ owner: 'a' }, 'second')
  expect(queue.remove({ owner: 'a' }, 'first')).toBe(true)
  expect(queue.remove({ owner: 'a' }, 'first')).toBe(false)
  expect(queue.remove({ owner: 'b' }, 'second')).toBe(false)
  expect([queue.size, ...queue.owners()]).toEqual([1, 'a'])
  expect(queue.remove({ owner: 'a' }, 'second')).toBe(true)
  expect([queue.size, ...queue.owners()]).toEqual([0])
})

test('the owner with the most items loses its newest, and only in favour of one with fewer', () => {
  const queue = new FairQueue<string>()
  for (const item of ['1', '2', '3']) queue.push({ owner: 'long', sender: 'x' }, item)
  queue.push({ owner: 'long', sender: 'y' }, 'other')
  expect(queue.evictFor('long')).toBeUndefined()
  expect(queue.evictFor('new')).toBe('3')
  expect(queue.takeAll()).toEqual(['1', '2', 'other'])
})

test('nothing is lost or served twice, and each sender is served in order', () => {
  const place = fc.record({ owner: fc.constantFrom('a', 'b', 'c'), sender: fc.constantFrom('x', 'y') })
  const step = fc.option(place, { nil: null })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const queue = new FairQueue<{ n: number; who: string }>()
      const served: { n: number; who: string }[] = []
      let pushed = 0
      for (const where of steps) {
        if (where) queue.push(where, { n: pushed++, who: `${where.owner}/${where.sender}` })
        else served.push(...[queue.shift()].filter((item) => item !== undefined))
        expect(queue.size).toBe(pushed - served.length)
      }
      for (let item = queue.shift(); item; item = queue.shift()) served.push(item)
      expect([queue.size, ...queue.owners()]).toEqual([0])
      expect(served.map(({ n }) => n).toSorted((a, b) => a - b)).toEqual(Array.from({ length: pushed }, (_, n) => n))
      for (const who of new Set(served.map((item) => item.who))) {
        const order = served.filter((item) => item.who === who).map(({ n }) => n)
        expect(order).toEqual(order.toSorted((a, b) => a - b))
      }
    }),
  )
})
