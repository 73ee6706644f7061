import { expect, test } from 'vitest'
import { HOUR, MINUTE } from './durations.ts'
import { HeldBack } from './held-back.ts'

test('clients are counted by reason, the highest count first', () => {
  const list = new HeldBack(() => 0)
  for (let i = 0; i < 3; i++) list.count('connections', { address: '10.0.0.1' })
  list.count('throttled', { address: '10.0.0.1', project: 7 })
  list.count('connections', { address: '10.0.0.2' })
  expect(list.top(2)).toEqual([
    { reason: 'connections', address: '10.0.0.1', project: null, count: 3, last_at: new Date(0) },
    { reason: 'throttled', address: '10.0.0.1', project: 7, count: 1, last_at: new Date(0) },
  ])
})

test('a count covers the last hour and no more', () => {
  let now = 0
  const list = new HeldBack(() => now)
  list.count('connections', { address: 'a' })
  now += 30 * MINUTE
  list.count('connections', { address: 'a' })
  expect(list.top(1)).toMatchObject([{ count: 2, last_at: new Date(now) }])
  now += 45 * MINUTE
  expect(list.top(1)).toMatchObject([{ count: 1 }])
  now += HOUR
  expect(list.top(1)).toEqual([])
})

test('an attacker with many addresses fills no memory, and every refusal is still counted', () => {
  let now = 0
  const list = new HeldBack(() => now)
  for (let i = 0; i < 100_000; i++) list.count('connections', { address: `10.${i}` })
  const all = list.top(Number.POSITIVE_INFINITY)
  expect(all.length).toBe(501)
  expect(all[0]).toMatchObject({ address: null, count: 100_000 - 500 })
  // Three hours of it, with other addresses all the time: never more than those of one.
  for (let i = 0; i < 3 * 6; i++) {
    now += 10 * MINUTE
    for (let n = 0; n < 1_000; n++) list.count(`reason ${n % 3}`, { address: `${i}.${n}`, project: n })
  }
  const held = list.top(Number.POSITIVE_INFINITY)
  expect(held.length).toBeLessThanOrEqual(6 * 500 + 3)
  expect(held.reduce((sum, { count }) => sum + count, 0)).toBe(6 * 1_000)
})

test('who is counted again makes nothing new: a refusal reads the clock once and changes one number', () => {
  let looks = 0
  const list = new HeldBack(() => ++looks)
  for (let i = 0; i < 1_000; i++) list.count('connections', { address: 'a' })
  expect(looks).toBe(1_000)
  expect(list.top(9)).toEqual([
    { reason: 'connections', address: 'a', project: null, count: 1_000, last_at: new Date(1_000) },
  ])
})
