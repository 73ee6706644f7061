import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OwnClickHouse, startOwnClickHouse } from '../support/clickhouse.ts'
import { type OwnPostgres, startOwnPostgres } from '../support/postgres.ts'
import { processTree } from '../support/process-tree.ts'
import { startTestService, type TestService } from '../support/service.ts'

/** The servers are our own embedded ones, held by the test: the service only gets their addresses. */
describe('a service on servers instead of embedded engines', () => {
  let postgres: OwnPostgres
  let engine: OwnClickHouse
  let service: TestService

  beforeAll(async () => {
    ;[postgres, engine] = await Promise.all([startOwnPostgres(), startOwnClickHouse()])
    service = await startTestService({
      env: {
        FOOTFALL_POSTGRES_URL: postgres.url,
        FOOTFALL_CLICKHOUSE_URL: engine.server.address('elsewhere'),
      },
    })
  })
  afterAll(async () => {
    await service?.stop()
    await Promise.all([postgres?.stop(), engine?.stop()])
  })

  it('starts no engine of its own', () => {
    expect(processTree(service.pid).map(({ pid }) => pid)).toEqual([service.pid])
  })

  it('takes an event all the way', async () => {
    await service.capture({ event: 'elsewhere', distinct_id: 'ada' })
    await service.waitFor(async () => {
      const { body } = await service.api('insights/trend/?refresh=true', { body: { events: [{ id: 'elsewhere' }] } })
      return body.result[0].count === 1
    }, 'the event to be counted')
  })
})
