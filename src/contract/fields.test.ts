import { expect, test } from 'vitest'
import { parseJson } from '../lib/json.ts'
import { sentText, text, wholeNumber } from './fields.ts'

test('a text keeps its digits, and one that would come back as a number is refused', () => {
  expect(text().parse(parseJson('12345678901234567890'))).toBe('12345678901234567890')
  expect(text().parse(parseJson('" 12 "'))).toBe('12')
  expect(text().safeParse(parseJson('"\\ue0f712"')).error?.issues[0]?.message).toBe(
    'The first character may not be U+E0F7.',
  )
})

test('a number too long for a double is no text to search for', () => {
  expect(sentText.safeParse(parseJson('1e400')).error?.issues[0]?.message).toBe('Expected text.')
  expect(sentText.parse(parseJson('"1e400"'))).toBe('1e400')
})

test('a number below 0 is refused with what was sent; what is no integer in the words clients know', () => {
  const messages = (given: unknown) => wholeNumber.safeParse(given).error?.issues.map(({ message }) => message)
  expect(messages('-1')).toEqual(['"-1" is below 0. Must be 0 or more.'])
  expect(messages(-7)).toEqual(['"-7" is below 0. Must be 0 or more.'])
  expect(messages('ten')).toEqual(['A valid integer is required.'])
  expect(messages('0')).toBeUndefined()
})
