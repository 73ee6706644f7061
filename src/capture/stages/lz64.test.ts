import fc from 'fast-check'
import LZString from 'lz-string'
import { expect, test } from 'vitest'
import { decompressLz64 } from './lz64.ts'

const PLENTY = 1_000_000

test('reads whatever lz-string writes', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'binary' }), fc.string({ maxLength: 2000, unit: fc.constantFrom('a', 'b', '"') })),
      (text) => {
        expect(decompressLz64(LZString.compressToBase64(text), PLENTY)).toEqual({ text })
      },
    ),
  )
})

test('reads long JSON', () => {
  const text = JSON.stringify(Array.from({ length: 2000 }, (_, i) => ({ event: `e${i}`, distinct_id: 'ü😀', i })))
  expect(decompressLz64(LZString.compressToBase64(text), PLENTY)).toEqual({ text })
})

test('a bomb stops at the limit', () => {
  const bomb = LZString.compressToBase64('a'.repeat(200_000))
  expect(bomb.length).toBeLessThan(2_000)
  expect(decompressLz64(bomb, 200_000)).toEqual({ text: 'a'.repeat(200_000) })
  expect(decompressLz64(bomb, 199_999)).toBe('too large')
})

test('what lz-string did not write is refused or read as some text, but never loops or throws', () => {
  expect(decompressLz64('', PLENTY)).toBeNull()
  expect(decompressLz64('!!!', PLENTY)).toBeNull()
  fc.assert(fc.property(fc.base64String(), (text) => void decompressLz64(text, PLENTY)))
})
