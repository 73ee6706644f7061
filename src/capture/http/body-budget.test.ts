import { afterEach, expect, test } from 'vitest'
import { BodyBudget, type Holding, type HoldReason } from './body-budget.ts'

const LIMITS = {
  totalBytes: 100,
  reserveBytes: 20,
  smallBytes: 10,
  addressBytes: 60,
  projectBytes: 50,
  idleSeconds: 3,
  stalledSeconds: 1,
}
const reasons: HoldReason[] = []
const gone: string[] = []
let budget = new BodyBudget(LIMITS, (reason) => reasons.push(reason))
afterEach(() => {
  budget.close()
  reasons.length = 0
  gone.length = 0
  budget = new BodyBudget(LIMITS, (reason) => reasons.push(reason))
})
const open = (address: string | null, name = ''): Holding =>
  budget.open(address, ({ code }) => gone.push(`${name} ${code}`))
const taken = (holding: Holding, bytes: number): string => holding.take(bytes)?.code ?? 'ok'

test('one address has a share, and others do not notice', () => {
  const [one, another] = [open('a'), open('b')]
  expect([taken(one, 60), taken(one, 1), taken(another, 20)]).toEqual(['ok', 'overloaded', 'ok'])
  expect(reasons).toEqual(['address_bytes'])
  one.release()
  expect(taken(open('a'), 60)).toBe('ok')
})

test('large bodies leave a reserve to small ones', () => {
  expect([taken(open('a'), 50), taken(open('b'), 30), taken(open('c'), 11)]).toEqual(['ok', 'ok', 'overloaded'])
  expect([taken(open('c'), 10), taken(open('d'), 10), taken(open('e'), 1)]).toEqual(['ok', 'ok', 'overloaded'])
  expect(reasons).toEqual(['bytes', 'bytes'])
})

test('a large body that stands still gives way to who needs the room; one that moves, and a small one, do not', () => {
  const still = open('a', 'still')
  const moving = open('b', 'moving')
  const small = open('c', 'small')
  expect([taken(still, 40), taken(moving, 30), taken(small, 10)]).toEqual(['ok', 'ok', 'ok'])
  expect(taken(open('d'), 30)).toBe('overloaded')
  budget.tick()
  moving.moved()
  expect(taken(open('d'), 30)).toBe('ok')
  expect(gone).toEqual(['still request_timeout'])
  expect(taken(open('e'), 40)).toBe('overloaded')
})

test('a body that is silent for too long is let go, complete ones are not', () => {
  const silent = open('a', 'silent')
  const complete = open('b', 'complete')
  taken(silent, 5)
  taken(complete, 5)
  complete.complete()
  for (let second = 0; second < 4; second++) budget.tick()
  expect(gone).toEqual(['silent request_timeout'])
  expect(budget.held).toBe(5)
  expect(reasons).toEqual(['body_stalled'])
})

test('one project has a share, counted once for a body', () => {
  const [one, another] = [open('a'), open('b')]
  taken(one, 40)
  taken(another, 20)
  one.assign(1)
  one.assign(1)
  expect(() => another.assign(1)).toThrow('Too much of this project')
  another.assign(2)
  one.release()
  open('b').assign(1)
  expect(budget.held).toBe(20)
})

test('without an address, as on the socket of the operator, there is no share', () => {
  expect([taken(open(null), 70), taken(open(null), 10)]).toEqual(['ok', 'ok'])
})
