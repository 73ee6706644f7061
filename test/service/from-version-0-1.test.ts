import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import expected from '../fixtures/data-0.1.json' with { type: 'json' }
import { contentOf01, DATA_01, unpackData01 } from '../support/data-0-1.ts'
import { openToOthers } from '../support/open-to-others.ts'
import { kill9, processTree } from '../support/process-tree.ts'
import { drawn } from '../support/random.ts'
import { CLI, startTestService, type TestService } from '../support/service.ts'

/** Installations have data: what version 0.1 wrote, killed with work under way, is all there with the present code. */
let service: TestService | undefined
afterEach(() => service?.stop())

it('everything of version 0.1 is there, and new events are taken', async () => {
  // Without a provisioning file: the key and the user come from the data.
  service = await startTestService({ data: await unpackData01(), provision: null })
  expect(await contentOf01(service)).toEqual(DATA_01)
  expect(openToOthers(service.data)).toEqual([])
  await service.capture([{ event: 'new', distinct_id: 'visitor-1' }], expected.token)
  const found = await service.waitFor(
    async () => (await service?.api('events/?event=new', { key: expected.key }))?.body.results[0],
    'a new event',
  )
  expect(found.person.properties.email).toBe('ada@example.com')
})

it('everything is there too when the first starts with the present code were killed at any moment', async () => {
  const data = await unpackData01()
  const random = drawn('moments of death')
  for (const whole of [true, false, true, false, true]) await cutOffStart(data, { whole, after: random() * 2_500 })
  service = await startTestService({ data, provision: null })
  expect(await contentOf01(service)).toEqual(DATA_01)
})

/** `whole`: the engines die with it; otherwise they are left behind. */
async function cutOffStart(data: string, { whole, after }: { whole: boolean; after: number }): Promise<void> {
  const env = { ...process.env, FOOTFALL_DATA: data, FOOTFALL_PORT: '0', FOOTFALL_LOG_LEVEL: 'silent' }
  const child = spawn(process.execPath, [CLI, 'serve'], { env, stdio: 'ignore' })
  const gone = once(child, 'exit')
  await delay(after)
  expect(child.exitCode, 'it was killed, and did not end by itself').toBeNull()
  kill9(processTree(child.pid as number).slice(0, whole ? undefined : 1))
  await gone
}
