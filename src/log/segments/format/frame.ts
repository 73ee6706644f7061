/**
 * A frame: one record in a segment file, little-endian.
 *
 *    0  u32  length of the payload
 *    4  u16  partition, an index into the table of the segment's header
 *    6  u8   flags
 *    7  u8   mark
 *    8  u32  CRC-32 of the payload
 *   12  u32  seal: a checksum of the twelve bytes above, of the segment's salt and of the frame's offset in the segment
 *   16       the payload
 *
 * Head and payload have separate checksums, so a reader can skip records of other partitions without reading their
 * payload, and a damaged payload costs one record only. The salt is random and never leaves the machine, so bytes
 * inside a payload cannot pass for a frame when a reader searches for the next one after damage.
 */
export const FRAME_HEAD_BYTES = 16
export const MAX_PAYLOAD_BYTES = 256 * 1024 * 1024

/** More records of the same append follow: recovery keeps all of them or none. */
export const FLAG_MORE = 1
/** The first frame of a group. It was written after everything before it in the file was durable. */
export const FLAG_GROUP = 2

const MARK = 0xf5

/** The head without its seal, which depends on the offset of the frame. */
export function writeHead(
  target: Buffer,
  at: number,
  partition: number,
  flags: number,
  length: number,
  crc: number,
): void {
  target.writeUInt32LE(length, at)
  target.writeUInt16LE(partition, at + 4)
  target[at + 6] = flags
  target[at + 7] = MARK
  target.writeUInt32LE(crc, at + 8)
}

export function sealHead(target: Buffer, at: number, salt: number, offset: number): void {
  target.writeUInt32LE(sealOf(target, at, salt, offset), at + 12)
}

/** True when there is a valid head of this segment here. Needs FRAME_HEAD_BYTES readable bytes. */
export function isHead(source: Buffer, at: number, salt: number, offset: number): boolean {
  return source[at + 7] === MARK && source.readUInt32LE(at + 12) === sealOf(source, at, salt, offset)
}

export const payloadLength = (source: Buffer, at: number): number => source.readUInt32LE(at)
export const partitionIndex = (source: Buffer, at: number): number => source.readUInt16LE(at + 4)
export const flagsOf = (source: Buffer, at: number): number => source[at + 6] as number
export const payloadCrc = (source: Buffer, at: number): number => source.readUInt32LE(at + 8)

/** Every step is a bijection of its word, so a change within one of the words always changes the seal. */
function sealOf(source: Buffer, at: number, salt: number, offset: number): number {
  let hash = mix(salt ^ Math.imul(offset, 0x9e3779b1))
  hash = mix(hash ^ source.readUInt32LE(at))
  hash = mix(hash ^ source.readUInt32LE(at + 4))
  return mix(hash ^ source.readUInt32LE(at + 8)) >>> 0
}

function mix(value: number): number {
  let hash = value
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}
