import fc from 'fast-check'
import type { Json } from '../../src/lib/json.ts'

/** Names that every object has from JavaScript: a client may use them too. */
const BORROWED = ['constructor', '__proto__', 'toString', 'valueOf', 'hasOwnProperty', 'length']

/** Any text, often one of the given. */
export const anyWord = (...known: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(fc.constantFrom(...BORROWED, ...known), fc.string({ unit: 'binary', maxLength: 12 }))

/** Any JSON whose texts and keys are such words. */
export const anyJson = (word: fc.Arbitrary<string> = anyWord()): fc.Arbitrary<Json> =>
  fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      word,
      fc.oneof(
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.constantFrom(0, -1, 2 ** 53, 1e300),
      ),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(word, tie('value'), { maxKeys: 4 }),
    ),
  })).value
