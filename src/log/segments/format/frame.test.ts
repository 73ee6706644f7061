import { crc32 as zlibCrc32 } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { crc32, crc32ByTable } from './crc32.ts'
import {
  FRAME_HEAD_BYTES,
  flagsOf,
  isHead,
  partitionIndex,
  payloadCrc,
  payloadLength,
  sealHead,
  writeHead,
} from './frame.ts'

const u32 = fc.nat({ max: 0xffffffff })
const heads = fc.record({
  partition: fc.nat({ max: 0xffff }),
  flags: fc.nat({ max: 3 }),
  payload: fc.uint8Array({ maxLength: 5_000 }),
  salt: u32,
  offset: u32,
})
type Head = typeof heads extends fc.Arbitrary<infer T> ? T : never

function sealed({ partition, flags, payload, salt, offset }: Head): Buffer {
  const bytes = Buffer.alloc(FRAME_HEAD_BYTES)
  writeHead(bytes, 0, partition, flags, payload.length, crc32(payload))
  sealHead(bytes, 0, salt, offset)
  return bytes
}

test('a head gives back what was put into it', () => {
  fc.assert(
    fc.property(heads, (head) => {
      const bytes = sealed(head)
      expect(isHead(bytes, 0, head.salt, head.offset)).toBe(true)
      expect(partitionIndex(bytes, 0)).toBe(head.partition)
      expect(flagsOf(bytes, 0)).toBe(head.flags)
      expect(payloadLength(bytes, 0)).toBe(head.payload.length)
      expect(payloadCrc(bytes, 0)).toBe(crc32(head.payload))
    }),
  )
})

test('no change of a single byte of a head goes unnoticed', () => {
  fc.assert(
    fc.property(heads, fc.nat({ max: FRAME_HEAD_BYTES - 1 }), fc.integer({ min: 1, max: 255 }), (head, at, change) => {
      const bytes = sealed(head)
      bytes[at] = (bytes[at] as number) ^ change
      expect(isHead(bytes, 0, head.salt, head.offset)).toBe(false)
    }),
  )
})

test('a head holds only in its segment and at its place', () => {
  fc.assert(
    fc.property(heads, u32, (head, other) => {
      fc.pre(other !== head.salt && other !== head.offset)
      const bytes = sealed(head)
      expect(isHead(bytes, 0, other, head.offset)).toBe(false)
      expect(isHead(bytes, 0, head.salt, other)).toBe(false)
    }),
  )
})

test('the checksum from the table is the one of zlib', () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => crc32ByTable(bytes) === zlibCrc32(bytes)))
})
