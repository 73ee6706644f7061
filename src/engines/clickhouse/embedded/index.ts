import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chown, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { entryPoint } from '../../../lib/entry-point.ts'
import type { Logger } from '../../../lib/logger.ts'
import { privateFolder } from '../../private-folder.ts'
import { chooseRunAs, commandAs, type EngineProgram } from '../../run-as.ts'
import { socketDirectory } from '../../socket-directory.ts'
import { type ChildState, SupervisedChild } from '../../supervised-child.ts'
import type { ChildNews, ChildOrder } from './child.ts'
import { endLeftoverEngine, startedBy } from './leftovers.ts'
import { storeOf } from './store.ts'

/**
 * ClickHouse on this machine, in a child process that is kept alive. Its socket stays the same when it is restarted;
 * each start has a new secret, in `secretFile`.
 */
export interface EmbeddedClickHouse {
  readonly url: string
  readonly socket: string
  readonly username: string
  readonly secretFile: string
  readonly database: string
  readonly state: ChildState
  readonly pid: number | undefined
  readonly restarts: number
  /** Resolves at once while it serves, else when it is back. */
  whenReady(): Promise<void>
  stop(): Promise<void>
}

/**
 * Capture has priority when the machine is busy. Set before the start, because the engine creates its threads when it
 * is loaded.
 */
const YIELD_BY = 5

/** libuv threads: every session may be in the engine at the same time, and files must still be read. */
const THREADS = 24

const CHILD = entryPoint(import.meta.url, './child.ts')

const LIBRARY = createRequire(import.meta.url).resolve('chdb')

/**
 * Where chDB has no build for this processor, its folder may hold a program that runs the Node of another one
 * (docs/OPERATIONS.md, "Processors without a build of ClickHouse").
 */
const EMULATED = path.join(LIBRARY.slice(0, LIBRARY.lastIndexOf('node_modules')), 'node_modules', '.emulated', 'node')

const ENGINE: EngineProgram = {
  name: 'ClickHouse',
  program: existsSync(EMULATED) ? EMULATED : process.execPath,
  reads: [CHILD, LIBRARY],
  env: { UV_THREADPOOL_SIZE: String(THREADS), TZ: 'UTC' },
  elsewhere: 'FOOTFALL_CLICKHOUSE_URL to a ClickHouse server',
}

/** So much longer an emulated engine has for what it should do in time. */
const SLOWNESS_OF_EMULATION = 3

/** The files that are needed to run it. */
export const startProgram = (): EngineProgram => ENGINE

const SOCKET = 'engine.sock'

interface EmbeddedOptions {
  readonly dataDir: string
  readonly log: Logger
  /** Added to the engine's configuration. */
  readonly moreConfig?: string
}

export async function startEmbeddedClickHouse(options: EmbeddedOptions): Promise<EmbeddedClickHouse> {
  if (ENGINE.program === EMULATED) options.log.warn('ClickHouse runs under emulation: good for tests, not for numbers')
  const dataDir = await privateFolder(options.dataDir, 'clickhouse')
  const runAs = await chooseRunAs(ENGINE, dataDir)
  const directory = await socketDirectory(dataDir, SOCKET)
  if (directory !== dataDir && runAs.uid !== undefined) await chown(directory, runAs.uid, runAs.gid ?? runAs.uid)
  const place = { dataDir, socket: path.join(directory, SOCKET) }
  const name = { username: 'footfall', database: 'footfall' }
  const secretFile = path.join(dataDir, 'secret')
  const child = await SupervisedChild.start({
    name: 'clickhouse',
    log: options.log,
    command: async () => {
      await endLeftoverEngine(storeOf(dataDir), options.log)
      const args = ['--max-old-space-size=512', CHILD, startedBy(process.pid)]
      return { ...commandAs(runAs, ENGINE.env, ENGINE.program, args), ipc: true, yieldBy: YIELD_BY }
    },
    ready: async (process) => {
      const password = randomBytes(32).toString('base64url')
      await new Promise<void>((resolve, reject) => {
        process.once('message', (news: ChildNews) =>
          news.type === 'ready'
            ? resolve()
            : reject(new Error(`The embedded ClickHouse did not start: ${news.reason}`)),
        )
        const { moreConfig = '' } = options
        const slowness = ENGINE.program === EMULATED ? SLOWNESS_OF_EMULATION : 1
        process.send(
          { ...place, ...name, password, moreConfig, slowness } satisfies ChildOrder,
          (error) => error && reject(error),
        )
      })
      // Only now, when it has the folder's lock: a second engine that was refused must not overwrite the secret of the
      // first.
      await keepSecret(secretFile, password)
    },
    askToStop: (process) => process.kill('SIGTERM'),
  })
  return {
    // The host name is not used: connections go to the socket.
    url: 'http://localhost',
    socket: place.socket,
    ...name,
    secretFile,
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
    stop: async () => {
      await child.stop()
      await rm(secretFile, { force: true })
    },
  }
}

/** Ends the engine of a killed Footfall while we have the right to: it may run as another user than the next one. */
export const endLeftoverEngineIn = (dataDir: string, log: Logger): Promise<void> =>
  endLeftoverEngine(storeOf(path.join(dataDir, 'clickhouse')), log)

/**
 * Written to a new file and renamed: readers find the old secret or the new one, and a symbolic link is not followed.
 */
async function keepSecret(file: string, secret: string): Promise<void> {
  await rm(`${file}.new`, { force: true })
  await writeFile(`${file}.new`, secret, { mode: 0o600, flag: 'wx' })
  await rename(`${file}.new`, file)
}
