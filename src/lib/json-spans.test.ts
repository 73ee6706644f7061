import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  afterBlanks,
  endOfValue,
  NotJson,
  numberAt,
  startsArray,
  startsObject,
  walkArray,
  walkObject,
} from './json-spans.ts'

/** All of the text is one value. */
function accepts(text: string): boolean {
  const bytes = Buffer.from(text)
  try {
    return afterBlanks(bytes, endOfValue(bytes, 0)) === bytes.length
  } catch (error) {
    expect(error).toBeInstanceOf(NotJson)
    return false
  }
}

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Reads a value by walking it. */
function read(bytes: Buffer, at: number): [value: unknown, end: number] {
  if (startsObject(bytes, at)) {
    const object: Record<string, unknown> = Object.create(null)
    const end = walkObject(bytes, at, (name, from) => {
      const [value, to] = read(bytes, from)
      object[name] = value
      return to
    })
    return [object, end]
  }
  if (startsArray(bytes, at)) {
    const array: unknown[] = []
    const end = walkArray(bytes, at, (from) => {
      const [value, to] = read(bytes, from)
      array.push(value)
      return to
    })
    return [array, end]
  }
  const end = endOfValue(bytes, at)
  return [numberAt(bytes, at, end) ?? JSON.parse(bytes.toString('utf8', at, end)), end]
}

const spaced = fc
  .tuple(fc.json({ stringUnit: 'binary' }), fc.constantFrom(0, 1, 2, '\t', '\r\n '))
  .map(([text, space]) => JSON.stringify(JSON.parse(text), null, space))

describe('finding the way in JSON', () => {
  it('ends a value where it ends, whatever follows', () => {
    fc.assert(
      fc.property(spaced, fc.constantFrom('', ',1', ']', '}', ' x', '"'), (text, rest) => {
        const bytes = Buffer.from(`${text}${/\d$/.test(text) ? ' ' : ''}${rest}`)
        expect(endOfValue(bytes, 0)).toBe(Buffer.byteLength(text))
      }),
    )
  })

  it('accepts what JSON.parse accepts, and nothing else', () => {
    const awkward = [
      ...[
        '',
        ' ',
        '-',
        '01',
        '1.',
        '.5',
        '1e',
        '1e+',
        '-0',
        '0.0e-0',
        '1E5',
        '+1',
        '0x1',
        'NaN',
        'nul',
        'True',
        'nulll',
      ],
      ...['"', '"\\', '"\\x"', '"\\u12"', '"\\u12G4"', '"\\ud83d"', '"\t"', '"\u007f"', "'a'", '"\\/"', '"é✓🍰"'],
      ...['[', '[1', '[1,', '[1,]', '[,1]', '[1 2]', '[1}', '{', '{"a"', '{"a":', '{"a":1', '{"a":1,}', '{"a":1]'],
      ...[
        '{a:1}',
        '{"a" : 1 , "b" : [ ] }',
        '{"a":1 "b":2}',
        '{1:2}',
        '{,}',
        '[{}]',
        ' [ { } ] ',
        '[] []',
        '{}x',
        '\u00a01',
      ],
    ]
    for (const text of awkward) expect([text, accepts(text)]).toEqual([text, parses(text)])
    const broken = fc
      .tuple(spaced, fc.nat(), fc.nat(2), fc.constantFrom(...' \n{}[]",:\\u0e-+.tfn1\u0001'))
      .map(([text, seed, cut, put]) => {
        const at = seed % (text.length + 1)
        return text.slice(0, at) + put + text.slice(at + cut)
      })
    fc.assert(
      fc.property(broken, (text) => {
        // A lone half of a pair cannot be written in UTF-8.
        fc.pre(text.isWellFormed())
        expect(accepts(text)).toBe(parses(text))
      }),
      { numRuns: 2_000 },
    )
  })

  it('walks through everything there is', () => {
    fc.assert(
      fc.property(spaced, (text) => {
        const bytes = Buffer.from(text)
        const [value, end] = read(bytes, 0)
        expect(end).toBe(bytes.length)
        expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)))
      }),
    )
    const [escaped] = read(Buffer.from('{"\\u0074ype":1,"é":2,"type":3}'), 0)
    expect(escaped).toEqual({ type: 3, é: 2 })
  })

  it('refuses what is nested too deep for others to read', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect(accepts(nested(2_000))).toBe(true)
    expect(accepts(nested(2_002))).toBe(false)
  })
})

it('reads numbers as JSON.parse does', () => {
  const whole = fc.oneof(fc.maxSafeNat(), fc.nat(), fc.bigInt({ min: 0n, max: 10n ** 17n }))
  const texts = fc.oneof(
    whole.map(String),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  )
  fc.assert(
    fc.property(texts, (text) => {
      const bytes = Buffer.from(`[${text}]`)
      expect(numberAt(bytes, 1, bytes.length - 1)).toBe(JSON.parse(text))
    }),
  )
})
