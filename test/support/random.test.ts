import fc from 'fast-check'
import { expect, it } from 'vitest'
import { drawn } from './random.ts'

it('a property that fails names the seed of the run next to its failure', () => {
  expect(process.env.FC_SEED).toMatch(/^-?\d+$/)
  const failing = () => fc.assert(fc.property(fc.integer(), () => false))
  expect(failing).toThrow(`seed: ${process.env.FC_SEED},`)
})

it('what is drawn without fast-check is the same for the same seed and name', () => {
  const numbers = (name: string) => Array.from({ length: 100 }, drawn(name))
  expect(numbers('a')).toEqual(numbers('a'))
  expect(numbers('a')).not.toEqual(numbers('b'))
  expect(numbers('a').every((number) => number >= 0 && number < 1)).toBe(true)
  expect(new Set(numbers('a')).size).toBe(100)
})
