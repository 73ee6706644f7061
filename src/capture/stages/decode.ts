import { isUtf8 } from 'node:buffer'
import * as zlib from 'node:zlib'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { ApiError } from '../../http/errors.ts'
import { LIMITS } from '../limits.ts'
import { decompressLz64 } from './lz64.ts'

/**
 * Stage 1: the bytes of a request -> JSON text.
 *
 * Clients wrap their JSON in layers (a form field, base64, gzip, lz-string) and label the layers badly: gzip comes as
 * text/plain, proxies decompress bodies and leave the headers, `curl -d` calls everything a form. So the bytes count
 * more than the labels: recognised layers are removed one by one until JSON is left.
 */
export interface Envelope {
  readonly body: Buffer
  readonly query: URLSearchParams
  readonly contentEncoding: string | undefined
}

/** Thrown when decompressing would exceed the limit. */
export class DecodedTooLarge extends Error {
  override name = 'DecodedTooLarge'
}

type Hint = 'gzip' | 'deflate' | 'br' | 'lz64' | 'base64' | null

const MOST_LAYERS = 5

export function decode(envelope: Envelope, maxBytes: number): string {
  const unwrapped = unwrap(envelope, maxBytes)
  return typeof unwrapped === 'string' ? unwrapped : utf8(unwrapped)
}

/** The same without checking UTF-8: bytes, or text where decompression gives text. */
export function unwrap(envelope: Envelope, maxBytes: number): Buffer | string {
  const fromQuery = envelope.query.get('data')
  let bytes = fromQuery ? Buffer.from(fromQuery) : envelope.body
  if (bytes.length === 0) throw new ApiError('empty_body')
  let hint = hintOf(envelope.query.get('compression')) ?? hintOf(envelope.contentEncoding)

  let unpacked = false
  const unpack = (decompress: typeof gunzipSync, name: string): Buffer => {
    if (unpacked) throw new ApiError('invalid_encoding', 'The body is compressed twice: compress it once.')
    unpacked = true
    return inflate(decompress, name, bytes, maxBytes)
  }
  for (let layer = 0; layer < MOST_LAYERS; layer++) {
    if (bytes.length > maxBytes) throw new DecodedTooLarge()
    if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
      bytes = unpack(gunzipSync, 'gzip')
      continue
    }
    if (bytes.length > 4 && bytes.readUInt32LE(0) === ZSTD_MAGIC) {
      bytes = unpack(zstd(), 'zstd')
      continue
    }
    const start = firstVisible(bytes)
    if (start === bytes.length) throw new ApiError('empty_body')
    if (bytes[start] === OPEN_BRACE || bytes[start] === OPEN_BRACKET || isScalar(bytes)) return bytes
    const form = readForm(bytes)
    if (form) {
      bytes = form.data
      hint = hintOf(form.compression) ?? hint
    } else if (hint === 'lz64') {
      if (unpacked) throw new ApiError('invalid_encoding', 'The body is compressed twice: compress it once.')
      return lz64(bytes, maxBytes)
    } else if (looksLikeBase64(bytes)) {
      // Spaces are pluses that went through a form decoder once too often.
      bytes = Buffer.from(swapped(bytes, SPACE, PLUS).toString('latin1'), 'base64')
      if (hint === 'base64') hint = null
    } else if (hint === 'deflate') {
      bytes = unpack(inflateSync, 'deflate')
      hint = null
    } else if (hint === 'br') {
      bytes = unpack(brotliDecompressSync, 'brotli')
      hint = null
    } else if (hint === 'gzip') {
      throw new ApiError('invalid_encoding', 'The body is said to be gzip, but it is neither gzip nor JSON.')
    } else {
      return bytes
    }
    if (bytes.length === 0) throw new ApiError('empty_body')
  }
  throw new ApiError('invalid_encoding', 'The body is wrapped in too many layers of encoding.')
}

function hintOf(name: string | null | undefined): Hint {
  switch (name?.trim().toLowerCase()) {
    case 'gzip':
    case 'gzip-js':
    case 'x-gzip':
      return 'gzip'
    case 'deflate':
      return 'deflate'
    case 'br':
      return 'br'
    case 'lz64':
    case 'lz-string':
      return 'lz64'
    case 'base64':
    case 'b64':
      return 'base64'
    default:
      return null
  }
}

/** Bounds the compression ratio: a body that decompresses to far more than usual is made to be costly. */
const mostUnpacked = (bytes: number): number => Math.max(LIMITS.unpackedFreely, LIMITS.unpackedTimes * bytes)

