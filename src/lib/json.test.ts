import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exactValue, NUMBER_TEXT } from '../../test/support/number-texts.ts'
import {
  asParsed,
  asText,
  copyOf,
  exactDigits,
  type JsonObject,
  numberFrom,
  parseJson,
  parseStoredJson,
  plainText,
  stringifyJson,
} from './json.ts'

const MARK = '\uE0F7'

test('numbers that a double cannot hold keep their digits', () => {
  for (const text of [
    '{"id":12345678901234567890}',
    '[-9007199254740993]',
    '{"pi":3.14159265358979323846}',
    '[1e400,-1E+400,1e-400]',
    '{"a":[1,{"b":10000000000000000000001}]}',
  ])
    expect(stringifyJson(parseJson(text))).toBe(text)
})

test('any number comes back with the value that was sent, digit by digit', () => {
  fc.assert(
    fc.property(fc.array(NUMBER_TEXT, { minLength: 1, maxLength: 6 }), (sent) => {
      const back = stringifyJson(parseJson(`{"s":"1.5","n":[${sent.join(', ')}]}`))
      const numbers = back.slice(back.indexOf('[') + 1, -2).split(',')
      expect(numbers.map(exactValue)).toEqual(sent.map(exactValue))
    }),
    { numRuns: 2_000 },
  )
})

test('a number beyond the range of a double gets its exponent back from how jsonb writes it', () => {
  const zeros = (n: number) => '0'.repeat(n)
  for (const [stored, text] of [
    [`{"a":1${zeros(400)},"b":-25${zeros(399)}}`, '{"a":1e400,"b":-2.5e400}'],
    [`[0.${zeros(399)}1, -0.${zeros(399)}12]`, '[1e-400,-1.2e-400]'],
    [
      `["1${zeros(400)}", 1${zeros(30)}, 0.${zeros(30)}, 1${zeros(30)}1]`,
      `["1${zeros(400)}",1${zeros(30)},0.${zeros(30)},1${zeros(30)}1]`,
    ],
    [`[${'7'.repeat(400)}]`, `[${'7'.repeat(400)}]`],
  ] as const)
    expect(stringifyJson(parseStoredJson(stored))).toBe(text)
})

test('ordinary numbers stay numbers', () => {
  expect(parseJson('[1,2.5,-3e2,0.30000000000000004,9007199254740991]')).toEqual([
    1, 2.5, -300, 0.30000000000000004, 9007199254740991,
  ])
})

test('digits inside strings are left alone', () => {
  const text = '{"1234567890123456789":"12345678901234567890","x":"a\\"12345678901234567890"}'
  expect(stringifyJson(parseJson(text))).toBe(text)
  expect(parseJson(text)).toEqual(JSON.parse(text))
})

test('exactDigits and plainText give back what was sent', () => {
  const { number, text, plain } = parseJson(`{"number":12345678901234567890,"text":"${MARK}12","plain":"p"}`) as Record<
    string,
    string
  >
  expect(exactDigits(number)).toBe('12345678901234567890')
  expect(exactDigits(text)).toBeUndefined()
  expect([number, text, plain].map((value) => plainText(value as string))).toEqual([
    '12345678901234567890',
    `${MARK}12`,
    'p',
  ])
})

test('a text from a query string is no number of ours, whatever it starts with', () => {
  for (const text of ['12', `${MARK}12`, `${MARK}${MARK}`])
    expect(JSON.parse(stringifyJson({ text: asParsed(text) }))).toEqual({ text })
})

test('a client string that starts with the mark survives, as value and as key', () => {
  for (const value of [
    { a: `${MARK}12` },
    [`${MARK}`, `${MARK}${MARK}1`],
    { [`${MARK}5`]: `x"${MARK}7` },
    `${MARK}1e5`,
  ])
    expect(JSON.parse(stringifyJson(parseJson(JSON.stringify(value))))).toEqual(value)
  expect(JSON.parse(stringifyJson(parseJson('{"a":"\\ue0F712"}')))).toEqual({ a: `${MARK}12` })
})

test('what is no JSON is refused, however long its digits', () => {
  for (const text of [
    '01234567890123456789',
    '{"a":00000000000000001}',
    '12345678901234567890x',
    '1234567890123456789.',
    '',
  ])
    expect(() => parseJson(text)).toThrow(SyntaxError)
})

test('any JSON text comes back with the same value, whatever is beside it', () => {
  const awkward = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(MARK, `${MARK}12`, `"${MARK}1`, '\\', '\\"', '1234567890123456789', '\ud800'),
  )
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      awkward,
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Object.is(number, -0)),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(awkward, tie('value'), { maxKeys: 4 }),
    ),
  }))
  fc.assert(
    fc.property(value, (sent) => {
      const text = `[12345678901234567890,${JSON.stringify(sent)}]`
      const back = stringifyJson(parseJson(text))
      expect(back.startsWith('[12345678901234567890,')).toBe(true)
      expect(JSON.parse(back)[1]).toEqual(JSON.parse(text)[1])
    }),
  )
})

test('a very long string beside a very long number does not exhaust the stack', () => {
  const text = JSON.stringify(['x\\"'.repeat(2_000_000)]).replace(']', ',12345678901234567890]')
  expect(stringifyJson(parseJson(text))).toBe(text)
})

test('a copy has the same keys in the same order, and its own values of odd names', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), fc.jsonValue()), (object) => {
      const copy = copyOf(object as JsonObject)
      expect(Object.entries(copy)).toEqual(Object.entries(object))
      expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
    }),
  )
  const odd = copyOf(parseJson('{"__proto__":{"a":1},"b":2}') as JsonObject)
  expect(stringifyJson(odd)).toBe('{"__proto__":{"a":1},"b":2}')
})

test('any value is a text and a number, also an object that is neither', () => {
  const odd = JSON.parse('{"toString":1,"valueOf":1}')
  expect([odd, [odd], 'a', 1, null, undefined].map(asText)).toEqual([
    '{"toString":1,"valueOf":1}',
    '[{"toString":1,"valueOf":1}]',
    'a',
    '1',
    'null',
    'undefined',
  ])
  expect([odd, [odd], [5], ['7'], '8', 9, [1, 2], []].map(numberFrom)).toEqual([
    Number.NaN,
    Number.NaN,
    5,
    7,
    8,
    9,
    Number.NaN,
    Number.NaN,
  ])
})
