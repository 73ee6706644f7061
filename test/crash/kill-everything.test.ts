import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectExactlyOnce, storedMarkers } from '../support/exactly-once.ts'
import { Load } from '../support/load.ts'
import { kill9, processTree } from '../support/process-tree.ts'
import { drawn } from '../support/random.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { drained } from '../support/status.ts'

const ROUNDS = 10

describe('kill -9 in the middle of a load', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  afterAll(() => service?.stop())

  it(`loses no acknowledged event and stores none twice, ${ROUNDS} times over`, async () => {
    const load = new Load('crash')
    const random = drawn('moments of death')
    for (let round = 0; round < ROUNDS; round++) {
      const before = load.acknowledged.size
      load.start(service.url)
      await service.waitFor(async () => load.acknowledged.size > before + 20, 'a load')
      await delay(random() * 500)
      // Every third time only our own process dies and leaves its children behind.
      kill9(round % 3 === 2 ? processTree(service.pid).slice(0, 1) : processTree(service.pid))
      await load.stop()
      service = await startTestService({ data: service.data })
    }
    await service.stored()
    expectExactlyOnce(load, await storedMarkers(service, 'crash'))
  })

  it('goes on capturing while ClickHouse is killed again and again, and then stores everything', async () => {
    const load = new Load('without-clickhouse')
    load.start(service.url)
    const more = async () => {
      const before = load.acknowledged.size
      await service.waitFor(async () => load.acknowledged.size > before + 50, 'more events')
    }
    for (let kill = 0; kill < 4; kill++) {
      await more()
      kill9(processTree(service.pid).filter(({ command }) => command.includes('clickhouse/embedded/child')))
    }
    await more()
    await load.stop()
    expect(load.refused).toBe(0)
    expect(load.sent.size).toBe(load.acknowledged.size)
    await service.waitFor(
      async () => (await service.api('/_ready', { key: null })).status === 200 && (await drained(service)),
      'the backlog to be applied',
    )
    expectExactlyOnce(load, await storedMarkers(service, 'without-clickhouse'))
  })
})
