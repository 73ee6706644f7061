import { isUtf8 } from 'node:buffer'
import { gunzipSync } from 'node:zlib'
import { parseJson, stringifyJson } from '../../lib/json.ts'
import { afterBlanks, endOfValue, startsObject, startsString } from '../../lib/json-spans.ts'
import { bytesOfString } from './byte-string.ts'
import { SOURCE, TYPE } from './rrweb.ts'
import { asLine, numbersIn, type SentEvent, withMembers } from './sent-event.ts'

/**
 * Browsers send the bulky parts of rrweb events packed (`cv: "2024-10"`): JSON, gzipped, each byte a character. Unpacked, they compress far
 * better together, and a player can use them. What cannot be unpacked stays as it was sent.
 */
const PACKED_VERSION = '"2024-10"'
/** Which fields of incremental events are packed, by the source. */
const PACKED_FIELDS: Readonly<Record<number, ReadonlySet<string>>> = {
  [SOURCE.mutation]: new Set(['texts', 'attributes', 'removes', 'adds']),
  [SOURCE.styleSheetRule]: new Set(['adds', 'removes']),
}
/** What one packed field may unpack to. Pages of real life stay far below. */
const LARGEST_FIELD = 32 * 1024 * 1024
const SMALLEST_ROOM = 256
const LARGEST_ROOM = 1024 * 1024

/** How much one upload may still unpack to. */
export interface Room {
  bytes: number
}

export const roomForUpload = (): Room => ({ bytes: 128 * 1024 * 1024 })

class CannotUnpack extends Error {}

/** The event as a line of JSON, and whether something in it could not be unpacked. */
export function unpackEvent(
  bytes: Buffer,
  event: SentEvent,
  room: Room,
): { readonly line: Buffer; readonly unreadable: boolean } {
  const asSent = () => asLine(bytes.subarray(event.at, event.end))
  if (event.packing === undefined) return { line: asSent(), unreadable: false }
  try {
    return { line: asLine(unpacked(bytes, event, room)), unreadable: false }
  } catch {
    return { line: asSent(), unreadable: true }
  }
}

function unpacked(bytes: Buffer, event: SentEvent, room: Room): Buffer {
  if (event.packing !== PACKED_VERSION || event.dataAt < 0) throw new CannotUnpack()
  const data =
    event.type === TYPE.full ? unpackedText(bytes, event.dataAt, event.dataEnd, room) : change(bytes, event, room)
  return withMembers(bytes, event.at, (name) => (name === 'cv' ? 'drop' : name === 'data' ? data : 'keep'))
}

function change(bytes: Buffer, { type, dataAt }: SentEvent, room: Room): Buffer {
  if (type !== TYPE.incremental || !startsObject(bytes, dataAt)) throw new CannotUnpack()
  const fields = PACKED_FIELDS[Number(numbersIn(bytes, dataAt).source)]
  if (!fields) throw new CannotUnpack()
  return withMembers(bytes, dataAt, (name, from, to) =>
    fields.has(name) && startsString(bytes, from) ? unpackedText(bytes, from, to, room) : 'keep',
  )
}

/** Most mutations have nothing to say in most of their fields, and "nothing" is packed the same way every time. */
const SHORT = 160
const MOST_KNOWN = 1_000
const known = new Map<string, Buffer>()

/** The JSON text inside, as one line. */
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
  // Gzip ends with how long the text is (or claims to be): room for it at once spares the common, short field most of the work.
  const claimed = packed.length < 4 ? 0 : packed.readUInt32LE(packed.length - 4)
  const chunkSize = Math.min(Math.max(claimed + 1, SMALLEST_ROOM), LARGEST_ROOM)
  const text = gunzipSync(packed, { chunkSize, maxOutputLength: Math.max(Math.min(LARGEST_FIELD, room.bytes), 1) })
  room.bytes -= text.length
  if (!isUtf8(text)) return Buffer.from(stringifyJson(parseJson(text.toString('utf8'))))
  if (afterBlanks(text, endOfValue(text, 0)) !== text.length) throw new CannotUnpack()
  return text
}
