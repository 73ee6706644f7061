import { once } from 'node:events'
import http from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  ATTACKER,
  type Attack,
  expectUnharmed,
  HOSTILE_ENV,
  post,
  reportLine,
  underAttack,
} from '../support/hostile.ts'
import { startTestService, type TestService, TOKENS } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ env: HOSTILE_ENV })
})
afterAll(() => service?.stop())

const unharmedBy = async (attack: Attack, seconds?: number) => {
  const report = await underAttack(service, attack, seconds === undefined ? {} : { seconds })
  console.log(reportLine(report))
  expectUnharmed(report)
}

const MIB = 1024 * 1024

describe('others do not notice', () => {
  it('uploads that begin and then stall', async () => {
    // Together all that the service holds of bodies; the small ones fill what the large ones leave.
    const large = await stalledUploads(13, 19 * MIB)
    const small = await stalledUploads(45, MIB / 4)
    await unharmedBy((_, over) => ended(over), 5)
    large()
    small()
  })

  it('a flood of bodies packed twice, with a wrong key', async () => {
    const bomb = gzipSync(
      gzipSync(JSON.stringify({ api_key: 'phc_wrong', event: 'x', distinct_id: 'y', pad: ' '.repeat(90 * MIB) })),
    )
    await unharmedBy((_, over) => flood(bomb, 8, over))
  })

  it('a flood of large bodies with a wrong key', async () => {
    const batch = Array.from({ length: 20_000 }, (_, n) => ({ event: `e${n}`, distinct_id: 'y', properties: { n } }))
    const body = gzipSync(JSON.stringify({ api_key: 'phc_wrong', batch }))
    await unharmedBy((_, over) => flood(body, 8, over))
  })
})

describe('texts of a megabyte for flags that search them', () => {
  it('end with an answer that says so, and others do not notice', async () => {
    const patterns = ['(a+)+$', '^(([a-z])+.)+[A-Z]([a-z])+$', '(x|xx)+y', '.*.*.*=.*']
    for (let n = 0; n < 40; n++) {
      const filter = { key: 'text', type: 'person', operator: 'regex', value: patterns[n % patterns.length] }
      const body = { key: `searching-${n}`, filters: { groups: [{ properties: [filter] }] } }
      expect((await service.api('feature_flags/', { body })).status).toBe(201)
    }
    const asked = (text: string) => JSON.stringify({ token: TOKENS.one, distinct_id: 'x', person_properties: { text } })
    const short = async () => JSON.parse((await post(service, '/flags/?v=2', asked('short'))).text)
    await service.waitFor(async () => Object.keys((await short()).flags).length === 40, 'the flags')
    expect((await short()).errorsWhileComputingFlags).toBe(false)
    const large = asked('xa'.repeat(0.45 * MIB))
    const answer = JSON.parse((await post(service, '/flags/?v=2', large, { headers: ATTACKER })).text)
    expect(answer.errorsWhileComputingFlags).toBe(true)
    const failed = Object.values(answer.flags as Record<string, { failed?: boolean; reason: { code: string } }>).filter(
      (each) => each.failed,
    )
    expect(failed.length).toBeGreaterThan(0)
    for (const { reason } of failed) expect(reason.code).toBe('too_much_to_search')
    await unharmedBy(async (_, over) => {
      const client = async () => {
        while (!over.aborted) {
          const { status } = await post(service, '/flags/?v=2', large, { headers: ATTACKER })
          expect([200, 429, 503]).toContain(status)
        }
      }
      await Promise.all(Array.from({ length: 4 }, client))
    })
    for (let n = 0; n < 40; n++)
      await service.api(`feature_flags/searching-${n}/`, { method: 'PATCH', body: { deleted: true } })
  })
})

