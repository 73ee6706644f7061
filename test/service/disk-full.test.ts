import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectExactlyOnce, storedMarkers } from '../support/exactly-once.ts'
import { Load } from '../support/load.ts'
import { startTestService, type TestService, TOKENS } from '../support/service.ts'
import { mountSmallDisk } from '../support/small-disk.ts'

const disk = mountSmallDisk(768)
const ROUNDS = 3

describe.runIf(disk)('a disk that is nearly full under load (where a small one can be mounted)', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({ data: path.join(disk?.folder as string, 'data') })
  })
  afterAll(async () => {
    await service?.stop()
    disk?.remove()
  })

  const sendOne = async () => {
    const event = { api_key: TOKENS.one, event: 'one more', distinct_id: 'somebody' }
    const answer = await fetch(`${service.url}/i/v0/e/`, { method: 'POST', body: JSON.stringify(event) })
    return { status: answer.status, wait: answer.headers.get('retry-after'), body: await answer.json() }
  }

  it('makes capture say so with 503, loses nothing, and goes on by itself when there is room', async () => {
    const load = new Load('squeezed', { ballast: 3_000 })
    load.start(service.url, 4)
    for (let round = 0; round < ROUNDS; round++) {
      const before = load.acknowledged.size
      await service.waitFor(async () => load.acknowledged.size > before + 300, 'events to be taken')
      const refusedBefore = load.refused
      disk?.fill()
      await service.waitFor(async () => load.refused > refusedBefore + 50, 'events to be refused')
      const ready = await service.waitFor(async () => {
        const answer = await service.api('/_readiness', { key: null })
        return answer.status === 503 && answer.body.missing.join().includes('nearly full') && answer
      }, 'the reserve to be guarded')
      expect(ready.body.missing).toContainEqual(
        expect.stringMatching(/^the log takes no events: The disk of the log is nearly full: \d+ bytes/),
      )
      expect(await sendOne()).toMatchObject({
        status: 503,
        wait: expect.stringMatching(/^\d+$/),
        body: { type: 'server_error', code: 'overloaded', detail: expect.stringContaining('Nothing was stored') },
      })
      disk?.makeRoom()
    }
    const before = load.acknowledged.size
    await service.waitFor(async () => load.acknowledged.size > before + 300, 'events to be taken again')
    await load.stop()
    await service.stored()
    await service.waitFor(
      async () => (await service.api('/_ready', { key: null })).status === 200,
      'everything to be well',
    )
    expectExactlyOnce(load, await storedMarkers(service, 'squeezed'))
    expect(JSON.parse((await service.cli('status', '--json')).stdout)).toMatchObject({
      pid: service.pid,
      dead_letters: 0,
    })
  })
})