function inflate(decompress: typeof gunzipSync, name: string, bytes: Buffer, maxBytes: number): Buffer {
  const most = mostUnpacked(bytes.length)
  try {
    return decompress(bytes, { maxOutputLength: Math.min(most, maxBytes) })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw maxBytes <= most ? new DecodedTooLarge() : unpacksToTooMuch()
    throw new ApiError('invalid_encoding', `The body is not valid ${name}: ${(error as Error).message}.`)
  }
}

const unpacksToTooMuch = () =>
  new ApiError(
    'body_too_large',
    `The body unpacks to more than ${LIMITS.unpackedTimes} times its size: send it in several requests.`,
  )

const ZSTD_MAGIC = 0xfd2fb528
/** Available since Node 22.15. */
const zstdDecompress = (zlib as { zstdDecompressSync?: typeof gunzipSync }).zstdDecompressSync
export const UNDERSTANDS_ZSTD = zstdDecompress !== undefined

function zstd(): typeof gunzipSync {
  if (!zstdDecompress)
    throw new ApiError('invalid_encoding', 'The body is zstd, which this server cannot unpack: send gzip instead.')
  return zstdDecompress
}

function lz64(bytes: Buffer, maxBytes: number): string {
  const most = mostUnpacked(bytes.length)
  const text = decompressLz64(swapped(bytes, SPACE, PLUS).toString('latin1'), Math.min(most, maxBytes))
  if (text === 'too large') throw maxBytes <= most ? new DecodedTooLarge() : unpacksToTooMuch()
  if (text === null) throw new ApiError('invalid_encoding', 'The body is not valid lz-string base64.')
  return text.text
}

function utf8(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new ApiError('invalid_encoding', 'The body is not valid UTF-8.')
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return bytes.toString('utf8', hasMark ? 3 : 0)
}

const SPACE = 0x20
const PLUS = 0x2b
const OPEN_BRACKET = 0x5b
const OPEN_BRACE = 0x7b

/** Where the text begins, after a byte order mark and blanks. */
function firstVisible(bytes: Buffer): number {
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  while (at < bytes.length && isBlank(bytes[at] as number)) at++
  return at
}

const isBlank = (byte: number): boolean => byte === SPACE || (byte >= 0x09 && byte <= 0x0d)

/** A copy with one byte in place of another. */
function swapped(bytes: Buffer, from: number, to: number): Buffer {
  const copy = Buffer.from(bytes)
  for (let at = 0; at < copy.length; at++) if (copy[at] === from) copy[at] = to
  return copy
}

/** How many bytes are looked at to recognise a form or base64. */
const PROBE = 128
const FORM = /(?:^|&)(?:data|_|ip|ver|compression)=/
const BASE64 = /^[A-Za-z0-9+/_\s-]+={0,2}\s*$/
const AMPERSAND = 0x26
const PERCENT = 0x25

function readForm(bytes: Buffer): { data: Buffer; compression: string | undefined } | null {
  if (!FORM.test(bytes.toString('latin1', 0, PROBE))) return null
  const data = formField(bytes, 'data')
  if (data === undefined) throw new ApiError('invalid_encoding', 'The form has no field named data.', { attr: 'data' })
  return { data: unescapeForm(data), compression: formField(bytes, 'compression')?.toString('latin1') }
}

/** The raw bytes of the first field of that name. Forms can be large, so the other fields are not decoded. */
function formField(bytes: Buffer, name: string): Buffer | undefined {
  const label = Buffer.from(`${name}=`)
  for (let at = bytes.indexOf(label); at >= 0; at = bytes.indexOf(label, at + 1)) {
    if (at > 0 && bytes[at - 1] !== AMPERSAND) continue
    const end = bytes.indexOf(AMPERSAND, at)
    return bytes.subarray(at + label.length, end < 0 ? bytes.length : end)
  }
  return undefined
}

function unescapeForm(raw: Buffer): Buffer {
  const bytes = swapped(raw, PLUS, SPACE)
  if (!bytes.includes(PERCENT)) return bytes
  try {
    return Buffer.from(decodeURIComponent(utf8(bytes)))
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw new ApiError('invalid_encoding', 'The form field data is not valid percent-encoding.', { attr: 'data' })
  }
}

/** JSON scalars would pass for base64; as JSON they get the right error. */
const isScalar = (bytes: Buffer): boolean =>
  bytes.length < PROBE && /^\s*(?:null|true|false|-?\d+(?:\.\d+)?)\s*$/.test(bytes.toString('latin1'))

const looksLikeBase64 = (bytes: Buffer): boolean =>
  BASE64.test(bytes.toString('latin1', 0, PROBE)) &&
  BASE64.test(bytes.toString('latin1', Math.max(0, bytes.length - 4)))
