import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { testProgram } from '../../test/support/test-program.ts'
import { zombieOf } from '../../test/support/zombie.ts'
import { acquireDataLock, DataFolderInUse } from './data-lock.ts'

let dataDir: string

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'footfall-lock-'))
})

afterEach(async () => {
  await rm(dataDir, { recursive: true, force: true })
})

/** Another process that holds the lock until it is killed. */
async function holder() {
  const program = `
    const { acquireDataLock } = await import(${JSON.stringify(testProgram('library'))})
    await acquireDataLock(process.argv[1])
    setInterval(() => {}, 60_000)
    console.log('held')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return child
}

it('a second Footfall on the folder is refused while the first lives, and told who it is', async () => {
  const child = await holder()
  await expect(acquireDataLock(dataDir)).rejects.toThrow(
    `The data folder ${dataDir} is in use by another Footfall (process ${child.pid}).`,
  )
  child.kill('SIGKILL')
  await once(child, 'exit')
})

it('a frozen holder still holds', async () => {
  const child = await holder()
  child.kill('SIGSTOP')
  await expect(acquireDataLock(dataDir)).rejects.toThrow(DataFolderInUse)
  child.kill('SIGKILL')
  await once(child, 'exit')
})

it('the lock of a killed process is free, and its socket is cleared away', async () => {
  const child = await holder()
  child.kill('SIGKILL')
  await once(child, 'exit')
  const lock = await acquireDataLock(dataDir)
  expect(await readdir(path.join(dataDir, 'lock'))).toHaveLength(1)
  await lock.release()
  expect(await readdir(path.join(dataDir, 'lock'))).toEqual([])
})

it('the lock of a killed process is free, also while it stands in the process table', async () => {
  const program = `
    const { acquireDataLock } = await import(${JSON.stringify(testProgram('library'))})
    await acquireDataLock(process.argv[1])
    setInterval(() => {}, 60_000)
    console.log('held')`
  const killed = await zombieOf(program, dataDir)
  try {
    await (await acquireDataLock(dataDir)).release()
  } finally {
    killed.bury()
  }
})

it('a released lock can be taken again', async () => {
  await (await acquireDataLock(dataDir)).release()
  await (await acquireDataLock(dataDir)).release()
})

it('of many who try at once, exactly one gets it', async () => {
  for (let round = 0; round < 5; round += 1) {
    const tries = await Promise.allSettled(Array.from({ length: 8 }, () => acquireDataLock(dataDir)))
    const won = tries.filter((outcome) => outcome.status === 'fulfilled')
    expect(won).toHaveLength(1)
    for (const outcome of tries)
      if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(DataFolderInUse)
    await won[0]?.value.release()
  }
})

it('works in a folder too deep for a socket', async () => {
  vi.stubEnv('TMPDIR', dataDir)
  const deep = path.join(dataDir, 'd'.repeat(60), 'e'.repeat(60))
  const lock = await acquireDataLock(deep)
  await expect(acquireDataLock(deep)).rejects.toThrow(DataFolderInUse)
  await lock.release()
  vi.unstubAllEnvs()
})
