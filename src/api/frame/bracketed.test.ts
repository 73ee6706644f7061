import { expect, test } from 'vitest'
import { unbracketed } from './bracketed.ts'

const FILTER = '{"key":"email","value":"a@b.c"}'

test('a query without brackets stays as it is', () => {
  const query = { limit: '5', search: 'a[b', 'x]': '1' }
  expect(unbracketed(query)).toEqual(query)
})
test('empty and numbered brackets make lists, in the order of their numbers', () => {
  expect(unbracketed({ 'ids[]': ['1', '2'] })).toEqual({ ids: ['1', '2'] })
  expect(unbracketed({ 'ids[]': '1' })).toEqual({ ids: ['1'] })
  expect(unbracketed({ 'ids[1]': 'b', 'ids[0]': 'a', 'ids[10]': 'c' })).toEqual({ ids: ['a', 'b', 'c'] })
})
test('names in brackets make objects, also inside lists', () => {
  expect(
    unbracketed({ 'properties[0][key]': 'email', 'properties[0][value]': 'x', 'properties[1][key]': 'age' }),
  ).toEqual({
    properties: [{ key: 'email', value: 'x' }, { key: 'age' }],
  })
  expect(unbracketed({ 'properties[0][value][]': ['a', 'b'], 'properties[0][key]': 'plan' })).toEqual({
    properties: [{ value: ['a', 'b'], key: 'plan' }],
  })
  expect(unbracketed({ 'filters[insight]': 'TRENDS' })).toEqual({ filters: { insight: 'TRENDS' } })
})
test('what is written both ways is one list', () => {
  expect(unbracketed({ properties: FILTER, 'properties[]': FILTER })).toEqual({ properties: [FILTER, FILTER] })
})
test('names that every object has are only names', () => {
  const read = unbracketed({ '__proto__[polluted]': 'yes', 'a[__proto__][polluted]': 'yes', 'a[constructor]': 'b' })
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  expect((read.a as { constructor: unknown }).constructor).toBe('b')
})
