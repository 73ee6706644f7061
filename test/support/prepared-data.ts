import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'

const MADE_WITHIN_MS = 600_000

/**
 * Data folders that a service has made and left, once in a run of the tests: whoever wants one like it starts on a copy, and spends no
 * time on making a cluster of Postgres and the tables.
 */
export async function copyPreparedData(name: string, to: string, make: (data: string) => Promise<void>): Promise<void> {
  const { TEST_RUN_FOLDER: run, TEST_COMPILED: compiled } = process.env
  if (!run || !compiled) throw new Error('Data are prepared for test files only: run this with vitest')
  const prepared = path.join(run, `data-${name}-${path.basename(compiled).slice(-6)}`)
  if (!existsSync(prepared)) await makeOnce(prepared, make)
  await mkdir(path.dirname(to), { recursive: true })
  await promisify(execFile)('cp', ['-a', prepared, to])
}

/** One of the workers makes it, the others wait; when it fails, the next one tries. */
async function makeOnce(prepared: string, make: (data: string) => Promise<void>): Promise<void> {
  const lock = `${prepared}.lock`
  const end = Date.now() + MADE_WITHIN_MS
  while (!existsSync(prepared)) {
    const ours = await mkdir(lock).then(
      () => true,
      () => false,
    )
    if (ours) {
      const fresh = path.join(lock, 'data')
      try {
        // Another worker may have finished between our look and our lock.
        if (existsSync(prepared)) return
        await make(fresh)
        await rename(fresh, prepared)
      } finally {
        await rm(lock, { recursive: true, force: true })
      }
      return
    }
    if (Date.now() > end) throw new Error(`${prepared} was not made in time`)
    await delay(50)
  }
}
