import * as zlib from 'node:zlib'

type Crc32 = (data: Uint8Array) => number

/** zlib.crc32 exists since Node 20.15 and 22.2; older versions compute the same with a table. */
export const crc32: Crc32 = 'crc32' in zlib ? (data) => (zlib as { crc32: Crc32 }).crc32(data) : crc32ByTable

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1
  return value
})

export function crc32ByTable(data: Uint8Array): number {
  let crc = 0xffffffff
  for (let i = 0; i < data.length; i++) crc = (TABLE[(crc ^ (data[i] as number)) & 0xff] as number) ^ (crc >>> 8)
  return ~crc >>> 0
}
