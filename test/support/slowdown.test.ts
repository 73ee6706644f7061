import { expect, it } from 'vitest'
import { slowdownBetween } from './slowdown.ts'

const at = (all: number, idle: number, ours: number) => ({ all, idle, ours })

it('what others use of a machine makes a service slower, what it uses itself does not', () => {
  const first = at(1_000, 100, 50)
  expect(slowdownBetween(first, at(1_200, 300, 50))).toBe(1)
  expect(slowdownBetween(first, at(1_200, 100, 250))).toBe(1)
  expect(slowdownBetween(first, at(1_200, 100, 150))).toBe(2)
  expect(slowdownBetween(first, at(1_200, 250, 50))).toBeCloseTo(4 / 3)
  expect(slowdownBetween(first, at(1_200, 100, 50))).toBe(10)
})
