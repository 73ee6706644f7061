/** Nobody waits for an answer any more: then the engine, which the test holds itself and can look into, no longer works on it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql, str } from '../../src/engines/clickhouse/index.ts'
import { type OwnClickHouse, startOwnClickHouse } from '../support/clickhouse.ts'
import { KEYS, startTestService, type TestService } from '../support/service.ts'

/** Takes minutes of the engine's time and next to no memory. */
const ENDLESS =
  'select sum(cityHash64(x, y)) from (select arrayJoin(range(100000)) as x) as a cross join (select arrayJoin(range(1000000)) as y) as b'
const filter = { type: 'hogql', key: `1 in (${ENDLESS})` }
const TREND = { events: [{ id: 'x' }], properties: [filter] }
const NODE = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'x' }], properties: [filter] }

let engine: OwnClickHouse
let service: TestService
beforeAll(async () => {
  engine = await startOwnClickHouse()
  service = await startTestService({ env: { FOOTFALL_CLICKHOUSE_URL: engine.server.address('elsewhere') } })
  await service.capture({ event: 'x', distinct_id: 'somebody' })
})
afterAll(async () => {
  await service?.stop()
  await engine?.stop()
})

async function running(): Promise<number> {
  const { rows } = await engine.clickhouse.query<{ n: number }>(
    sql`SELECT count() AS n FROM system.processes WHERE query ILIKE ${str('%cityHash64%')} AND query NOT ILIKE '%system.processes%'`,
  )
  return rows[0]?.n ?? 0
}
const begun = () => service.waitFor(async () => (await running()) > 0, 'the question to run')
const ended = () => service.waitFor(async () => (await running()) === 0, 'the engine to stop')

const ask = (path: string, body: object, signal?: AbortSignal) =>
  fetch(`${service.url}/api/environments/1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEYS.all}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  })

describe('the engine stops when the client goes away', () => {
  it.each([
    ['a trend', 'insights/trend/', TREND],
    ['a trend as CSV', 'insights/trend/?format=csv', TREND],
    ['a funnel', 'insights/funnel/', { ...TREND, events: [{ id: 'x' }, { id: 'y', order: 1 }] }],
    ['a correlation', 'insights/funnel/correlation/', { ...TREND, events: [{ id: 'x' }, { id: 'y', order: 1 }] }],
    ['retention', 'insights/retention/', { properties: [filter] }],
    ['the people behind a number', 'persons/trends/', TREND],
    ['a node', 'query/', { query: NODE }],
    ['SQL', 'query/', { query: { kind: 'HogQLQuery', query: ENDLESS } }],
    [
      'a table of events',
      'query/',
      { query: { kind: 'EventsQuery', select: ['event'], where: [filter.key], after: 'all' } },
    ],
  ])('%s', async (_, path, body) => {
    const client = new AbortController()
    const answer = ask(path, body, client.signal).then(
      (response) => response.text(),
      (error: Error) => error.name,
    )
    await begun()
    client.abort()
    expect(await answer).toBe('AbortError')
    await ended()
  })
})

describe('a question is taken back by its id', () => {
  it.each([
    ['insights/trend/', { ...TREND, client_query_id: 'mine' }, 'POST'],
    ['insights/trend/', { ...TREND, client_query_id: 'mine' }, 'GET'],
    ['query/', { query: NODE, client_query_id: 'mine' }, 'POST'],
    ['query/', { query: { kind: 'HogQLQuery', query: ENDLESS }, client_query_id: 'mine' }, 'DELETE'],
  ] as const)('of %s', async (path, body, method) => {
    const answer = ask(path, body).then(async (response) => [
      response.status,
      ((await response.json()) as { code: string }).code,
    ])
    await begun()
    expect((await service.api('insights/cancel/', { body: { client_query_id: 'other' } })).body.cancelled).toBe(false)
    const { status } =
      method === 'DELETE'
        ? await service.api('query/mine/', { method })
        : method === 'GET'
          ? await service.api('insights/cancel/?client_query_id=mine')
          : await service.api('insights/cancel/', { body: { client_query_id: 'mine' } })
    expect(status).toBe(method === 'DELETE' ? 200 : 201)
    expect(await answer).toEqual([400, 'query_cancelled'])
    await ended()
  })

  it('also when it is answered later', async () => {
    expect((await ask('query/', { query: NODE, async: true, client_query_id: 'later' })).status).toBe(202)
    await begun()
    expect(await service.api('insights/cancel/', { body: { client_query_id: 'later' } })).toMatchObject({
      status: 201,
      body: { success: true, cancelled: true },
    })
    await ended()
    expect((await service.api('query/later/')).body.query_status.error_message).toBe('Query was cancelled')
  })

  it('and only by one', async () => {
    expect(await service.api('insights/cancel/', { body: {} })).toMatchObject({
      status: 400,
      body: { code: 'required', attr: 'client_query_id' },
    })
  })
})
