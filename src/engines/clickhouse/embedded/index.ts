import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import { entryPoint } from '../../../lib/entry-point.ts'
import type { Logger } from '../../../lib/logger.ts'
import { type ChildState, SupervisedChild } from '../../supervised-child.ts'
import type { ChildNews, ChildOrder } from './child.ts'

/** ClickHouse on this machine, in a child process that is kept alive. Its address and password stay the same when it is restarted. */
export interface EmbeddedClickHouse {
  readonly url: string
  readonly username: string
  readonly password: string
  readonly database: string
  readonly state: ChildState
  readonly pid: number | undefined
  readonly restarts: number
  /** Resolves at once while it serves, else when it is back. */
  whenReady(): Promise<void>
  stop(): Promise<void>
}

/** Capture comes first when the machine is busy. From the very start, because the engine makes its threads when it is loaded. */
const YIELD_BY = 5

/** libuv threads: every session may be inside the engine at once, and files still have to be read. */
const THREADS = 24

export async function startEmbeddedClickHouse(options: { dataDir: string; log: Logger }): Promise<EmbeddedClickHouse> {
  const order: ChildOrder = {
    dataDir: path.resolve(options.dataDir, 'clickhouse'),
    port: await freePort(),
    username: 'footfall',
    password: randomBytes(24).toString('base64url'),
    database: 'footfall',
  }
  await mkdir(order.dataDir, { recursive: true })
  const child = await SupervisedChild.start({
    name: 'clickhouse',
    log: options.log,
    command: () => ({
      file: process.execPath,
      args: ['--max-old-space-size=512', entryPoint(import.meta.url, './child.ts')],
      env: { ...process.env, UV_THREADPOOL_SIZE: String(THREADS), TZ: 'UTC' },
      ipc: true,
      yieldBy: YIELD_BY,
    }),
    ready: (process) =>
      new Promise((resolve, reject) => {
        process.once('message', (news: ChildNews) =>
          news.type === 'ready'
            ? resolve()
            : reject(new Error(`The embedded ClickHouse did not start: ${news.reason}`)),
        )
        process.send(order, (error) => error && reject(error))
      }),
    askToStop: (process) => process.kill('SIGTERM'),
  })
  return {
    url: `http://127.0.0.1:${order.port}`,
    username: order.username,
    password: order.password,
    database: order.database,
    get state() {
      return child.state
    },
    get pid() {
      return child.pid
    },
    get restarts() {
      return child.restarts
    },
    whenReady: () => child.whenReady(),
    stop: () => child.stop(),
  }
}

/** Chosen once, so that a restarted child is found where it was. */
async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => probe.once('error', reject).listen(0, '127.0.0.1', resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise((done) => probe.close(done))
  return port
}
