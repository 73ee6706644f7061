import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Param, render, sql, strings, uuids } from './sql.ts'

/** `http_max_field_value_size` of a server. */
const MOST_BYTES = 128 * 1024

it('a short list is one parameter', () => {
  expect(render(sql`a IN ${strings(['x', 'y'])} AND has(${uuids([])}, b)`)).toEqual({
    query: 'a IN {p0:Array(String)} AND has({p1:Array(UUID)}, b)',
    query_params: { p0: ['x', 'y'], p1: [] },
  })
})

it('a list too long for a form field is several, in order', () => {
  const ids = Array.from({ length: 5_000 }, (_, i) => String(i).padStart(64, '0'))
  const { query, query_params } = render(sql`a IN ${strings(ids)} AND b = ${new Param('Int64', 1)}`)
  const pieces = Object.values(query_params).slice(0, -1) as string[][]
  expect(pieces.length).toBeGreaterThan(1)
  const names = pieces.map((_, i) => `{p${i}:Array(String)}`).join(', ')
  expect(query).toBe(`a IN arrayConcat(${names}) AND b = {p${pieces.length}:Int64}`)
  expect(pieces.flat()).toEqual(ids)
})

it('no parameter is too long for a field, whatever the characters', () => {
  const value = fc.string({ unit: fc.constantFrom('a', "'", '\\', '\t', '€', '😀'), maxLength: 400 })
  fc.assert(
    fc.property(fc.array(value, { minLength: 1_000, maxLength: 3_000 }), (values) => {
      const pieces = Object.values(render(sql`${strings(values)}`).query_params) as string[][]
      expect(pieces.flat()).toEqual(values)
      for (const piece of pieces) {
        const text = piece.map((each) => `'${each.replace(/[\\'\t]/g, (char) => `\\${char}`)}'`).join(',')
        expect(Buffer.byteLength(text) + 2).toBeLessThanOrEqual(MOST_BYTES)
      }
    }),
    { numRuns: 20 },
  )
})
