import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OwnClickHouse, startOwnClickHouse } from '../support/clickhouse.ts'
import { type OwnPostgres, startOwnPostgres } from '../support/postgres.ts'
import { runCli, startTestService, type TestService } from '../support/service.ts'

/** The servers are our own embedded ones, held by the test: commands and services only get their addresses. */
describe('a backup of embedded engines', () => {
  let work: string
  let embedded: TestService
  let moved: TestService
  let postgres: OwnPostgres
  let engine: OwnClickHouse
  let servers: Record<string, string>

  beforeAll(async () => {
    work = await mkdtemp(path.join(os.tmpdir(), 'footfall-moved-'))
    ;[postgres, engine, embedded] = await Promise.all([startOwnPostgres(), startOwnClickHouse(), startTestService()])
    servers = {
      FOOTFALL_POSTGRES_URL: postgres.url,
      FOOTFALL_CLICKHOUSE_URL: engine.server.address('elsewhere'),
    }
    await embedded.capture({ event: 'moved', distinct_id: 'ada', properties: { $set: { plan: 'pro' } } })
    await embedded.waitFor(() => isThere(embedded), 'the event')
    expect(await embedded.cli('backup', path.join(work, 'saved'))).toMatchObject({ code: 0 })
    await mkdir(path.join(work, 'new'))
  })
  afterAll(async () => {
    await Promise.all([embedded?.stop(), moved?.stop()])
    await Promise.all([postgres?.stop(), engine?.stop()])
    await rm(work, { recursive: true, force: true })
  })

  it('is restored into servers, once', async () => {
    const data = path.join(work, 'new', 'data')
    expect(await runCli(['restore', path.join(work, 'saved'), '--data', data], servers)).toMatchObject({ code: 0 })
    const again = await runCli(['restore', path.join(work, 'saved'), '--data', path.join(work, 'other')], servers)
    expect(again).toMatchObject({ code: 1 })
    expect(again.stderr).toContain('already holds data of a Footfall')
    moved = await startTestService({ data, env: servers, provision: null })
    expect(await isThere(moved)).toBe(true)
    const { body } = await moved.api('persons/?distinct_id=ada')
    expect(body.results[0].properties.plan).toBe('pro')
  })

  it('and saved from there', async () => {
    await moved.capture({ event: 'again', distinct_id: 'ada' })
    expect(await moved.cli('backup', path.join(work, 'back'))).toMatchObject({ code: 0 })
    await moved.waitFor(async () => (await moved.api('events/?event=again')).body.results.length === 1, 'the event')
  })
})

const isThere = async (service: TestService) => (await service.api('events/?event=moved')).body.results.length === 1
