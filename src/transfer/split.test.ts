import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Found, splitValues } from './split.ts'

async function split(text: string, cuts: readonly number[] = []): Promise<Found[]> {
  const at = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b)
  const parts = [0, ...at].map((from, i) => text.slice(from, at[i] ?? text.length))
  const found: Found[] = []
  for await (const value of splitValues(
    (async function* () {
      yield* parts
    })(),
  ))
    found.push(value)
  return found
}

const objects = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { minLength: 1, maxLength: 8 })
const cuts = fc.array(fc.nat(5_000), { maxLength: 20 })

describe('a file of JSON', () => {
  it('is the same values however they are written and however the file is cut', async () => {
    await fc.assert(
      fc.asyncProperty(objects, cuts, async (values, at) => {
        const forms = [
          values.map((value) => JSON.stringify(value)).join('\n'),
          values.map((value) => JSON.stringify(value)).join('\r\n\n'),
          JSON.stringify(values),
          JSON.stringify(values, null, 2),
          JSON.stringify({ api_key: 'phc_x', batch: values }, null, 2),
          `{"historical_migration": true, "batch": [\n${values.map((value) => JSON.stringify(value)).join(',\n')}\n]}`,
        ]
        for (const form of forms)
          expect((await split(form, at)).map(({ text }) => JSON.parse(text))).toEqual(
            JSON.parse(JSON.stringify(values)),
          )
      }),
      { numRuns: 60 },
    )
  })

  it('says on which line a value begins', async () => {
    expect(await split('{"a":1}\n\nnonsense\n{"b":2}')).toEqual([
      { line: 1, text: '{"a":1}' },
      { line: 3, text: 'nonsense' },
      { line: 4, text: '{"b":2}' },
    ])
    expect(await split('[\n  {"a":1},\n  7,\n  {"b":[1,2]}\n]')).toEqual([
      { line: 2, text: '{"a":1}' },
      { line: 3, text: '7' },
      { line: 4, text: '{"b":[1,2]}' },
    ])
  })

  it('hands on what was cut off at the end', async () => {
    expect((await split('[{"a":1},{"b":')).map(({ text }) => text)).toEqual(['{"a":1}', '{"b":'])
    expect((await split('{"a":1}\n{"b":')).map(({ text }) => text)).toEqual(['{"a":1}', '{"b":'])
    expect(await split('')).toEqual([])
  })
})
