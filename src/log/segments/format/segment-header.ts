import { crc32 } from './crc32.ts'

/**
 * The header of a segment, before its first frame: 8 bytes of magic, length and CRC-32 of a JSON text, the text.
 * It is durable before the first frame is written.
 */
export interface SegmentHeader {
  /** The position of the file's first byte. A record's position is this plus its offset in the file. */
  readonly base: number
  /** Where the previous segment ends. Bytes of its file beyond that are not part of the log. */
  readonly previousEnd: number
  readonly salt: number
  /** Frames name their partition by index into this table. `end` is the end of its last record before this segment. */
  readonly partitions: readonly { readonly name: string; readonly end: number }[]
}

const MAGIC = Buffer.from('FOOTLOG1')
const PREFIX_BYTES = 16
/** Longer than any header; the first read of a segment takes this much. */
export const MAX_HEADER_BYTES = 64 * 1024

export function encodeHeader(header: SegmentHeader): Buffer {
  const text = Buffer.from(`${JSON.stringify(header)}\n`)
  if (PREFIX_BYTES + text.length > MAX_HEADER_BYTES) throw new RangeError('Too many partitions for a segment header.')
  const prefix = Buffer.alloc(PREFIX_BYTES)
  MAGIC.copy(prefix)
  prefix.writeUInt32LE(text.length, 8)
  prefix.writeUInt32LE(crc32(text), 12)
  return Buffer.concat([prefix, text])
}

/** The header and where the frames begin; null when the bytes are not an intact header. */
export function decodeHeader(bytes: Buffer): { header: SegmentHeader; dataStart: number } | null {
  if (bytes.length < PREFIX_BYTES || !bytes.subarray(0, 8).equals(MAGIC)) return null
  const dataStart = PREFIX_BYTES + bytes.readUInt32LE(8)
  if (dataStart > bytes.length) return null
  const text = bytes.subarray(PREFIX_BYTES, dataStart)
  if (crc32(text) !== bytes.readUInt32LE(12)) return null
  return { header: JSON.parse(text.toString('utf8')) as SegmentHeader, dataStart }
}
