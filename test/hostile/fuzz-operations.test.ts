import { afterAll, beforeAll, expect, it } from 'vitest'
import { Fuzzer, type FuzzRequest, type Operation, operationsOf, type Schema } from '../support/fuzz.ts'
import { KEYS, startTestService, type TestService } from '../support/service.ts'

/**
 * Every operation of the API's own description, with typed and with wrong parameters and bodies. Short unless told otherwise:
 * `FUZZ_REQUESTS=1000000 npx vitest run test/hostile/fuzz-operations.test.ts`; `FC_SEED` repeats a run.
 */
const ASKED_FOR = process.env.FUZZ_REQUESTS === undefined ? undefined : Number(process.env.FUZZ_REQUESTS)
const REQUESTS = ASKED_FOR ?? 1_200
const MOST_MS = ASKED_FOR === undefined ? 15_000 : Number.POSITIVE_INFINITY
const CLIENTS = 6
const PATIENCE_MS = 300_000

/** What would end the test's own means (its project, its members), never ends, or loads a whole demo. */
const LEFT_OUT =
  /live|demo|^(DELETE|PATCH|PUT) \/api\/(organizations|projects|users)\b|api_token|^DELETE \/api\/environments\/\{project_id\}\/$/

let service: TestService
let operations: Operation[]
let schemas: Record<string, Schema>
beforeAll(async () => {
  service = await startTestService()
  await service.capture(
    Array.from({ length: 20 }, (_, n) => ({ event: '$pageview', distinct_id: `u${n % 5}`, properties: { x: n } })),
  )
  const { body } = await service.api('/api/schema/', { key: null })
  schemas = body.components.schemas
  operations = operationsOf(body).filter(({ method, path }) => !LEFT_OUT.test(`${method} ${path}`))
})
afterAll(() => service?.stop())

it(
  'no operation fails, whatever it is sent, and the service answers afterwards',
  async () => {
    expect(operations.length).toBeGreaterThan(100)
    const seed = Number(process.env.FC_SEED)
    const fuzzer = new Fuzzer(seed, schemas)
    const ids = ['1', '2', '3', 'u1', crypto.randomUUID(), '01890000-0000-7000-8000-000000000000']
    const end = Date.now() + MOST_MS
    const failures: string[] = []
    const statuses = new Map<number, number>()
    let sent = 0
    const client = async () => {
      while (sent < REQUESTS && Date.now() < end && failures.length < 20) {
        sent++
        const request = fuzzer.request(operations, ids)
        const status = await send(request)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (status >= 500 || status === 0) {
          failures.push(`${status} ${JSON.stringify(request).slice(0, 2_000)}\n${lastError().slice(0, 1_000)}`)
          console.log(failures.at(-1))
        }
        if (sent % 10_000 === 0) console.log(`${sent} sent: ${JSON.stringify([...statuses])}`)
      }
    }
    await Promise.all(Array.from({ length: CLIENTS }, client))
    console.log(`FC_SEED=${seed}: ${sent} requests, ${JSON.stringify([...statuses].toSorted(([a], [b]) => a - b))}`)
    expect(failures, service.output().slice(-5_000)).toEqual([])
    expect(
      (await service.api('query/', { body: { query: { kind: 'HogQLQuery', query: 'select 1' } } })).body.results,
    ).toEqual([[1]])
    expect((await service.api('/_ready', { key: null })).status).toBe(200)
    const metrics = await (await fetch(`${service.url}/metrics`)).text()
    expect(metrics).toMatch(/^footfall_clickhouse_restarts 0$/m)
  },
  ASKED_FOR === undefined ? undefined : 24 * 3_600_000,
)

/** `String` and `Number` throw for these. */
const WITHOUT_TEXT = { toString: 1, valueOf: 1 }

