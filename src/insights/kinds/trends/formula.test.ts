import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InvalidQuery } from '../../../lib/invalid-input.ts'
import { binsOf } from '../../sql/bins.ts'
import { evaluate, lettersIn, parseFormula } from './formula.ts'

const value = (text: string, ...series: number[]) => evaluate(parseFormula(text), (index) => series[index] ?? 0)

describe('a formula', () => {
  test.each([
    ['A + B * 2', [1, 3], 7],
    ['(A + B) * 2', [1, 3], 8],
    ['a/b', [1, 4], 0.25],
    ['A / B', [5, 0], 0],
    ['A - B - C', [10, 3, 2], 5],
    ['A ^ 2 ^ 1', [3], 9],
    ['-A ^ 2', [3], -9],
    ['A * -1', [3], -3],
    ['+A', [3], 3],
    ['.5 * A', [4], 2],
    ['A * 100.5', [2], 201],
    ['A % B', [1, 2], undefined],
    ['A $ ; "', [4], 4],
    ['0 ^ -1', [], 0],
  ])('%s', (text, series, expected) => {
    if (expected === undefined) expect(() => value(text, ...series)).toThrow(InvalidQuery)
    else expect(value(text, ...series)).toBe(expected)
  })

  test.each(['', '()', 'A +', '(A', 'A)', 'A B', '1 2', '*A', `${'('.repeat(500)}A${')'.repeat(500)}`])(
    'refuses %s',
    (text) => {
      expect(() => parseFormula(text)).toThrow(InvalidQuery)
    },
  )

  test('knows the series it names', () => {
    expect(lettersIn(parseFormula('A + (C - 2) / A'))).toEqual([0, 2, 0])
  })

  test('is a number or refused, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'AB19.+-*/^() x'), maxLength: 20 }), (text) => {
        try {
          expect(Number.isFinite(value(text, 2, 0))).toBe(true)
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidQuery)
        }
      }),
    )
  })
})

test.each([
  [
    [1, 2.5, 4],
    [1, 2.5, 4.01],
    ['[1,2.5]', '[2.5,4.01]'],
  ],
  [[0.29, 0.299, 7], [0.29, 7.01], ['[0.29,7.01]']],
  [[3, 3], [3, 3.01], ['[3,3.01]']],
  [[-1.5, 0], [-1.5, 0.01], ['[-1.5,0.01]']],
  [[], [], []],
])('bins of quantiles %o', (quantiles, edges, labels) => {
  expect(binsOf(quantiles)).toEqual({ edges, labels })
})
