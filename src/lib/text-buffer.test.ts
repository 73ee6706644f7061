import fc from 'fast-check'
import { expect, it } from 'vitest'
import { TextBuffer } from './text-buffer.ts'

it('holds the bytes of all texts, however long and in whatever script', () => {
  const texts = fc.array(fc.string({ unit: 'binary', maxLength: 300 }))
  fc.assert(
    fc.property(texts, fc.integer({ min: 0, max: 64 }), (added, expectedBytes) => {
      const buffer = new TextBuffer(expectedBytes)
      for (const text of added) buffer.add(text)
      expect(buffer.done().equals(Buffer.concat(added.map((text) => Buffer.from(text))))).toBe(true)
    }),
  )
})
