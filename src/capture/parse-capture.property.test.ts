import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import LZString from 'lz-string'
import { expect, test } from 'vitest'
import { decodeCaptured } from '../events/index.ts'
import type { Json, JsonObject } from '../lib/json.ts'
import { openCapture, parseCapture, type RequestMeta } from './parse-capture.ts'

/** Any list of events, in any shape, in any wrapping, is stored as the same events. */
const KEY = 'phc_k'

interface Wrapped {
  readonly body: Buffer
  readonly query?: string
  readonly contentEncoding?: string
}

const base64 = (text: string) => Buffer.from(text).toString('base64')

const WRAPPINGS: Record<string, (text: string) => Wrapped> = {
  plain: (text) => ({ body: Buffer.from(text) }),
  'gzip, unnamed': (text) => ({ body: gzipSync(text) }),
  'gzip, header': (text) => ({ body: gzipSync(text), contentEncoding: 'gzip' }),
  'gzip, query': (text) => ({ body: gzipSync(text), query: 'compression=gzip-js&ip=1&ver=1.0' }),
  base64: (text) => ({ body: Buffer.from(base64(text)), query: 'compression=base64' }),
  'form with base64': (text) => ({ body: Buffer.from(`data=${encodeURIComponent(base64(text))}`) }),
  'form with JSON': (text) => ({ body: Buffer.from(`data=${encodeURIComponent(text)}`) }),
  'form with gzip': (text) => ({
    body: Buffer.from(`data=${encodeURIComponent(gzipSync(text).toString('base64'))}&compression=gzip-js`),
  }),
  'form with lz64': (text) => ({
    body: Buffer.from(`data=${encodeURIComponent(LZString.compressToBase64(text))}&compression=lz64`),
  }),
  lz64: (text) => ({ body: Buffer.from(LZString.compressToBase64(text)), query: 'compression=lz64' }),
  'query with base64': (text) => ({ body: Buffer.alloc(0), query: `data=${encodeURIComponent(base64(text))}` }),
  'query with JSON': (text) => ({ body: Buffer.alloc(0), query: `data=${encodeURIComponent(text)}` }),
}

const SHAPES: Record<string, (events: JsonObject[]) => Json[]> = {
  array: (events) => [events.map((event) => ({ ...event, api_key: KEY }))],
  'array, key in the properties of one': (events) => [
    events.map((event, i) =>
      i === 0 ? { ...event, properties: { ...(event.properties as JsonObject), token: KEY } } : event,
    ),
  ],
  batch: (events) => [{ api_key: KEY, batch: events, sent_at: '2024-01-01T00:00:00Z' }],
  'batch by token': (events) => [{ token: KEY, batch: events }],
  singles: (events) => events.map((event) => ({ ...event, $token: KEY })),
}

const text = fc.string({ unit: 'grapheme' })
const json = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>
const event = fc.record(
  {
    event: fc.oneof(text, fc.constantFrom('$pageview', '$identify')).map((name) => `e${name}`),
    distinct_id: text.map((id) => `u${id}`),
    uuid: fc.uuid(),
    timestamp: fc.oneof(text, json),
    offset: fc.integer(),
    properties: fc.dictionary(text, json),
  },
  { requiredKeys: ['event', 'distinct_id', 'uuid', 'properties'] },
) as fc.Arbitrary<JsonObject>

function store(wrapped: Wrapped): unknown[] {
  const meta: RequestMeta = {
    query: '',
    contentEncoding: undefined,
    ...wrapped,
    userAgent: undefined,
    ip: null,
    receivedAt: Date.now(),
    livePartitions: 2,
    engage: false,
  }
  const shaped = openCapture(wrapped.body, meta, 10_000_000)
  expect(shaped.key).toBe(KEY)
  const { entries } = parseCapture(meta, shaped, { id: 1, anonymizeIps: false })
  return entries.flatMap(({ payload }) => decodeCaptured(Buffer.from(payload)).events)
}

/** What must be stored, by the uuid: partitions reorder different distinct ids. */
const expected = (events: JsonObject[]) => {
  const back = JSON.parse(JSON.stringify(events)) as JsonObject[]
  return back.map(({ event, distinct_id, uuid, timestamp, offset, properties }) => ({
    uuid,
    clientUuid: true,
    event: [...(event as string)].slice(0, 200).join(''),
    distinctId: [...(distinct_id as string)].slice(0, 200).join(''),
    timestamp: timestamp ?? null,
    offset: offset ?? null,
    properties,
  }))
}

const byUuid = (list: unknown[]) =>
  (list as { uuid: string; properties: JsonObject }[])
    .map((each) => ({ ...each, properties: { ...each.properties } }))
    .sort((a, b) => (a.uuid < b.uuid ? -1 : 1))

const withoutKey = (list: unknown[]) =>
  byUuid(list).map(({ properties: { token: _, ...properties }, ...rest }) => ({ ...rest, properties }))

for (const [wrapping, wrap] of Object.entries(WRAPPINGS))
  for (const [shaping, shape] of Object.entries(SHAPES))
    test(`${shaping} as ${wrapping}`, () => {
      fc.assert(
        fc.property(fc.array(event, { minLength: 1, maxLength: 4 }), (events) => {
          const stored = shape(events).flatMap((body) => store(wrap(JSON.stringify(body))))
          expect(withoutKey(stored)).toEqual(withoutKey(expected(events)))
        }),
        { numRuns: 20 },
      )
    })
