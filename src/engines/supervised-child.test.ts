import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { createLogger } from '../lib/logger.ts'
import { type ChildOptions, SupervisedChild } from './supervised-child.ts'

const log = createLogger('silent')
const started: SupervisedChild[] = []
afterEach(async () => {
  for (const child of started.splice(0)) await child.stop()
})

/** A Node program that says `up` over IPC when it serves. */
const SERVES = 'process.send("up"); setInterval(() => {}, 1000)'

function options(program: () => string, more: Partial<ChildOptions> = {}): ChildOptions {
  return {
    name: 'sample',
    log,
    command: () => ({ file: process.execPath, args: ['-e', program()], ipc: true }),
    ready: async (child) => void (await once(child, 'message')),
    askToStop: (child) => child.kill('SIGTERM'),
    ...more,
  }
}

async function start(given: ChildOptions): Promise<SupervisedChild> {
  const child = await SupervisedChild.start(given)
  started.push(child)
  return child
}

async function until(condition: () => boolean): Promise<void> {
  // Each turn, not by the clock: a state may be short.
  for (const end = Date.now() + 60_000; !condition() && Date.now() < end; ) await new Promise(setImmediate)
  expect(condition()).toBe(true)
}

const alive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('starting -> ready: start resolves once the child says so', async () => {
  const child = await start(options(() => SERVES))
  expect(child.state).toBe('ready')
  expect(alive(child.pid as number)).toBe(true)
  await child.whenReady()
})

test('a first start that fails rejects with what the child wrote last', async () => {
  await expect(start(options(() => 'console.error("no such disk"); process.exit(3)'))).rejects.toThrow(
    /status 3.*no such disk/,
  )
})

test('a first start whose program does not exist rejects', async () => {
  const given = options(() => '')
  await expect(start({ ...given, command: () => ({ file: '/no/such/program', args: [] }) })).rejects.toThrow(/ENOENT/)
})

test('a first start that is not ready in time rejects and leaves no process', async () => {
  let pid = 0
  let over: AbortSignal | null = null
  const given = options(() => 'setInterval(() => {}, 1000)', {
    startTimeoutMs: 200,
    ready: (child, signal) => {
      pid = child.pid as number
      over = signal
      return new Promise(() => {})
    },
  })
  await expect(start(given)).rejects.toThrow(/not ready after 200 ms/)
  expect(alive(pid)).toBe(false)
  expect(over).toMatchObject({ aborted: true })
})

test('ready -> backing-off -> starting -> ready: a killed child comes back by itself', async () => {
  const child = await start(options(() => SERVES))
  const first = child.pid as number
  process.kill(first, 'SIGKILL')
  await until(() => child.state === 'backing-off')
  await child.whenReady()
  expect(child.state).toBe('ready')
  expect(child.pid).not.toBe(first)
  expect(child.restarts).toBe(1)
})

test('starting -> backing-off: a restart that fails is tried again', async () => {
  let starts = 0
  const child = await start(options(() => (++starts === 2 ? 'process.exit(1)' : SERVES)))
  process.kill(child.pid as number, 'SIGKILL')
  await until(() => child.state !== 'ready')
  await child.whenReady()
  expect(child.restarts).toBe(2)
})

test('ready -> stopping -> stopped: the child is asked, ends, and is not started again', async () => {
  const child = await start(options(() => SERVES))
  const pid = child.pid as number
  const stopped = child.stop()
  expect(child.state).toBe('stopping')
  await stopped
  expect(child.state).toBe('stopped')
  expect(alive(pid)).toBe(false)
  expect(child.restarts).toBe(0)
})

test('stopping: a child that does not listen is killed', async () => {
  const child = await start(options(() => `process.on('SIGTERM', () => {}); ${SERVES}`, { stopTimeoutMs: 100 }))
  const pid = child.pid as number
  await child.stop()
  expect(alive(pid)).toBe(false)
})

test('backing-off -> stopped: no further start, and whoever waits for ready is refused', async () => {
  let starts = 0
  const child = await start(options(() => (++starts === 1 ? SERVES : 'process.exit(1)')))
  process.kill(child.pid as number, 'SIGKILL')
  await until(() => child.restarts >= 1 && child.state === 'backing-off')
  const waiting = child.whenReady()
  const refused = expect(waiting).rejects.toThrow(/was stopped/)
  await child.stop()
  await refused
  expect(child.state).toBe('stopped')
  await expect(child.whenReady()).rejects.toThrow(/was stopped/)
})

test('starting -> stopping: a restart that is under way is ended', async () => {
  let starts = 0
  const child = await start(options(() => (++starts === 1 ? SERVES : 'setInterval(() => {}, 1000)')))
  process.kill(child.pid as number, 'SIGKILL')
  await until(() => child.restarts === 1 && child.state === 'starting')
  await child.stop()
  expect(child.state).toBe('stopped')
  expect(alive(child.pid as number)).toBe(false)
})
