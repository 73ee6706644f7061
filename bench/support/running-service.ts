import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../../test/support/free-port.ts'
import { type Process, processTree } from '../../test/support/process-tree.ts'

export const TOKEN = 'phc_bench'
const KEY = 'phx_bench'
export const USER = 'bench@example.com'
export const PASSWORD = 'a bench to sit on'

/** The built service on a folder and a port of its own. */
export class RunningService {
  readonly folder = mkdtempSync(path.join(os.tmpdir(), 'footfall-bench-'))
  port = 0
  child: ChildProcess | null = null
  readyMs = 0

  async start(): Promise<void> {
    this.port = await freePort()
    const provision = path.join(this.folder, 'provision.json')
    writeFileSync(
      provision,
      JSON.stringify({
        organization: { name: 'Bench' },
        projects: [{ id: 1, name: 'Bench', api_token: TOKEN }],
        users: [
          {
            email: USER,
            password: PASSWORD,
            personal_api_keys: [{ label: 'bench', value: KEY, scopes: ['*'] }],
          },
        ],
      }),
    )
    const began = performance.now()
    this.child = spawn(process.execPath, ['dist/cli.js', 'serve'], {
      env: {
        ...process.env,
        FOOTFALL_PORT: String(this.port),
        FOOTFALL_DATA: path.join(this.folder, 'data'),
        FOOTFALL_PROVISION: provision,
        FOOTFALL_LOG_LEVEL: 'error',
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    for (let tries = 0; tries < 1200; tries++) {
      const answer = await fetch(`http://127.0.0.1:${this.port}/_ready`).catch(() => null)
      if (answer?.status === 200) break
      await delay(25)
    }
    this.readyMs = performance.now() - began
  }

  async stop(): Promise<void> {
    this.child?.kill('SIGTERM')
    await new Promise((done) => this.child?.once('exit', done))
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  async api<T>(at: string, body?: unknown): Promise<T> {
    const answer = await fetch(`http://127.0.0.1:${this.port}/api/environments/1/${at}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${at}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as T
  }

  async count(event: string): Promise<number> {
    const { result } = await this.api<{ result: { count: number }[] }>('insights/trend/?refresh=true', {
      events: [{ id: event }],
      date_from: '-1d',
    })
    return result[0]?.count ?? 0
  }

  /** How long it takes from sending an event to a trend that counts it, in milliseconds. */
  async untilCounted(): Promise<number> {
    const event = `counted-${randomUUID()}`
    const began = performance.now()
    await fetch(`http://127.0.0.1:${this.port}/i/v0/e/`, {
      method: 'POST',
      body: JSON.stringify({ api_key: TOKEN, event, distinct_id: 'somebody' }),
    })
    while ((await this.count(event)) === 0) await delay(10)
    return performance.now() - began
  }

  /** Until at most so many bytes of the log are left; with none left, what was acknowledged is in the tables. */
  async drained(left = 0): Promise<void> {
    for (let tries = 0; tries < 12_000; tries++) {
      const text = await (await fetch(`http://127.0.0.1:${this.port}/metrics`)).text()
      if (Number(/^footfall_log_backlog_bytes (\d+)$/m.exec(text)?.[1]) <= left) return
      await delay(50)
    }
    throw new Error('the log was not read after ten minutes')
  }

  /** The service's own process and all below it. */
  tree(): Process[] {
    return processTree(this.child?.pid)
  }

  /** CPU seconds used so far. The pipeline's thread is known by its niceness; the rest of the service's own process is capture and API. */
  cpu(): CpuSeconds {
    const used = { capture: 0, pipeline: 0, clickhouse: 0, postgres: 0 }
    for (const { pid, command } of this.tree()) {
      if (pid === this.child?.pid) {
        const threads = threadsOf(pid)
        const nice = Math.min(...threads.map((thread) => thread.nice))
        for (const thread of threads) used[thread.nice > nice ? 'pipeline' : 'capture'] += thread.seconds
      } else used[command.includes('clickhouse') ? 'clickhouse' : 'postgres'] += statOf(`/proc/${pid}/stat`).seconds
    }
    return used
  }
}

type CpuSeconds = Record<'capture' | 'pipeline' | 'clickhouse' | 'postgres', number>

/** CPU seconds of one process. */
export const cpuOf = (pid: number | undefined): number => statOf(`/proc/${pid}/stat`).seconds

/** What was used between two readings, in microseconds for each of so many events. */
export const microsEach = (before: CpuSeconds, after: CpuSeconds, events: number): string =>
  (Object.keys(before) as (keyof CpuSeconds)[])
    .map((who) => `${who} ${(((after[who] - before[who]) / events) * 1e6).toFixed(0)}`)
    .join(', ')

const threadsOf = (pid: number) =>
  readdirSync(`/proc/${pid}/task`).map((thread) => statOf(`/proc/${pid}/task/${thread}/stat`))

function statOf(file: string): { seconds: number; nice: number } {
  try {
    const stat = readFileSync(file, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { seconds: (Number(fields[11]) + Number(fields[12])) / 100, nice: Number(fields[16]) }
  } catch {
    return { seconds: 0, nice: 0 }
  }
}
