import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CaptureServer, KEY, startCaptureServer } from '../../test/support/capture-server.ts'

/** Whatever is thrown at it, capture answers something sensible: never a 5xx, never silence, never a crash. */
let server: CaptureServer
beforeAll(async () => {
  server = await startCaptureServer()
})
afterAll(async () => {
  await server.stop()
})

const PATHS = ['/e/', '/i/v0/e/', '/batch/', '/engage/', '/s/', '/flags/?v=2', '/decide/?v=3']
const QUERIES = [
  '',
  'compression=gzip-js',
  'compression=lz64',
  'compression=base64',
  'beacon=1',
  '_=17947021397',
  'data=x',
]
const TYPES = [
  'application/json',
  'text/plain',
  'application/x-www-form-urlencoded',
  ';',
  'multipart/form-data; boundary=x',
]
const ENCODINGS = ['', 'gzip', 'deflate', 'br', 'identity', 'nonsense']

const GOOD = JSON.stringify({
  api_key: KEY,
  batch: [
    {
      event: 'a',
      distinct_id: 'u',
      uuid: '0188c2b6-7d5a-7000-8000-0123456789ab',
      properties: { $set: { a: 1 } },
      timestamp: 'x',
    },
    { event: '$snapshot', properties: { distinct_id: 'u', $session_id: 's', $snapshot_data: [{ type: 2 }] } },
  ],
  sent_at: '2024-01-01T00:00:00Z',
})

const wrap = (text: string) =>
  fc.constantFrom(Buffer.from(text), gzipSync(text), Buffer.from(Buffer.from(text).toString('base64')))

/** Random bytes written over parts of a body. */
const mutated = fc
  .tuple(
    wrap(GOOD).chain((bytes) => fc.constant(bytes)),
    fc.array(fc.tuple(fc.nat(), fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from('{}[]",:0\\'))))),
    fc.option(fc.nat(), { nil: undefined }),
  )
  .map(([bytes, changes, cut]) => {
    const copy = Buffer.from(bytes)
    for (const [at, value] of changes) copy[at % copy.length] = value
    return cut === undefined ? copy : copy.subarray(0, cut % copy.length)
  })

/** Valid JSON in which anything may be anything. */
const anything = fc.jsonValue({ maxDepth: 3 })
const crooked = fc
  .record(
    {
      api_key: fc.oneof(fc.constant(KEY), anything),
      token: anything,
      batch: fc.oneof(anything, fc.array(anything)),
      event: anything,
      distinct_id: anything,
      uuid: anything,
      properties: anything,
      timestamp: anything,
      offset: anything,
      $set: anything,
      $set_once: anything,
      sent_at: anything,
      historical_migration: anything,
    },
    { requiredKeys: ['api_key'] },
  )
  .chain((value) => fc.constantFrom(value, [value], { api_key: KEY, batch: [value, value] }))
  .map((value) => Buffer.from(JSON.stringify(value)))

const body = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.concat([Buffer.from([0x1f, 0x8b, 8]), bytes])),
  mutated,
  crooked,
)

test('random bytes, broken and crooked JSON never get a 5xx', async () => {
  await fc.assert(
    fc.asyncProperty(
      body,
      fc.constantFrom(...PATHS),
      fc.constantFrom(...QUERIES),
      fc.constantFrom(...TYPES),
      fc.constantFrom(...ENCODINGS),
      async (bytes, path, query, type, encoding) => {
        const headers = { 'content-type': type, ...(encoding ? { 'content-encoding': encoding } : {}) }
        const answer = await server.post(`${path}${path.includes('?') ? '&' : '?'}${query}`, bytes, headers)
        const text = await answer.text()
        expect([200, 204, 400, 401]).toContain(answer.status)
        if (answer.status >= 400)
          expect(Object.keys(JSON.parse(text)).sort()).toEqual(['attr', 'code', 'detail', 'type'])
      },
    ),
    { numRuns: 1500 },
  )
})

test('what got a 200 is in the log and can be read', () => {
  expect(server.log.requests.length + server.log.recordings.length).toBe(server.log.entries.length)
  for (const event of server.log.events) {
    expect(event.distinctId.trim()).not.toBe('')
    expect(event.event.trim()).not.toBe('')
  }
})