it.each<[method: string, path: string, body: unknown]>([
  ['POST', 'insights/timing/', { insight: WITHOUT_TEXT }],
  ['POST', 'insights/timing/', { filters: { insight: WITHOUT_TEXT } }],
  ['POST', 'insights/trend/', { events: [{ id: '$pageview', order: WITHOUT_TEXT }], refresh: WITHOUT_TEXT }],
  ['POST', 'insights/trend/', { actions: [{ id: WITHOUT_TEXT }], breakdown: WITHOUT_TEXT, offset: WITHOUT_TEXT }],
  ['POST', 'insights/', { query: { kind: 'InsightVizNode', source: { kind: WITHOUT_TEXT } } }],
  ['POST', 'query/', { query: { kind: WITHOUT_TEXT }, refresh: WITHOUT_TEXT }],
  ['POST', 'query/', { query: { kind: 'TrendsQuery', series: { length: WITHOUT_TEXT } } }],
  ['POST', 'insights/', { name: { length: WITHOUT_TEXT } }],
  ['POST', 'insights/trend/', { events: [{ id: 'a', properties: [{ key: { length: WITHOUT_TEXT } }] }] }],
  [
    'POST',
    'dashboards/',
    { name: 'd', tags: { length: WITHOUT_TEXT }, filters: { date_from: { length: WITHOUT_TEXT } } },
  ],
  ['POST', 'cohorts/', { name: 'c', is_static: true, query: { kind: 'HogQLQuery', query: WITHOUT_TEXT } }],
  ['POST', 'cohorts/', { name: 'c', filters: { properties: { type: 'cohort', key: 'id', value: WITHOUT_TEXT } } }],
  [
    'POST',
    'feature_flags/',
    { key: 'f', filters: { groups: [{ properties: [{ type: 'cohort', key: 'id', value: WITHOUT_TEXT }] }] } },
  ],
  [
    'POST',
    'feature_flags/',
    { key: 'f', filters: { groups: [{ properties: [{ type: 'flag', key: WITHOUT_TEXT, value: true }] }] } },
  ],
  [
    'GET',
    `persons/?properties=${encodeURIComponent(JSON.stringify([{ key: 'x', operator: WITHOUT_TEXT }]))}`,
    undefined,
  ],
  ['GET', `session_recordings/?actions=${encodeURIComponent(JSON.stringify([{ id: WITHOUT_TEXT }]))}`, undefined],
  ['GET', `session_recordings/?console_logs=${encodeURIComponent(JSON.stringify(WITHOUT_TEXT))}`, undefined],
  ['GET', 'session_recordings/?offset=1e%2B308', undefined],
  ['GET', `insights/trend/?events=[{"id":"$pageview"}]&formula=${encodeURIComponent('\uE0F712')}`, undefined],
  [
    'GET',
    `insights/trend/?events=${encodeURIComponent(JSON.stringify([{ id: '\uE0F712', custom_name: '\uE0F713' }]))}`,
    undefined,
  ],
])(
  '%s %s: an object without a text, a number beyond all rows or one of our own number texts: an answer in words',
  async (method, path, body) => {
    const request = { method, path: `/api/environments/1/${path}`, contentType: 'application/json' }
    expect(await send({ ...request, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })).toBeLessThan(500)
  },
)

it('a form whose text starts as one of our own number texts is answered in words', async () => {
  const body = new URLSearchParams({ events: '[{"id":"$pageview"}]', formula: '\uE0F712' }).toString()
  const contentType = 'application/x-www-form-urlencoded'
  const request = { method: 'POST', path: '/api/environments/1/insights/trend/', contentType, body }
  expect(await send(request)).toBeLessThan(500)
})

it('a saved question that was sent as text keeps a name that starts as one of our own number texts', async () => {
  const query = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', name: '\uE0F712' }] }
  const { status, body } = await service.api('insights/', { body: { query: JSON.stringify(query) } })
  expect([status, body.query.series ?? body.query.source.series]).toEqual([201, query.series])
})

/** What the service logged last; with several clients it may be about another request. */
const lastError = () =>
  service
    .output()
    .split('\n')
    .findLast((line) => line.includes('request failed')) ?? ''

/** 0 when nothing came back. */
async function send({ method, path, body, contentType }: FuzzRequest): Promise<number> {
  try {
    const answer = await fetch(`${service.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${KEYS.all}`,
        ...(contentType === undefined ? {} : { 'content-type': contentType }),
      },
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    await answer.arrayBuffer()
    return answer.status
  } catch {
    return 0
  }
}
