import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compilePattern, TooManySteps, wrongInPattern } from './match.ts'

const isIn = (pattern: string, text: string) => compilePattern(pattern)(text)

test.each([
  ['^foo', 'foobar', true],
  ['foo$', 'foo\n', false],
  ['@example\\.com$', 'ada@example.com', true],
  ['(?i)EXAMPLE', 'ada@example.com', true],
  ['(?i:EX)ample', 'exAMPLE', false],
  ['\\Aada\\z', 'ada', true],
  ['(?P<a>x)\\k<a>', 'xx', true],
  ['(a|b)\\1', 'ab', false],
  ['(?<=\\$)\\d+', 'costs $42', true],
  ['(?<!\\$)\\b\\d+', '$42', false],
  ['foo(?!bar)', 'foobar', false],
  ['^(\\w+\\.)*example\\.com$', 'a.b.c.example.com', true],
  ['[[:alpha:]]+\\d', 'abc1', true],
  ['^[^@\\s]+@[^@\\s]+$', 'a b@c', false],
  ['a{2,3}b', 'caab', true],
  ['^\\p{Lu}', 'Österreich', true],
  ['.', '\n', false],
  ['(?s).', '\n', true],
  ['(?>a+)ab', 'aaab', false],
  ['a++b', 'aab', true],
  ['', '', true],
])('%s in %j: %s', (pattern, text, expected) => {
  expect(isIn(pattern, text)).toBe(expected)
})

test.each(['(', 'a)', '[', '*a', 'a**+\\', 'a{3,1}', '\\q', '(?<n'])('%s is refused in words', (pattern) => {
  expect(wrongInPattern(pattern)).toMatch(/\w/)
})

test('a pattern that would run for ever is given up', () => {
  expect(() => isIn('^(a+)+$', `${'a'.repeat(60)}b`)).toThrow(TooManySteps)
  expect(() => isIn('(.*)*x', 'a'.repeat(5000))).toThrow(TooManySteps)
})

/** Patterns that mean the same to JavaScript. */
const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\d', '\\w', '\\b', '1', '^', '$')
const pattern: fc.Arbitrary<string> = fc.letrec<{ part: string }>((tie) => ({
  part: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    atom,
    fc
      .tuple(fc.constantFrom('a', 'b', '.', '[ab]', '\\d', '\\w'), fc.constantFrom('*', '+', '?', '{1,2}', '*?', '+?'))
      .map(([what, often]) => what + often),
    fc.tuple(tie('part'), tie('part')).map(([a, b]) => a + b),
    fc.tuple(tie('part'), tie('part')).map(([a, b]) => `(?:${a}|${b})`),
    fc.tuple(tie('part'), fc.constantFrom('', '?', '{2}', '*')).map(([inner, often]) => `(${inner})${often}`),
    tie('part').map((inner) => `(?=${inner})`),
    tie('part').map((inner) => `(?<!${inner})`),
  ),
})).part

test('patterns are found where JavaScript finds them', () => {
  fc.assert(
    fc.property(
      pattern,
      fc.string({ unit: fc.constantFrom('a', 'b', '1', ' ', '-'), maxLength: 8 }),
      (source, text) => {
        let found: boolean
        try {
          found = isIn(source, text)
        } catch {
          return
        }
        expect(found, `${source} in ${JSON.stringify(text)}`).toBe(new RegExp(source, 'u').test(text))
      },
    ),
    { numRuns: 3000 },
  )
})
