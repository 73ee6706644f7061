import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RowBinary } from './row-binary.ts'

describe('numbers', () => {
  it('are written as Node writes them', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.integer(), fc.integer({ min: 0, max: 0xffff_ffff }), (long, int, nat) => {
        const wanted = Buffer.alloc(16)
        wanted.writeBigInt64LE(BigInt(long), 0)
        wanted.writeInt32LE(int, 8)
        wanted.writeUInt32LE(nat, 12)
        expect(new RowBinary(0).int64(long).int32(int).uint32(nat).done()).toEqual(wanted)
      }),
    )
  })

  it.each([
    ['int64', Number.NaN],
    ['int64', 2 ** 53],
    ['int64', 0.5],
    ['int32', 2 ** 31],
    ['int32', Number.NaN],
    ['uint32', -1],
    ['uint32', 2 ** 32],
    ['uint32', 1.5],
  ] as const)('%s refuses %d: a wrong number must not be stored', (type, value) => {
    expect(() => new RowBinary()[type](value)).toThrow(RangeError)
  })
})

describe('texts', () => {
  const sizeOf = (count: number): number[] => (count < 0x80 ? [count] : [(count & 0x7f) | 0x80, ...sizeOf(count >>> 7)])
  const asText = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from(sizeOf(bytes.length)), bytes])

  it('have their size in bytes before them, however long and in whatever script', () => {
    const texts = fc.array(fc.string({ unit: 'binary', maxLength: 300 }))
    fc.assert(
      fc.property(texts, fc.integer({ min: 0, max: 64 }), (written, expectedBytes) => {
        const out = new RowBinary(expectedBytes)
        for (const text of written) out.string(text)
        expect(out.done()).toEqual(Buffer.concat(written.map((text) => asText(Buffer.from(text)))))
      }),
    )
  })

  it('may come from bytes that are there already', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(300), fc.nat(300), (bytes, a, b) => {
        const [from, to] = [Math.min(a, b, bytes.length), Math.min(Math.max(a, b), bytes.length)]
        expect(new RowBinary(0).stringOf(bytes, from, to).done()).toEqual(asText(Buffer.from(bytes.subarray(from, to))))
      }),
    )
  })
})
