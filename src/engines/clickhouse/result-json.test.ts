import { expect, test } from 'vitest'
import { parseCompact, parseExact, rowsOf } from './result-json.ts'

test('integers that JavaScript cannot hold become their digits, all others stay numbers', () => {
  expect(parseExact('[1,9007199254740991,9007199254740993,-9223372036854775808,18446744073709551615]')).toEqual([
    1,
    9007199254740991,
    '9007199254740993',
    '-9223372036854775808',
    '18446744073709551615',
  ])
})

test('digits inside strings, fractions and exponents are left alone', () => {
  const text = '{"id":"9007199254740993 \\"9007199254740993","f":0.12345678901234567,"e":12345678901234567e3}'
  expect(parseExact(text)).toEqual(JSON.parse(text))
})

test('compact rows become objects by the names of their columns', () => {
  const result = parseCompact(
    '{"meta":[{"name":"a","type":"UInt8"},{"name":"b","type":"String"}],"data":[[1,"x"],[2,"y"]]}',
  )
  expect(rowsOf(result)).toEqual([
    { a: 1, b: 'x' },
    { a: 2, b: 'y' },
  ])
})
