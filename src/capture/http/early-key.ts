import { constants, gunzipSync } from 'node:zlib'
import type { Body } from './read-body.ts'

const PEEKED_BYTES = 512
const TEXT = String.raw`"(?:[^"\\]|\\.)*"`
const PLAIN_VALUE = String.raw`(?:${TEXT}|-?\d[\d.eE+-]*|true|false|null)`
/** A key among the first members of the request, before any nested value. */
const KEY = new RegExp(
  String.raw`^\s*\{\s*(?:${TEXT}\s*:\s*${PLAIN_VALUE}\s*,\s*)*?"(?:api_key|token|\$token)"\s*:\s*"([\x21\x23-\x5b\x5d-\x7e]+)"`,
)

/**
 * The project key of a large body, if it is in the first bytes. A request with an unknown key is then refused before
 * its body is decompressed or parsed, and one with a known key waits in the queue of its project. Null when the key
 * comes later, as with some SDKs.
 */
export function earlyKey({ blocks }: Body): string | null {
  const start = blocks[0]?.subarray(0, PEEKED_BYTES)
  if (!start) return null
  const text = start[0] === 0x1f && start[1] === 0x8b ? unpacked(start) : start.toString('latin1')
  return KEY.exec(text.slice(0, 4 * PEEKED_BYTES))?.[1] ?? null
}

function unpacked(start: Buffer): string {
  try {
    return gunzipSync(start, { finishFlush: constants.Z_SYNC_FLUSH }).toString('latin1')
  } catch {
    return ''
  }
}
