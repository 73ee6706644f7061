import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '../../../lib/logger.ts'
import { livingProcess } from '../../processes.ts'

/** In the command line of every engine: the process that started it. */
export const startedBy = (pid: number): string => `--started-by=${pid}`

const PROGRAM = /clickhouse\/embedded\/child\.[jt]s/
const GONE_WITHIN_MS = 10_000

/** The running engine in the lock file of a folder, if it is another process than this one. */
export function engineOf(store: string): number | null {
  try {
    const pid = Number(/^PID: (\d+)/m.exec(readFileSync(path.join(store, 'status'), 'utf8'))?.[1])
    if (!pid || pid === process.pid) return null
    return PROGRAM.test(livingProcess(pid)?.command ?? '') ? pid : null
  } catch {
    return null
  }
}

/**
 * An engine whose Footfall was killed ends by itself, but that may take seconds, and the next engine would find the
 * folder locked. So it is killed at once. An engine whose Footfall runs is left alone; the new one is then refused with
 * its pid.
 */
export async function endLeftoverEngine(store: string, log: Logger): Promise<void> {
  const deadline = Date.now() + GONE_WITHIN_MS
  for (let pid = orphanOf(store); pid !== null && Date.now() < deadline; pid = orphanOf(store)) {
    log.debug({ pid }, 'ending the ClickHouse that a killed Footfall left behind')
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended already, or belongs to another user: then it ends by itself.
    }
    await delay(20)
  }
}

function orphanOf(store: string): number | null {
  const pid = engineOf(store)
  const engine = pid === null ? null : livingProcess(pid)
  return engine && !engine.command.includes(startedBy(engine.parent)) ? pid : null
}
