import { expect, it } from 'vitest'
import { type Patience, RunningQueries } from './running.ts'

const HOUR = 3_600_000

/** A question that is told to stop, and stops when it was told so often; whether the engine was given up meanwhile. */
async function stopped({ afterTold, patience, cpuMs }: { afterTold: number; patience: Patience; cpuMs: () => number }) {
  let told = 0
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const stuck: string[] = []
  const running = new RunningQueries({
    kill: async () => {
      told++
      if (told === afterTold) end()
    },
    whenStuck: (tag) => {
      stuck.push(tag)
      end()
    },
    patience,
    cpuMs,
  })
  const abort = new AbortController()
  const work = running.track({ queryId: 'mine', abort, isQuestion: true }, () => ended)
  expect(running.cancel('mine')).toBe(true)
  await work
  return { stuck: stuck.length, told }
}

it('a question that is slow to stop because the machine is busy with other things is waited for', async () => {
  const patience = { runningMs: 1, waitingMs: HOUR }
  expect(await stopped({ afterTold: 6, patience, cpuMs: () => 0 })).toEqual({ stuck: 0, told: 6 })
})

it('the engine is given up when a question runs on although it was told to stop', async () => {
  const patience = { runningMs: 60, waitingMs: HOUR }
  expect((await stopped({ afterTold: 1_000, patience, cpuMs: () => performance.now() })).stuck).toBe(1)
})

it('the engine is given up when a question neither runs nor ends', async () => {
  const patience = { runningMs: HOUR, waitingMs: 60 }
  expect((await stopped({ afterTold: 1_000, patience, cpuMs: () => 0 })).stuck).toBe(1)
})

it('a machine of many cores does not shorten the time that a question has', async () => {
  let cpu = 0
  const patience = { runningMs: HOUR / 2, waitingMs: HOUR }
  expect(await stopped({ afterTold: 4, patience, cpuMs: () => (cpu += HOUR) })).toEqual({ stuck: 0, told: 4 })
})
