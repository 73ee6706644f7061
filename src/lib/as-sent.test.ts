import { expect, it } from 'vitest'
import { belowZero, quoteSent } from './as-sent.ts'

it('repeats what was sent, and of what is long the first forty characters', () => {
  expect(quoteSent('-1')).toBe('"-1"')
  expect(quoteSent(-1)).toBe('"-1"')
  expect(quoteSent('a "b"\n')).toBe('"a \\"b\\"\\n"')
  expect(quoteSent('x'.repeat(40))).toBe(`"${'x'.repeat(40)}"`)
  expect(quoteSent('x'.repeat(41))).toBe(`"${'x'.repeat(40)}…"`)
  expect(quoteSent('😀'.repeat(50))).toBe(`"${'😀'.repeat(40)}…"`)
  expect(quoteSent({ a: [1] })).toBe('"{\\"a\\":[1]}"')
  expect(quoteSent(undefined)).toBe('"undefined"')
})

it('says what is wrong with a number below 0, and what to send', () => {
  expect(belowZero('-1')).toBe('"-1" is below 0. Must be 0 or more.')
})
