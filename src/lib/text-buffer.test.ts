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

it('quotes a text as JSON does', () => {
  const texts = fc.array(fc.oneof(fc.string({ maxLength: 60 }), fc.string({ unit: 'binary', maxLength: 60 })))
  fc.assert(
    fc.property(texts, (quoted) => {
      const buffer = new TextBuffer(0)
      for (const text of quoted) buffer.quoted(text)
      expect(buffer.done().toString()).toBe(quoted.map((text) => JSON.stringify(text)).join(''))
    }),
  )
})

it('repeats what it holds', () => {
  const buffer = new TextBuffer(4).add('before').add('twice')
  buffer.again('before'.length, buffer.length).add('after')
  expect(buffer.done().toString()).toBe('beforetwicetwiceafter')
})
