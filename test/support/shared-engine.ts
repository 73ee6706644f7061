import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { testProgram } from './test-program.ts'

/**
 * An engine that the test files of one worker of the test runner use one after another, each in a database of its own. The first that
 * needs it starts it, and the end of the run ends it (test/support/run-folder.ts). A worker runs one file at a time, so none meets another's load.
 */
const START_WITHIN_MS = 600_000

/** What the child wrote when its engine was ready. */
export async function sharedEngine<T>(kind: 'postgres' | 'clickhouse' | 'clickhouse-cluster'): Promise<T> {
  const { TEST_RUN_FOLDER: run, TEST_COMPILED: compiled, VITEST_POOL_ID: worker } = process.env
  if (!run || !compiled || !worker) throw new Error('Engines are shared between test files only: run this with vitest')
  // Of these sources: after a change in watch mode, an engine is started anew.
  const folder = path.join(run, `${kind}-${worker}-${path.basename(compiled).slice(-6)}`)
  const ready = path.join(folder, 'ready.json')
  if (!isServing(ready)) await start(kind, folder, ready)
  return JSON.parse(readFileSync(ready, 'utf8')).ready
}

/** It is there, and so is its process: one that was killed from outside is started again. */
function isServing(ready: string): boolean {
  if (!existsSync(ready)) return false
  try {
    return process.kill(JSON.parse(readFileSync(ready, 'utf8')).pid, 0)
  } catch {
    rmSync(ready)
    return false
  }
}

async function start(kind: string, folder: string, ready: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const output = path.join(folder, 'output')
  const file = openSync(output, 'a')
  const child = spawn(process.execPath, [testProgram('shared-engine'), kind, folder], {
    detached: true,
    stdio: ['ignore', file, file],
  })
  child.unref()
  const end = Date.now() + START_WITHIN_MS
  while (!existsSync(ready)) {
    if (child.exitCode !== null || child.signalCode !== null || Date.now() > end)
      throw new Error(`the shared ${kind} did not start:\n${readFileSync(output, 'utf8')}`)
    await delay(20)
  }
}

let databases = 0

/** Of one test file, and never used again. */
export const newDatabaseName = (): string => `test_${process.pid}_${++databases}`
