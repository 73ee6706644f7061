import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const STOP_WITHIN_MS = 30_000

/** A folder for what the test files of one run share: engines and prepared data. Ends those engines and removes the folder at the end. */
export function setup(): () => Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'footfall-run-'))
  process.env.TEST_RUN_FOLDER = folder
  process.env.TEST_RUNNER_PID = String(process.pid)
  return async () => {
    const engines = readdirSync(folder)
      .map((name) => path.join(folder, name, 'ready.json'))
      .filter((file) => existsSync(file))
      .map((file): number => JSON.parse(readFileSync(file, 'utf8')).pid)
    await Promise.all(engines.map(end))
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function end(pid: number): Promise<void> {
  const until = Date.now() + STOP_WITHIN_MS
  for (let signal: NodeJS.Signals | 0 = 'SIGTERM'; isRunning(pid, signal); signal = Date.now() > until ? 'SIGKILL' : 0)
    await delay(50)
}

function isRunning(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}
