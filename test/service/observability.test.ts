import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kill9, processTree } from '../support/process-tree.ts'
import { startTestService, type TestService } from '../support/service.ts'

describe('what an operator sees', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
    await service.capture([
      { event: 'seen', distinct_id: 'ada' },
      { event: '', distinct_id: 'ada' },
    ])
    await service.stored()
    await service.api('events/')
    await service.api('insights/trend/', { body: { events: 5 } })
    await fetch(`${service.url}/e/`, { method: 'POST', body: '{}' })
  })
  afterAll(() => service?.stop())

  const metric = async (line: string): Promise<number | undefined> => {
    const { text } = await service.api('/metrics', { key: null })
    const found = text.split('\n').find((each) => each.startsWith(`footfall_${line} `))
    return found === undefined ? undefined : Number(found.split(' ').at(-1))
  }

  it('metrics: what came in, what waits, how long, what was refused and why, how long answers take', async () => {
    expect(await metric('captured_events_total{path="/batch"}')).toBeGreaterThan(0)
    expect(await metric('log_writable')).toBe(1)
    expect(await metric('log_backlog_bytes')).toBeGreaterThanOrEqual(0)
    expect(await metric('pipeline_stalled_seconds')).toBeLessThan(60)
    expect(await metric('pipeline_lag_seconds_count')).toBeGreaterThan(0)
    expect(await metric('disk_free_bytes')).toBeGreaterThan(0)
    expect(await metric('refused_requests_total{code="missing_api_key"}')).toBe(1)
    expect(await metric('api_answer_seconds_count{resource="events",status="200"}')).toBeGreaterThan(0)
    expect(await metric('api_answer_seconds_count{resource="insights",status="400"}')).toBe(1)
  })

  it('status and doctor: versions, engines, room, clocks, in words', async () => {
    const status = (await service.cli('status')).stdout
    expect(status).toMatch(/^Footfall \d+\.\d+\.\d+ \(Node \d+/)
    expect(status).toMatch(/data +\/.*, \d+ MB free/)
    expect(status).toMatch(/pipeline +runs, keeps up/)
    const { code, stdout } = await service.cli('doctor')
    expect(stdout).toMatch(/the clocks agree: it is \d{4}-/)
    expect(stdout).toMatch(/PostgreSQL answers: version 18/)
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('FAIL')])
  })

  it('who was held back: the address of a client that tries too many passwords', async () => {
    const body = { email: 'nobody@example.com', password: 'a wrong one' }
    let status = 0
    for (let tries = 0; tries < 15 && status !== 429; tries++)
      status = (await service.api('/api/login/', { key: null, body })).status
    expect(status).toBe(429)
    const { held_back } = (await service.api('/api/instance_status/')).body.status
    expect(held_back).toEqual([
      { reason: 'throttled', address: '127.0.0.1', project: null, count: 1, last_at: expect.any(String) },
    ])
    expect(await metric('held_back_total{reason="throttled"}')).toBe(1)
    expect((await service.cli('status')).stdout).toMatch(/held back +127\.0\.0\.1: throttled, 1 times in the last hour/)
  })

  it('a pipeline that waits for an engine shows as stalled', async () => {
    for (const path of ['/_readiness', '/_ready'])
      expect(await service.api(path, { key: null })).toMatchObject({ status: 200, body: { status: 'ready' } })
    const engine = processTree(service.pid).filter(({ command }) => command.includes('clickhouse/embedded/child'))
    for (const { pid } of engine) process.kill(pid, 'SIGSTOP')
    try {
      for (let n = 0; n < 5; n++) await service.capture({ event: 'waiting', distinct_id: `w${n}` })
      await service.waitFor(async () => ((await metric('pipeline_stalled_seconds')) ?? 0) > 3, 'the stall to show')
      expect(await metric('log_backlog_bytes')).toBeGreaterThan(0)
      const ready = await service.api('/_readiness', { key: null })
      expect(ready).toMatchObject({ status: 503, body: { missing: ['clickhouse does not answer'] } })
      // The process lives all the same: nobody should start it anew because it waits.
      for (const path of ['/_liveness', '/_health'])
        expect(await service.api(path, { key: null })).toMatchObject({ status: 200, body: { status: 'alive' } })
    } finally {
      kill9(engine)
    }
    await service.waitFor(async () => (await metric('log_backlog_bytes')) === 0, 'everything to be applied')
    await service.waitFor(async () => (await metric('pipeline_stalled_seconds')) === 0, 'the stall to be over')
    const ready = async () => (await service.api('/_readiness', { key: null })).status === 200
    await service.waitFor(ready, 'everything to be there again')
  })
})
