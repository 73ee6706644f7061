import { gunzipSync } from 'node:zlib'
import { isObject, type Json, type JsonObject, parseJson, stringifyJson } from '../../lib/json.ts'

/**
 * Browsers send the bulky parts of rrweb events packed (`cv: "2024-10"`): JSON, gzipped, each byte a character. Unpacked, they compress far
 * better together, and a player can use them. What cannot be unpacked stays as it was sent.
 */
const PACKED_VERSION = '2024-10'
const FULL_SNAPSHOT = 2
const INCREMENTAL = 3
/** Sources of incremental events with packed fields: mutations and stylesheet rules. */
const PACKED_FIELDS: Readonly<Record<number, readonly string[]>> = {
  0: ['texts', 'attributes', 'removes', 'adds'],
  8: ['adds', 'removes'],
}
/** What one packed field may unpack to. Pages of real life stay far below. */
const LARGEST_FIELD = 32 * 1024 * 1024
const SMALLEST_ROOM = 256
const LARGEST_ROOM = 1024 * 1024

/** The event as a line of JSON, and whether something in it could not be unpacked. */
export function unpackEvent(event: JsonObject): { readonly line: string; readonly unreadable: boolean } {
  if (event.cv === undefined) return { line: stringifyJson(event), unreadable: false }
  try {
    const line = event.cv === PACKED_VERSION ? unpacked(event) : undefined
    return line === undefined ? { line: stringifyJson(event), unreadable: true } : { line, unreadable: false }
  } catch {
    return { line: stringifyJson(event), unreadable: true }
  }
}

function unpacked({ cv: _, ...event }: JsonObject): string | undefined {
  const { type, data } = event
  if (type === FULL_SNAPSHOT && typeof data === 'string') return objectText(event, { data: unpackText(data) })
  if (type !== INCREMENTAL || !isObject(data)) return undefined
  const fields = PACKED_FIELDS[Number(data.source)]
  if (!fields) return undefined
  const texts: Record<string, string> = {}
  for (const field of fields) {
    const packed = data[field]
    if (typeof packed === 'string') texts[field] = unpackText(packed)
  }
  return objectText(event, { data: objectText(data, texts) })
}

/** Most mutations have nothing to say in most of their fields, and "nothing" is packed the same way every time. */
const SHORT = 64
const MOST_KNOWN = 1_000
const known = new Map<string, string>()

/** The JSON text inside, as one line. */
function unpackText(packed: string): string {
  if (packed.length > SHORT) return unpackLong(packed)
  const seen = known.get(packed)
  if (seen !== undefined) return seen
  const text = unpackLong(packed)
  if (known.size < MOST_KNOWN) known.set(packed, text)
  return text
}

function unpackLong(packed: string): string {
  const bytes = Buffer.from(packed, 'latin1')
  // Gzip ends with how long the text is (or claims to be): room for it at once spares the common, short field most of the work.
  const claimed = bytes.length < 4 ? 0 : bytes.readUInt32LE(bytes.length - 4)
  const chunkSize = Math.min(Math.max(claimed + 1, SMALLEST_ROOM), LARGEST_ROOM)
  const text = gunzipSync(bytes, { chunkSize, maxOutputLength: LARGEST_FIELD }).toString('utf8')
  if (text.includes('\n') || text.includes('\r')) return stringifyJson(parseJson(text))
  JSON.parse(text)
  return text
}

/** An object as JSON, some of whose values are JSON text already. */
function objectText(object: JsonObject, texts: Readonly<Record<string, string>>): string {
  const fields = Object.entries(object).map(
    ([key, value]: [string, Json]) => `${JSON.stringify(key)}:${texts[key] ?? stringifyJson(value)}`,
  )
  return `{${fields.join(',')}}`
}
