import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeRecording, openRecording } from '../../events/index.ts'
import type { Json } from '../../lib/json.ts'
import { openCapture, parseCapture } from '../parse-capture.ts'
import { cutSnapshots } from './cut-snapshots.ts'

const PROJECT = { id: 3, anonymizeIps: false, recordingsLimited: false }

/** The records of an upload, or why it was refused: looked through, or read like any other request. */
function taken(text: string | Buffer, upload: boolean) {
  const incoming = {
    body: Buffer.from(text as string),
    query: '',
    contentEncoding: undefined,
    userAgent: 'posthog-ios/3',
    ip: null,
    receivedAt: 1_794_702_139_712,
    livePartitions: 2,
    engage: false,
    upload,
  }
  try {
    const { entries, events, warnings } = parseCapture(
      incoming,
      openCapture(incoming.body, incoming, 10_000_000),
      PROJECT,
    )
    const records = entries.map(({ partition, payload }) => ({
      partition,
      // The rest of a record is compared value by value, because blanks and the way characters are written may differ.
      record: decodeRecording(Buffer.from(payload)),
    }))
    return { records, events, warnings }
  } catch (error) {
    return { refused: (error as { code?: string }).code ?? String(error) }
  }
}

const item = (data: Json, more: Record<string, Json> = {}) => ({
  event: '$snapshot',
  properties: { distinct_id: 'u', token: 'phc_x', $session_id: 's', $window_id: 'w', $snapshot_data: data, ...more },
})

test('an upload that is looked through becomes the same records as one that is read', () => {
  const event = fc.record(
    { type: fc.nat(6), timestamp: fc.nat(), data: fc.jsonValue({ stringUnit: 'binary' }) },
    { requiredKeys: [] },
  )
  const data = fc.oneof(fc.array(event, { maxLength: 5 }), event, fc.jsonValue())
  const session = fc.constantFrom('s', 't', '', 5, null)
  const one = fc
    .tuple(data, session, fc.constantFrom('$snapshot', '$snapshot', '$pageview', null))
    .map(([sent, $session_id, name]) => ({ ...item(sent as Json, { $session_id }), event: name }))
  const shaped = fc
    .tuple(fc.array(one, { minLength: 1, maxLength: 4 }), fc.constantFrom('array', 'batch', 'single'))
    .map(([items, shape]) =>
      shape === 'array' ? items : shape === 'batch' ? { api_key: 'phc_x', batch: items } : items[0],
    )
  fc.assert(
    fc.property(shaped, fc.constantFrom(0, 1, '\r\n\t'), (body, space) => {
      const text = JSON.stringify(body, null, space)
      // Events have random uuids of their own; there is nothing to compare about them but how many there are.
      fc.pre(!text.includes('"$pageview"'))
      expect(taken(text, true)).toEqual(taken(text, false))
    }),
    { numRuns: 300 },
  )
})

test.each([
  [
    'names that stand twice',
    '[{"event":"$snapshot","properties":{"distinct_id":"u","token":"phc_x","$session_id":"s","$snapshot_data":[1],"$snapshot_data":[2]}}]',
  ],
  [
    'properties that stand twice',
    '[{"event":"$snapshot","properties":{"$snapshot_data":[1]},"properties":{"distinct_id":"u","token":"phc_x","$session_id":"s"}}]',
  ],
  [
    'a batch in a batch',
    '{"api_key":"phc_x","batch":[{"event":"$snapshot","batch":[{}],"properties":{"distinct_id":"u","$session_id":"s","$snapshot_data":[{"type":3}]}}]}',
  ],
  [
    'names that are escaped',
    '[{"\\u0065vent":"$snapshot","properties":{"distinct_id":"u","token":"phc_x","$session_id":"s","\\u0024snapshot_data":[{"a":1}]}}]',
  ],
  ['half an upload', '[{"event":"$snapshot","properties":{"$snapshot_data":[{"type":3}'],
  ['two uploads', '[{"event":"$snapshot"}] []'],
  [
    'data that is no JSON',
    '[{"event":"$snapshot","properties":{"distinct_id":"u","token":"phc_x","$session_id":"s","$snapshot_data":[{type:3}]}}]',
  ],
  [
    'data of another event',
    '[{"event":"other","uuid":"018f1e55-aaaa-7000-8000-000000000001","properties":{"distinct_id":"u","token":"phc_x","$snapshot_data":[{"type":3}]}}]',
  ],
  [
    'a byte order mark',
    '\ufeff[{"event":"$snapshot","properties":{"distinct_id":"u","token":"phc_x","$session_id":"s","$snapshot_data":[{"type":3}]}}]',
  ],
  [
    'lone surrogates',
    '[{"event":"$snapshot","properties":{"distinct_id":"u","token":"phc_x","$session_id":"s","$snapshot_data":[{"data":"\\ud83d"}]}}]',
  ],
  [
    'depth',
    `[{"event":"$snapshot","properties":{"distinct_id":"u","token":"phc_x","$session_id":"s","$snapshot_data":[${'['.repeat(100_000)}${']'.repeat(100_000)},{"type":3}]}}]`,
  ],
])('%s come out as always', (_, text) => {
  const read = taken(text, false)
  expect(taken(text, true)).toEqual(read)
})

test('bytes that are no text are refused as always', () => {
  const text = Buffer.from(JSON.stringify([item([{ data: 'x' }])]))
  text[text.indexOf('"x"') + 1] = 0xff
  expect(taken(text, true)).toEqual({ refused: 'invalid_encoding' })
  expect(taken(gzipSync(text), true)).toEqual({ refused: 'invalid_encoding' })
})

test('what was recorded is kept to the letter', () => {
  const data = '[ {"type":3, "n":12345678901234567890, "e":"\\u00e9"},\n {"type":4} ]'
  const text = `[{"event":"$snapshot","properties":{"$snapshot_data":${data},"distinct_id":"u","token":"phc_x","$session_id":"s"}}]`
  expect(cutSnapshots(Buffer.from(text))?.cut.size).toBe(1)
  const incoming = {
    body: Buffer.from(text),
    query: '',
    contentEncoding: undefined,
    userAgent: undefined,
    ip: null,
    receivedAt: 1,
    livePartitions: 2,
    engage: false,
    upload: true,
  }
  const [entry] = parseCapture(incoming, openCapture(incoming.body, incoming, 10_000), PROJECT).entries
  const { payload, itemsAt } = openRecording(Buffer.from(entry?.payload ?? []))
  expect(payload.toString('utf8', itemsAt)).toBe('[{"type":3, "n":12345678901234567890, "e":"\\u00e9"},\n {"type":4}]}')
})
