import { PostHog as LiteClient } from 'posthog-js-lite'
import { PostHog as NodeClient } from 'posthog-node'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type CaptureServer, KEY, startCaptureServer } from '../support/capture-server.ts'

/** The real SDKs of Node and of light clients, unmodified, against the capture endpoints. */
let server: CaptureServer
beforeAll(async () => {
  server = await startCaptureServer()
})
afterAll(() => server.stop())
beforeEach(() => {
  server.log.clear()
  server.refused.length = 0
  server.appended.length = 0
})

test('posthog-node sends every kind of event', async () => {
  const client = new NodeClient(KEY, { host: server.url, flushAt: 100, flushInterval: 60_000 })
  const errors: unknown[] = []
  client.on('error', (error) => errors.push(error))
  const timestamp = new Date('2024-02-03T04:05:06.789Z')
  client.capture({
    distinctId: 'ada',
    event: 'signed up',
    properties: { plan: 'pro', big: 9007199254740991 },
    timestamp,
  })
  client.capture({ distinctId: 'ada', event: 'grouped', groups: { company: 'acme' } })
  client.capture({ distinctId: 'ada', event: '$pageview', properties: { $current_url: 'https://shop.example/' } })
  client.capture({ distinctId: 'ada', event: 'quiet', properties: { $process_person_profile: false } })
  client.capture({ distinctId: 'ada', event: 'survey sent', properties: { $survey_id: 's', $survey_response: 'yes' } })
  client.identify({ distinctId: 'ada', properties: { name: 'Ada' } })
  client.alias({ distinctId: 'ada', alias: 'ada@example.com' })
  client.groupIdentify({ groupType: 'company', groupKey: 'acme', properties: { name: 'Acme' } })
  await client.shutdown()

  expect(errors).toEqual([])
  expect(server.refused).toEqual([])
  expect(server.log.warnings).toEqual([])
  const byName = Object.fromEntries(server.log.events.map((event) => [event.event, event]))
  expect(Object.keys(byName).sort()).toEqual(
    [
      '$create_alias',
      '$groupidentify',
      '$identify',
      '$pageview',
      'grouped',
      'quiet',
      'signed up',
      'survey sent',
    ].sort(),
  )
  expect(byName['signed up']).toMatchObject({
    distinctId: 'ada',
    clientUuid: true,
    timestamp: timestamp.toISOString(),
    properties: { plan: 'pro', big: 9007199254740991 },
  })
  expect(byName.grouped?.properties.$groups).toEqual({ company: 'acme' })
  expect(byName.$identify?.properties.$set).toEqual({ name: 'Ada' })
  expect(byName.$create_alias?.properties).toMatchObject({ alias: 'ada@example.com' })
  expect(byName.$groupidentify?.properties).toMatchObject({ $group_type: 'company', $group_key: 'acme' })
  expect(server.log.requests[0]?.sentAt).toMatch(/^\d{4}-/)
})

test('posthog-node in its newer protocol: every event gets its verdict', async () => {
  vi.stubEnv('POSTHOG_CAPTURE_MODE', 'v1')
  const client = new NodeClient(KEY, { host: server.url, flushAt: 100, flushInterval: 60_000 })
  const errors: unknown[] = []
  client.on('error', (error) => errors.push(error))
  for (let n = 0; n < 20; n++) client.capture({ distinctId: 'ada', event: `event ${n}`, properties: { n } })
  client.identify({ distinctId: 'ada', properties: { name: 'Ada' } })
  await client.shutdown()
  vi.unstubAllEnvs()

  expect(errors).toEqual([])
  expect(server.appended.every(({ path }) => path === '/i/v1/analytics/events')).toBe(true)
  expect(server.log.warnings).toEqual([])
  expect(server.log.events).toHaveLength(21)
  expect(server.log.events.find(({ event }) => event === '$identify')?.properties.$set).toEqual({ name: 'Ada' })
})

test('posthog-node evaluates no flags without an error', async () => {
  const client = new NodeClient(KEY, { host: server.url })
  expect(await client.getAllFlags('ada')).toEqual({})
  await client.shutdown()
})

test('posthog-js-lite sends and asks for flags', async () => {
  const client = new LiteClient(KEY, { host: server.url, flushAt: 100, persistence: 'memory' })
  client.capture('clicked', { button: 'buy' })
  client.identify('ada', { name: 'Ada' })
  client.capture('paid')
  await client.shutdown()
  expect(server.refused).toEqual([])
  expect(server.log.warnings).toEqual([])
  expect(server.log.events.map(({ event }) => event)).toEqual(expect.arrayContaining(['clicked', '$identify', 'paid']))
  expect(server.log.events.find(({ event }) => event === 'paid')?.distinctId).toBe('ada')
})

test('a client whose batch is refused by a full log sends it again, with the same uuids', async () => {
  const { LogUnavailable } = await import('../../src/log/index.ts')
  const client = new NodeClient(KEY, { host: server.url, flushAt: 1, fetchRetryDelay: 10, fetchRetryCount: 5 })
  // Full exactly once: the tries of a client are few and close together.
  const append = server.log.append
  server.log.append = async () => {
    server.log.append = append
    throw new LogUnavailable('full')
  }
  client.capture({ distinctId: 'ada', event: 'patient', uuid: '0188c2b6-7d5a-7000-8000-0123456789ab' })
  await expect.poll(() => server.log.events.map(({ uuid }) => uuid)).toEqual(['0188c2b6-7d5a-7000-8000-0123456789ab'])
  expect(server.refused).toHaveLength(1)
  await client.shutdown()
})
