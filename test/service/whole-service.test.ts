import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestService, type TestService, TOKENS } from '../support/service.ts'

describe('the whole service', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({ first: true })
  })
  afterAll(() => service?.stop())

  it('shows an event that was captured, with its person', async () => {
    await service.capture({ event: 'seen', distinct_id: 'ada', properties: { $set: { email: 'ada@example.com' } } })
    const event = await service.waitFor(
      async () => (await service.api('events/?event=seen')).body.results[0],
      'the event to be visible',
    )
    expect(event).toMatchObject({ distinct_id: 'ada', person: { name: 'ada@example.com' } })
  })

  it('counts an event once that comes again under other distinct ids, or as an import', async () => {
    const uuid = randomUUID()
    const again = (distinct_id: string) => ({ event: 'again', distinct_id, uuid })
    const more = { api_key: TOKENS.one, historical_migration: true, batch: [again('an-import')] }
    await Promise.all([
      service.capture(Array.from({ length: 8 }, (_, n) => again(`somebody-${n}`))),
      fetch(`${service.url}/batch/`, { method: 'POST', body: JSON.stringify(more) }),
    ])
    const retries = async () => {
      const { body } = await service.api('ingestion_warnings/')
      return body.results.find(({ type }: { type: string }) => type === 'duplicate_event')?.count ?? 0
    }
    await service.waitFor(async () => (await retries()) >= 8, 'the retries to be noticed')
    // The ledger is written a moment before the event itself arrives in ClickHouse.
    const stored = await service.waitFor(async () => {
      const { results } = (await service.api('events/?event=again')).body
      return results.length > 0 && results
    }, 'the event to be visible')
    expect(stored).toHaveLength(1)
  })

  it('marks a crawler as a bot, but no server that sends events and nothing that a script imports', async () => {
    const page = { event: 'seen by', distinct_id: 'ada', properties: { $lib: 'web', $current_url: 'https://x.test/' } }
    const send = (agent: string, how: string, event: object, more = {}) =>
      fetch(`${service.url}/batch/`, {
        method: 'POST',
        headers: { 'user-agent': agent },
        body: JSON.stringify({ api_key: TOKENS.one, batch: [{ ...page, ...event, distinct_id: how }], ...more }),
      })
    const old = { timestamp: '2021-05-01T10:00:00Z' }
    await send('Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'crawler', {})
    await send('python-requests/2.31', 'import', old, { historical_migration: true })
    await send('posthog-python/7.0', 'server', { properties: { $lib: 'posthog-python' } })
    await send('curl/8.4.0', 'shell', { properties: {} })
    const seen = await service.waitFor(async () => {
      const { results } = (await service.api('events/?event=seen by&after=2020-01-01')).body
      return results.length === 4 && results
    }, 'the events to be visible')
    const marks = seen.map(
      ({ distinct_id, properties }: { distinct_id: string; properties: { $is_bot?: boolean } }) => [
        distinct_id,
        properties.$is_bot ?? false,
      ],
    )
    expect(Object.fromEntries(marks)).toEqual({ crawler: true, import: false, server: false, shell: false })
  })

  it('keeps what it accepted through kill -9', async () => {
    await service.capture({ event: 'before the cut', distinct_id: 'ada' })
    await service.kill9()
    const { data } = service
    service = await startTestService({ data })
    await service.waitFor(
      async () => (await service.api('events/?event=before the cut')).body.results.length === 1,
      'the event to be there',
    )
  })
})
