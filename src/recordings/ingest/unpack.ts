import { isUtf8 } from 'node:buffer'
import { gunzipSync } from 'node:zlib'
import { parseJson, stringifyJson } from '../../lib/json.ts'
import { afterBlanks, endOfValue, startsString } from '../../lib/json-spans.ts'
import { bytesOfString } from './byte-string.ts'
import type { Patch } from './line-buffer.ts'
import { SOURCE, TYPE } from './rrweb.ts'
import { type Member, numberOf, type SentEvent } from './sent-event.ts'

/**
 * Browsers send the large parts of rrweb events compressed (`cv: "2024-10"`): JSON, gzipped, each byte a character.
 * Decompressed, they compress far better together, and a player can use them. A part that cannot be decompressed stays
 * as it was sent.
 */
const PACKED_VERSION = '"2024-10"'
/** Which fields of incremental events are compressed, by source. */
const PACKED_FIELDS: Readonly<Record<number, ReadonlySet<string>>> = {
  [SOURCE.mutation]: new Set(['texts', 'attributes', 'removes', 'adds']),
  [SOURCE.styleSheetRule]: new Set(['adds', 'removes']),
}
/** What one field may decompress to. Real pages stay far below. */
const LARGEST_FIELD = 32 * 1024 * 1024
const SMALLEST_ROOM = 256
const LARGEST_ROOM = 1024 * 1024

/** How much one upload may still decompress to. */
interface Room {
  bytes: number
}

export const roomForUpload = (): Room => ({ bytes: 128 * 1024 * 1024 })

class CannotUnpack extends Error {}

/** The patches that decompress an event; undefined when a part of it cannot be decompressed. */
export function unpacking(bytes: Buffer, event: SentEvent, room: Room): readonly Patch[] | undefined {
  if (event.packing === undefined) return []
  try {
    const patches = packedParts(bytes, event).map((part) => unpacked(bytes, part, room))
    return [...patches, withoutPacking(event)].sort((one, other) => one.at - other.at)
  } catch {
    return undefined
  }
}

function packedParts(bytes: Buffer, { type, packing, data, dataMembers }: SentEvent): readonly Member[] {
  if (packing !== PACKED_VERSION || !data) throw new CannotUnpack()
  if (type === TYPE.full) return [data]
  const fields = PACKED_FIELDS[numberOf(bytes, dataMembers ?? [], 'source') ?? -1]
  if (type !== TYPE.incremental || !dataMembers || !fields) throw new CannotUnpack()
  return dataMembers.filter(({ name, at }) => fields.has(name) && startsString(bytes, at))
}

const unpacked = (bytes: Buffer, { at, end }: Member, room: Room): Patch => ({
  at,
  end,
  put: unpackedText(bytes, at, end, room),
})

const NOTHING = Buffer.alloc(0)
const START = Buffer.from('{')

/** Removes `cv` and its comma. An event always has other members. */
function withoutPacking({ at, members }: SentEvent): Patch {
  const place = members.findIndex(({ name }) => name === 'cv')
  if (members.some(({ name }, i) => name === 'cv' && i !== place)) throw new CannotUnpack()
  const { end } = members[place] as Member
  const before = members[place - 1]
  if (before) return { at: before.end, end, put: NOTHING }
  return { at, end: (members[place + 1] as Member).keyAt, put: START }
}

/** Most fields of most mutations are empty lists, and these are compressed to the same bytes every time. */
const SHORT = 160
const MOST_KNOWN = 1_000
const known = new Map<string, Buffer>()

/** The JSON text inside. */
function unpackedText(bytes: Buffer, at: number, end: number, room: Room): Buffer {
  if (end - at > SHORT) return unpackLong(bytes, at, end, room)
  const sent = bytes.toString('latin1', at, end)
  const seen = known.get(sent)
  if (seen !== undefined) return seen
  const text = unpackLong(bytes, at, end, room)
  if (known.size < MOST_KNOWN && text.length <= SHORT) known.set(sent, Buffer.from(text))
  return text
}

function unpackLong(bytes: Buffer, at: number, end: number, room: Room): Buffer {
  const packed = bytesOfString(bytes, at, end)
  if (!packed) throw new CannotUnpack()
  // Gzip ends with the length of the text (as claimed): with a buffer of that size short fields are decompressed much
  // faster.
  const claimed = packed.length < 4 ? 0 : packed.readUInt32LE(packed.length - 4)
  const chunkSize = Math.min(Math.max(claimed + 1, SMALLEST_ROOM), LARGEST_ROOM)
  const text = gunzipSync(packed, { chunkSize, maxOutputLength: Math.max(Math.min(LARGEST_FIELD, room.bytes), 1) })
  room.bytes -= text.length
  if (!isUtf8(text)) return Buffer.from(stringifyJson(parseJson(text.toString('utf8'))))
  if (afterBlanks(text, endOfValue(text, 0)) !== text.length) throw new CannotUnpack()
  return text
}
