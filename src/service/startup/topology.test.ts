import os from 'node:os'
import { describe, expect, it } from 'vitest'
import { loadConfig } from './config.ts'
import { isOneOfSeveral, needsClickHouse, needsLog, refuseImpossible } from './topology.ts'

const config = (env: Record<string, string>) =>
  loadConfig({
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [`FOOTFALL_${name}`, value])),
    cwd: os.tmpdir(),
  })

const POSTGRES_URL = 'postgres://db/footfall'
const CLICKHOUSE_URL = 'http://ch:8123'
const NATS_URL = 'nats://a:4222,nats://b:4222'

describe('what a process can do alone and what it needs others for', () => {
  it.each([
    {},
    { ROLES: 'capture,pipeline' },
    { ROLES: 'api' },
    { NATS_URL },
    { NATS_URL, POSTGRES_URL },
    { ROLES: 'capture', NATS_URL, POSTGRES_URL },
    { ROLES: 'pipeline,api,jobs', NATS_URL, POSTGRES_URL },
    { ROLES: 'pipeline', NATS_URL, POSTGRES_URL, CLICKHOUSE_URL },
    { ROLES: 'api,jobs', POSTGRES_URL, CLICKHOUSE_URL },
    { ROLES: 'all', CLICKHOUSE_URL, CLICKHOUSE_CLUSTER: 'main' },
    { ROLES: 'jobs', POSTGRES_URL, CLICKHOUSE_URL: 'http://ch:8123/a', CLICKHOUSE_JOBS_URL: 'http://ch-2:8123/a' },
    { CLICKHOUSE_URL, CLICKHOUSE_STORAGE_POLICY: 'two_disks', CLICKHOUSE_COLD_AFTER_DAYS: '90' },
  ])('%j can work', (env) => {
    expect(() => refuseImpossible(config(env as Record<string, string>))).not.toThrow()
  })

  it.each([
    [{ ROLES: 'capture' }, 'FOOTFALL_NATS_URL'],
    [{ ROLES: 'pipeline,api' }, 'FOOTFALL_NATS_URL'],
    [{ ROLES: 'capture', NATS_URL }, 'FOOTFALL_POSTGRES_URL'],
    [{ ROLES: 'pipeline', NATS_URL, POSTGRES_URL }, 'FOOTFALL_CLICKHOUSE_URL'],
    [{ ROLES: 'api', NATS_URL, POSTGRES_URL }, 'FOOTFALL_CLICKHOUSE_URL'],
    [{ CLICKHOUSE_CLUSTER: 'main' }, 'FOOTFALL_CLICKHOUSE_URL'],
    [{ CLICKHOUSE_JOBS_URL: 'http://ch-2:8123' }, 'FOOTFALL_CLICKHOUSE_URL'],
    [{ CLICKHOUSE_URL: 'http://ch:8123/a', CLICKHOUSE_JOBS_URL: 'http://ch-2:8123/b' }, 'the database of'],
    [{ CLICKHOUSE_URL, CLICKHOUSE_COLD_AFTER_DAYS: '90' }, 'FOOTFALL_CLICKHOUSE_STORAGE_POLICY'],
  ])('%j cannot, and says what is missing', (env, missing) => {
    expect(() => refuseImpossible(config(env as unknown as Record<string, string>))).toThrow(missing)
  })

  it('capture alone needs no ClickHouse, api alone no log, and who has servers of his own may have company', () => {
    const capture = config({ ROLES: 'capture', NATS_URL, POSTGRES_URL })
    expect([needsClickHouse(capture), needsLog(capture), isOneOfSeveral(capture)]).toEqual([false, true, true])
    const api = config({ ROLES: 'api', NATS_URL, POSTGRES_URL, CLICKHOUSE_URL })
    expect([needsClickHouse(api), needsLog(api), isOneOfSeveral(api)]).toEqual([true, false, true])
    const alone = config({})
    expect([needsClickHouse(alone), needsLog(alone), isOneOfSeveral(alone)]).toEqual([true, true, false])
  })
})