describe('a project that sends far too much', () => {
  it('is taken at its word: what was acknowledged is counted, once, and others are served meanwhile', async () => {
    let acknowledged = 0
    const event = { event: 'flood', distinct_id: 'x', properties: { text: 'x'.repeat(400) } }
    const body = JSON.stringify({ api_key: TOKENS.one, batch: Array.from({ length: 500 }, () => event) })
    const report = await underAttack(service, async (_, over) => {
      const client = async () => {
        for (let n = 0; n < 5 && !over.aborted; n++) {
          const { status, headers } = await post(service, '/batch/', body, { headers: ATTACKER })
          if (status === 200) acknowledged += 500
          else expect([status, headers['retry-after']]).toEqual([503, expect.any(String)])
        }
      }
      await Promise.all(Array.from({ length: 8 }, client))
    })
    console.log(reportLine(report), `${acknowledged} acknowledged`)
    expect(report.during.failures).toEqual([])
    expect(report.memory.after).toBeLessThan(report.memory.before + 200)
    expect(acknowledged).toBeGreaterThan(0)
    expect(await service.waitFor(() => settled('flood', acknowledged))).toBe(acknowledged)
  })

  it('may name 30,000 events in one request, of which lists show no more than an hour allows', async () => {
    const batch = Array.from({ length: 30_000 }, (_, n) => ({ event: `name ${n}`, distinct_id: 'x' }))
    const body = gzipSync(JSON.stringify({ api_key: TOKENS.one, batch }))
    expect((await post(service, '/batch/', body, { headers: ATTACKER })).status).toBe(200)
    const ledger = await service.waitFor(async () => {
      const { body: answer } = await service.api<{ results: { type: string; count: number }[] }>('ingestion_warnings/')
      const left = answer.results.find(({ type }) => type === 'too_many_names')
      return left !== undefined && left.count >= 24_000 ? left : null
    })
    expect(ledger).toMatchObject({ samples: [{ details: { kind: 'events' } }] })
    const { body: definitions } = await service.api<{ count: number }>('event_definitions/?limit=1')
    expect(definitions.count).toBeLessThan(6_000)
  })
})

/** How many events of a name there are, once they are as many as expected; more than that at once. */
async function settled(event: string, expected: number): Promise<number | null> {
  const query = { kind: 'HogQLQuery', query: `SELECT count() FROM events WHERE event = '${event}'` }
  const { status, body } = await service.api<{ results: [[number]] }>('query/', {
    body: { query, refresh: 'force_blocking' },
  })
  // ClickHouse may be away for a moment.
  if (status !== 200) return null
  const [[count]] = body.results
  return count >= expected ? count : null
}

/** Each sends so many bytes and then, one byte before the end, nothing more. Resolves when they stand still, with what ends them. */
async function stalledUploads(count: number, bytes: number): Promise<() => void> {
  const agent = new http.Agent()
  const chunk = Buffer.alloc(64 * 1024, 0x20)
  const uploads = Array.from({ length: count }, async () => {
    const headers = { ...ATTACKER, 'content-length': String(bytes + 1) }
    const request = http.request(`${service.url}/batch/`, { method: 'POST', headers, agent }, (answer) =>
      answer.resume(),
    )
    const over = new Promise((resolve) => request.on('close', resolve).on('error', resolve).on('response', resolve))
    for (let sent = 0; sent < bytes && !request.destroyed; sent += chunk.length)
      if (!request.write(chunk.subarray(0, bytes - sent))) await Promise.race([once(request, 'drain'), over])
    return request
  })
  const requests = await Promise.all(uploads)
  return () => {
    for (const request of requests) request.destroy()
  }
}

async function flood(body: Uint8Array, clients: number, over: AbortSignal): Promise<void> {
  const statuses: number[] = []
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (let n = 0; !over.aborted && n < 2_000; n++) {
        const { status } = await post(service, '/batch/', body, { headers: ATTACKER })
        statuses.push(status)
        if (status === 429 || status === 503) await delay(20)
      }
    }),
  )
  expect(statuses).not.toContain(200)
  expect(statuses.every((status) => [0, 400, 401, 413, 429, 503].includes(status))).toBe(true)
}

const ended = (over: AbortSignal): Promise<void> =>
  over.aborted ? Promise.resolve() : new Promise((resolve) => over.addEventListener('abort', () => resolve()))
