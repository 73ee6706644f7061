import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  ATTACKER,
  type Attack,
  expectUnharmed,
  HOSTILE_ENV,
  post,
  type Reply,
  reportLine,
  underAttack,
} from '../support/hostile.ts'
import { KEYS, startTestService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ env: HOSTILE_ENV })
  await service.capture(
    Array.from({ length: 500 }, (_, n) => ({ event: 'e', distinct_id: `u${n}`, properties: { text: `text ${n}` } })),
  )
})
afterAll(() => service?.stop())

const unharmedBy = async (attack: Attack, seconds?: number) => {
  const report = await underAttack(service, attack, seconds === undefined ? {} : { seconds })
  console.log(reportLine(report))
  expectUnharmed(report)
}

const KEY = { ...ATTACKER, authorization: `Bearer ${KEYS.all}` }
const JSON_BODY = { 'content-type': 'application/json' }
const query = (node: object): Promise<Reply> =>
  post(service, '/api/environments/1/query/', JSON.stringify({ query: node, refresh: 'force_blocking' }), {
    headers: { ...KEY, ...JSON_BODY },
  })
const sqlQuery = (text: string) => query({ kind: 'HogQLQuery', query: text })
const trend = (more: object) =>
  query({ kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'e' }], dateRange: { date_from: '-7d' }, ...more })

/** Runs for its whole minute. */
const ENDLESS =
  'select sum(cityHash64(x, y)) from (select arrayJoin(range(100000)) as x) as a cross join (select arrayJoin(range(1000000)) as y) as b'
const QUADRATIC = 'select hasAll(range(1000000), arrayMap(x -> x + 0, range(1000000)))'

/** The same again and again, `clients` at a time, until it is over; with the statuses of the answers. */
async function repeatedly(clients: number, over: AbortSignal, send: (n: number) => Promise<Reply>): Promise<Reply[]> {
  const replies: Reply[] = []
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (let n = 0; n < 5_000 && !over.aborted; n++) {
        const reply = await send(n)
        replies.push(reply)
        if (reply.status === 429 || reply.status === 503) await delay(50)
      }
    }),
  )
  return replies
}
const statusesOf = (replies: readonly Reply[]) => [...new Set(replies.map(({ status }) => status))].toSorted()

describe('with a key of one project, others do not notice', () => {
  it('questions that run for a minute, more than may wait', async () => {
    await unharmedBy(async () => {
      const leave = new AbortController()
      const ask = () =>
        fetch(`${service.url}/api/environments/1/query/`, {
          method: 'POST',
          headers: { ...KEY, ...JSON_BODY },
          body: JSON.stringify({ query: { kind: 'HogQLQuery', query: ENDLESS } }),
          signal: leave.signal,
        })
      const asked = Array.from({ length: 110 }, ask)
      const refused = await Promise.race(asked)
      expect(refused.status).toBe(429)
      expect(refused.headers.get('retry-after')).toBe('5')
      expect(await refused.text()).toMatch(/questions running and 100 waiting/)
      expect(await service.api('/_ready', { key: null })).toMatchObject({ status: 200, body: { status: 'ready' } })
      const { body: system } = await service.api('/api/instance_status/')
      expect(system.status.questions).toMatchObject({ waiting: 100, refused: expect.any(Number) })
      await delay(2_000)
      leave.abort()
      await Promise.allSettled(asked)
    })
    const metrics = await (await fetch(`${service.url}/metrics`)).text()
    expect(metrics).toMatch(/^footfall_questions_refused [1-9]\d*$/m)
    expect(metrics).toMatch(/^footfall_clickhouse_restarts 0$/m)
    await service.waitFor(async () => {
      const { body } = await service.api('/api/instance_status/')
      return body.status.questions.running === 0
    }, 'questions whose askers left to end')
  })

  it('functions over long lists, points and patterns without end: each refused in words', async () => {
    const patterns = Array.from({ length: 2_000 }, (_, n) => ({
      key: 'text',
      operator: 'regex',
      value: `^a{${n % 100}}$`,
    }))
    const series = Array.from({ length: 12 }, () => ({ kind: 'EventsNode', event: 'e' }))
    const attacks = [
      () => sqlQuery(QUADRATIC),
      () => trend({ interval: 'minute', dateRange: { date_from: '-30d' }, series }),
      () => trend({ properties: [{ type: 'OR', values: patterns }] }),
    ]
    await unharmedBy(async (_, over) => {
      const replies = await repeatedly(4, over, (n) => attacks[n % attacks.length]?.() ?? sqlQuery(QUADRATIC))
      expect(statusesOf(replies)).toEqual([400])
      expect(replies.map(({ text }) => JSON.parse(text).detail).join('\n')).toMatch(/points; the limit is 50,000/)
    })
  })

  it('answers as large as they may be', async () => {
    await unharmedBy(async () => {
      for (let n = 0; n < 3; n++) {
        const { status, text } = await trend({ interval: 'minute', dateRange: { date_from: '-30d' } })
        expect(status).toBe(200)
        expect(JSON.parse(text).results[0].data.length).toBeGreaterThan(40_000)
        await delay(500)
      }
    })
  })
})

