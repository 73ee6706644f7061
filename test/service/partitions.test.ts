import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startTestService } from '../support/service.ts'
import { statusOf } from '../support/status.ts'

const EVENTS = 60

it('a start with more partitions grows the log; threads share them; fewer are refused', async () => {
  const before = await startTestService()
  const send = (service: typeof before, name: string) =>
    service.capture(
      Array.from({ length: EVENTS }, (_, n) => ({
        event: name,
        distinct_id: `person ${n}`,
        properties: { $set: { last: name } },
      })),
    )
  await send(before, 'with few')
  await before.terminate()

  const env = { FOOTFALL_PARTITIONS: '6', FOOTFALL_PIPELINE_THREADS: '3' }
  const service = await startTestService({ data: before.data, env })
  onTestFinished(() => service.stop())
  await send(service, 'with many')
  const stored = async (event: string) => {
    const { body } = await service.api(`events/?event=${encodeURIComponent(event)}&limit=1000`)
    return body.results.length
  }
  await service.waitFor(async () => (await stored('with many')) === EVENTS, 'the events after it grew')
  expect(await stored('with few')).toBe(EVENTS)
  const { body } = await service.api('persons/?limit=100')
  expect(body.results.map(({ properties }: { properties: { last: string } }) => properties.last)).toEqual(
    Array.from({ length: EVENTS }, () => 'with many'),
  )
  expect(await statusOf(service)).toMatchObject({
    log: { partitions: Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`live-${at}`, expect.anything()])) },
  })

  // A backup pauses all threads, and they go on.
  const folder = await mkdtemp(path.join(os.tmpdir(), 'footfall-backup-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  expect(await service.cli('backup', path.join(folder, 'copy'))).toMatchObject({ code: 0 })
  await send(service, 'after the backup')
  await service.waitFor(async () => (await stored('after the backup')) === EVENTS, 'the events after the backup')

  await service.terminate()
  await expect(startTestService({ data: before.data, env: { FOOTFALL_PARTITIONS: '4' } })).rejects.toThrow(
    'the log has 6 partitions and cannot have fewer (got 4)',
  )
})
