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
import { startTestService, type TestService } from '../support/service.ts'

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
    // Together all but a few bytes of what the service holds of bodies.
    const end = await stalledUploads(14, Math.floor((256 * MIB) / 14))
    await unharmedBy((_, over) => ended(over), 5)
    end()
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
