import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type CaptureServer, KEY, startCaptureServer } from '../../../test/support/capture-server.ts'
import { LogUnavailable } from '../../log/index.ts'
import { UNDERSTANDS_ZSTD } from '../stages/decode.ts'

let server: CaptureServer
beforeAll(async () => {
  server = await startCaptureServer()
})
afterAll(() => server.stop())
beforeEach(() => {
  server.log.clear()
  server.log.failure = null
})

const PATH = '/i/v1/analytics/events'
const REQUEST_ID = '0188c2b6-7d5a-7000-8000-0123456789ab'
const SENT_AT = '2024-05-01T12:00:00.000Z'
const HEADERS = {
  authorization: `Bearer ${KEY}`,
  'content-type': 'application/json',
  'user-agent': 'posthog-node/5.67.0',
  'posthog-sdk-info': 'posthog-node/5.67.0',
  'posthog-attempt': '1',
  'posthog-request-id': REQUEST_ID,
  'posthog-request-timestamp': SENT_AT,
}
const event = (more: Record<string, unknown> = {}) => ({
  event: 'a',
  uuid: randomUUID(),
  distinct_id: 'u',
  timestamp: '2024-05-01T11:59:59Z',
  ...more,
})
const batch = (...events: unknown[]) => ({ created_at: SENT_AT, batch: events })
const results = async (answer: Response) =>
  ((await answer.json()) as { results: Record<string, { result: string; details?: string }> }).results

test('an event with options and a session is stored with them as properties', async () => {
  const sent = event({
    session_id: 's',
    window_id: 'w',
    properties: { n: 1 },
    options: { process_person_profile: 'false', disable_skew_correction: true, product_tour_id: 5 },
  })
  const answer = await server.post(PATH, gzipSync(JSON.stringify(batch(sent))), {
    ...HEADERS,
    'content-encoding': 'gzip',
  })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('posthog-request-id')).toBe(REQUEST_ID)
  expect(await results(answer)).toEqual({ [sent.uuid]: { result: 'ok' } })
  expect(server.log.requests).toMatchObject([{ sentAt: SENT_AT, historical: false }])
  expect(server.log.events).toMatchObject([
    {
      uuid: sent.uuid,
      clientUuid: true,
      distinctId: 'u',
      timestamp: sent.timestamp,
      properties: {
        n: 1,
        $session_id: 's',
        $window_id: 'w',
        $process_person_profile: false,
        $ignore_sent_at: true,
        $product_tour_id: 5,
        $lib: 'posthog-node',
        $lib_version: '5.67.0',
      },
    },
  ])
})

test('each event gets its verdict; the dropped ones leave a warning', async () => {
  const dropped: [ReturnType<typeof event>, string][] = [
    [event({ event: '' }), 'missing_event_name'],
    [event({ event: 'ü'.repeat(101) }), 'event_name_too_long'],
    [event({ distinct_id: ' ' }), 'missing_distinct_id'],
    [event({ distinct_id: 'x'.repeat(201) }), 'distinct_id_too_large'],
    [event({ timestamp: 'yesterday' }), 'invalid_event_timestamp'],
    [event({ timestamp: undefined }), 'invalid_event_timestamp'],
    [event({ properties: [] }), 'malformed_event_properties'],
    [event({ options: { process_person_profile: 'maybe' } }), 'invalid_options'],
  ]
  const good = event({ distinct_id: ' padded ' })
  const placeholder = event({ distinct_id: 'Anonymous' })
  const answer = await server.post(PATH, batch(good, placeholder, ...dropped.map(([sent]) => sent)), HEADERS)
  expect(await results(answer)).toEqual({
    [good.uuid]: { result: 'ok' },
    [placeholder.uuid]: { result: 'warning', details: 'person_processing_disabled' },
    ...Object.fromEntries(dropped.map(([sent, details]) => [sent.uuid, { result: 'drop', details }])),
  })
  expect(server.log.events.map(({ distinctId }) => distinctId).sort()).toEqual(['Anonymous', 'padded'])
  expect(server.log.warnings.map(({ type, details }) => [type, details.reason])).toEqual(
    dropped.map(([, details]) => ['event_refused', details]),
  )
})

test('an event that is too large to be stored is told so, the others are stored', async () => {
  const large = event({ uuid: crypto.randomUUID().toUpperCase(), properties: { text: 'x'.repeat(1_100_000) } })
  const good = event()
  expect(await results(await server.post(PATH, batch(large, good), HEADERS))).toEqual({
    [large.uuid]: { result: 'drop', details: 'event_too_large' },
    [good.uuid]: { result: 'ok' },
  })
  expect(server.log.events.map(({ uuid }) => uuid)).toEqual([good.uuid])
  expect(await results(await server.post(PATH, batch(large), HEADERS))).toEqual({
    [large.uuid]: { result: 'drop', details: 'event_too_large' },
  })
})

test('a large batch is taken in by a worker thread, with all verdicts', async () => {
  const events = Array.from({ length: 2000 }, (_, n) => event({ properties: { n, text: 'x'.repeat(200) } }))
  const answer = await server.post(PATH, batch(...events), HEADERS)
  expect(Object.keys(await results(answer))).toHaveLength(2000)
  expect(server.log.events).toHaveLength(2000)
})

describe('what is wrong with the whole request', () => {
  const twice = event()
  const bodies: [string, unknown][] = [
    ['no JSON', '{'],
    ['an empty body', ''],
    ['an empty batch', batch()],
    ['no created_at', { batch: [event()] }],
    ['an event without a uuid', batch(event({ uuid: undefined }))],
    ['an event with a bad uuid', batch(event({ uuid: 'x' }))],
    ['an item that is no event', batch(5)],
    ['a uuid twice', batch(twice, twice)],
  ]
  for (const [name, body] of bodies)
    test(`${name}: 400`, async () => {
      const answer = await server.post(PATH, body, HEADERS)
      expect(answer.status).toBe(400)
      expect(Object.keys((await answer.json()) as object).sort()).toEqual(['error', 'error_description', 'error_uri'])
      expect(server.log.entries).toEqual([])
    })

  const headers: [string, Record<string, string>, number][] = [
    ['no authorization', { authorization: '' }, 401],
    ['an unknown key', { authorization: 'Bearer phc_nobody' }, 401],
    ['another scheme', { authorization: 'Basic x' }, 400],
    ['another content type', { 'content-type': 'text/plain' }, 415],
    ['an unknown encoding', { 'content-encoding': 'snappy' }, 415],
    ['zstd, where Node can unpack it', { 'content-encoding': 'zstd' }, UNDERSTANDS_ZSTD ? 200 : 415],
    ['no request id', { 'posthog-request-id': '' }, 400],
    ['a bad attempt', { 'posthog-attempt': '0' }, 400],
    ['a bad time', { 'posthog-request-timestamp': 'now' }, 400],
  ]
  for (const [name, changed, status] of headers)
    test(`${name}: ${status}`, async () => {
      const sent = Object.fromEntries(Object.entries({ ...HEADERS, ...changed }).filter(([, value]) => value !== ''))
      expect((await server.post(PATH, batch(event()), sent)).status).toBe(status)
    })

  test('a full log: 503 with Retry-After', async () => {
    server.log.failure = new LogUnavailable('full')
    const answer = await server.post(PATH, batch(event()), HEADERS)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
  })

  test('GET: 405', async () => expect((await fetch(server.url + PATH)).status).toBe(405))
})
