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

test('lanes that may not go are passed over', () => {
  const queue = new FairQueue<string>()
  queue.push({ lane: 'a', sender: '' }, 'a')
  expect(queue.shift((lane) => lane !== 'a')).toBeUndefined()
  queue.push({ lane: 'b', sender: '' }, 'b')
  expect(queue.shift((lane) => lane !== 'a')).toBe('b')
  expect(queue.shift()).toBe('a')
  expect(queue.size).toBe(0)
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
      expect(served.map(({ n }) => n).toSorted((a, b) => a - b)).toEqual(Array.from({ length: pushed }, (_, n) => n))
      for (const who of new Set(served.map((item) => item.who))) {
        const order = served.filter((item) => item.who === who).map(({ n }) => n)
        expect(order).toEqual(order.toSorted((a, b) => a - b))
      }
    }),
  )
})