describe('without a key, others do not notice', () => {
  it('a form of 40,000 fields, for an insight', async () => {
    const fields = Array.from({ length: 40_000 }, (_, n) => (n % 2 ? `f${n}=1` : `f${n}[a]=1`)).join('&')
    const headers = { ...ATTACKER, 'content-type': 'application/x-www-form-urlencoded' }
    await unharmedBy(async (_, over) => {
      const replies = await repeatedly(4, over, () =>
        post(service, '/api/projects/1/insights/trend/', fields, { headers }),
      )
      expect(statusesOf(replies)).toEqual([401])
    })
    const known = await post(service, '/api/projects/1/insights/trend/', fields, { headers: { ...headers, ...KEY } })
    expect(known).toMatchObject({ status: 400, text: expect.stringMatching(/39999 fields; the limit is 2000/) })
    const small = await post(service, '/api/projects/1/insights/trend/', fields.slice(0, 60_000), { headers })
    expect(small.status).toBe(401)
  })

  it('large JSON, for signing in, for a question, and for what is not there', async () => {
    const large = Buffer.from(
      JSON.stringify({ email: 'a@example.com', password: 'x', more: Array(2_000_000).fill(1e7) }),
    )
    const headers = { ...ATTACKER, ...JSON_BODY }
    const paths = ['/api/login/', '/api/projects/1/query/', '/api/nothing/']
    await unharmedBy(async () => {
      const replies = await Promise.all(
        Array.from({ length: 12 }, (_, n) => post(service, paths[n % paths.length] ?? '', large, { headers })),
      )
      // The connection may break while the rest of the body is still being sent.
      expect(statusesOf(replies).filter((status) => status !== 0)).toEqual([401, 404, 413])
    })
  })

  it('a key in a small body still counts, and large bodies of known callers are bounded', async () => {
    const ask = (more: object) =>
      post(
        service,
        '/api/projects/1/query/',
        JSON.stringify({ query: { kind: 'HogQLQuery', query: 'select 1' }, ...more }),
        {
          headers: JSON_BODY,
        },
      )
    expect(await ask({ personal_api_key: KEYS.all })).toMatchObject({ status: 200 })
    expect(await ask({ personal_api_key: KEYS.all, pad: 'x'.repeat(100_000) })).toMatchObject({ status: 401 })
    expect(await inPieces('/api/projects/1/query/', 100, JSON_BODY)).toBe(401)
    expect(await inPieces('/api/login/', 100, JSON_BODY)).toBe(413)
    expect(await inPieces('/api/projects/1/query/', 2_000, { ...JSON_BODY, ...KEY })).toBe(413)
    const body = JSON.stringify({ query: { kind: 'HogQLQuery', query: 'select 1' }, pad: 'x'.repeat(1_100_000) })
    expect(await post(service, '/api/projects/1/query/', body, { headers: { ...KEY, ...JSON_BODY } })).toMatchObject({
      status: 413,
      text: expect.stringMatching(/larger than 1048576 bytes/),
    })
  })
})

/** A body of so many KiB whose length is not announced. */
async function inPieces(path: string, kib: number, headers: Record<string, string>): Promise<number> {
  const piece = new TextEncoder().encode(' '.repeat(1024))
  let sent = 0
  const body = new ReadableStream({
    pull: (controller) => (sent++ < kib ? controller.enqueue(piece) : controller.close()),
  })
  const answer = await fetch(service.url + path, { method: 'POST', headers, body, duplex: 'half' })
  await answer.arrayBuffer()
  return answer.status
}
