import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import LZString from 'lz-string'
import { describe, expect, test } from 'vitest'
import { DecodedTooLarge, decode, UNDERSTANDS_ZSTD } from './decode.ts'

const JSON_TEXT = '{"event":"größe + 😀","distinct_id":"u","properties":{"a":"1&2=3%"}}'
const PLENTY = 1_000_000

const run = (body: string | Buffer, query = '', contentEncoding?: string, limit = PLENTY) =>
  decode({ body: Buffer.from(body), query: new URLSearchParams(query), contentEncoding }, limit)

const base64 = Buffer.from(JSON_TEXT).toString('base64')
const gzipped = gzipSync(JSON_TEXT)

describe('whatever the wrapping, the text comes out', () => {
  const wrapped: [string, string | Buffer, string?, string?][] = [
    ['plain', JSON_TEXT],
    ['plain with blanks before it', ` \n\t${JSON_TEXT}`],
    ['plain with a byte order mark', `\uFEFF${JSON_TEXT}`],
    ['gzip found by its magic bytes alone', gzipped],
    ['gzip named by the header', gzipped, '', 'gzip'],
    ['gzip named by the query', gzipped, 'compression=gzip-js'],
    ['gzip said, but a proxy unpacked it', JSON_TEXT, 'compression=gzip-js', 'gzip'],
    ['an unknown compression is ignored', JSON_TEXT, 'compression=snappy'],
    ['base64 without a word about it', base64],
    ['base64 named', base64, 'compression=base64'],
    ['base64 for URLs, without padding', Buffer.from(JSON_TEXT).toString('base64url')],
    ['base64 whose pluses became spaces', base64.replaceAll('+', ' ')],
    ['gzip inside base64', gzipped.toString('base64'), 'compression=gzip-js'],
    ['a form with base64', `data=${encodeURIComponent(base64)}`],
    ['a form with base64, pluses not escaped', `data=${base64}`],
    [
      'a form with base64 and other fields',
      `ip=1&_=1794702139712&ver=1.20.0&data=${encodeURIComponent(base64)}&compression=base64`,
    ],
    ['a form with JSON', `data=${encodeURIComponent(JSON_TEXT)}`],
    ['a form with lz64', `data=${encodeURIComponent(LZString.compressToBase64(JSON_TEXT))}&compression=lz64`],
    ['lz64 named by the query', LZString.compressToBase64(JSON_TEXT), 'compression=lz64'],
    ['a form with gzip in base64', `data=${encodeURIComponent(gzipped.toString('base64'))}&compression=gzip-js`],
    ['deflate', deflateSync(JSON_TEXT), '', 'deflate'],
    ['brotli', brotliCompressSync(JSON_TEXT), '', 'br'],
    ['the query, base64', '', `data=${encodeURIComponent(base64)}`],
    ['the query, JSON', '', `data=${encodeURIComponent(JSON_TEXT)}`],
    ['the query before the body', 'ignored', `data=${encodeURIComponent(JSON_TEXT)}`],
  ]
  for (const [name, body, query, encoding] of wrapped)
    test(name, () => expect(run(body, query, encoding).trim()).toBe(JSON_TEXT))
})

describe('what cannot be decoded is refused with a reason', () => {
  const refused: [string, string | Buffer, string, string?][] = [
    ['nothing', '', 'empty_body'],
    ['an empty form field', 'data=', 'empty_body'],
    ['gzip magic, then rubbish', Buffer.from([0x1f, 0x8b, 8, 1, 2, 3]), 'invalid_encoding'],
    ['cut off gzip', gzipped.subarray(0, 30), 'invalid_encoding'],
    ['said to be gzip and is not', Buffer.from([1, 2, 3]), 'invalid_encoding', 'compression=gzip'],
    ['no UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), 'invalid_encoding'],
    ['bad percent-encoding', 'data=%zz', 'invalid_encoding'],
    ['a form without data', 'ip=1&_=1', 'invalid_encoding'],
    ['lz64 that is none', '####', 'invalid_encoding', 'compression=lz64'],
    [
      'gzip six times over',
      [1, 2, 3, 4, 5, 6].reduce((inner) => gzipSync(inner), Buffer.from('{}')),
      'invalid_encoding',
    ],
  ]
  for (const [name, body, code, query] of refused)
    test(name, () => expect(() => run(body, query)).toThrow(expect.objectContaining({ code })))
})

test('unpacking stops at the limit', () => {
  const bomb = gzipSync(Buffer.alloc(5_000_000, ' '))
  expect(bomb.length).toBeLessThan(10_000)
  expect(() => run(bomb)).toThrow(DecodedTooLarge)

  expect(() => run(LZString.compressToBase64('a'.repeat(100_000)), 'compression=lz64', undefined, 50_000)).toThrow(
    DecodedTooLarge,
  )
  expect(() => run(JSON_TEXT, '', undefined, 10)).toThrow(DecodedTooLarge)
})

test('zstd is unpacked where Node can, and refused by name where not', () => {
  const empty = Buffer.from('28b52ffd2000010000', 'hex')
  expect(() => run(empty, '', 'zstd')).toThrow(UNDERSTANDS_ZSTD ? /no body/ : /zstd.*gzip/)
})

test('one layer of compression only, whichever it is', () => {
  for (const [body, query, encoding] of [
    [gzipSync(gzipped)],
    [gzipSync(gzipped.toString('base64'))],
    [deflateSync(gzipped), '', 'deflate'],
    [gzipSync(LZString.compressToBase64(JSON_TEXT)), 'compression=lz64'],
    [`data=${encodeURIComponent(gzipSync(gzipped).toString('base64'))}`],
  ] as [string | Buffer, string?, string?][])
    expect(() => run(body, query, encoding)).toThrow('compressed twice')
})
