import { chmodSync, mkdirSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import path from 'node:path'
import { drainPending } from 'chdb'
import { FairSlots } from '../../../lib/fair-slots.ts'
import { atMost } from '../../../lib/in-time.ts'
import {
  engineConfig,
  MAX_WAITING,
  QUESTION_READERS,
  QUESTIONS_OF_ONE_ORGANIZATION,
  QUESTIONS_OF_ONE_PROJECT,
  READERS,
  STOPS_WITHIN,
  WRITERS,
} from './config/engine-config.ts'
import { engineUsers } from './config/engine-users.ts'
import { engineOf } from './leftovers.ts'
import { repairDeduplicationLogs } from './parts/deduplication-repair.ts'
import { WholeParts } from './parts/whole-parts.ts'
import { RunningQueries } from './server/running.ts'
import { createEngineServer } from './server/server.ts'
import { EngineSession } from './sessions/engine-session.ts'
import { SessionPool } from './sessions/session-pool.ts'
import { storeOf } from './store.ts'

/**
 * The program of the embedded ClickHouse: a process of its own, because the engine can neither run in a thread nor be
 * restarted.
 *
 *   waiting   for one message of the parent with the data folder, the socket and the password
 *   serving   after the engine has opened the folder; the parent gets `ready`
 *   killed    by itself, when a query of a project runs on after it was killed: the parent starts the process again
 *   ending    on SIGTERM or when the parent is gone: no new requests, running queries are killed, the engine closes,
 *             status 0
 *
 * If the folder cannot be opened the parent gets `failed` with the reason.
 */
export interface ChildOrder {
  readonly dataDir: string
  /** A path in a folder that other users cannot enter. */
  readonly socket: string
  readonly username: string
  readonly password: string
  readonly database: string
  /** Added to the engine's configuration. */
  readonly moreConfig: string
  /** More than 1 where the engine is slower than on a processor it was built for. */
  readonly slowness: number
}

export type ChildNews = { readonly type: 'ready' } | { readonly type: 'failed'; readonly reason: string }

/** Longer than our client waits. */
const LONGEST_WAIT_MS = 330_000

/** ClickHouse deletes the source parts of a merge eight minutes later. */
const LOOK_AT_MERGES_MS = 30_000
/** Killed queries must end within this time; otherwise the process exits all the same. */
const DRAIN_MS = 2_000

process.once('message', (order: ChildOrder) => {
  serve(order).catch((error: Error) => fail(error.message))
})

async function serve(order: ChildOrder): Promise<void> {
  const store = storeOf(order.dataDir)
  const spool = path.join(order.dataDir, 'spool')
  const [config, users] = [path.join(order.dataDir, 'engine.xml'), path.join(order.dataDir, 'users.xml')]
  // Files of the engine are readable for their owner only, whatever the umask.
  process.umask(0o077)
  mkdirSync(store, { recursive: true })
  writeFileSync(users, engineUsers())
  writeFileSync(config, engineConfig(users, order.moreConfig))

  if (engineOf(store) === null) repairDeduplicationLogs(store)
  const first = open(store, [`--config-file=${config}`])
  // Only after the engine has locked the folder may it be cleaned up.
  rmSync(spool, { recursive: true, force: true })
  mkdirSync(spool, { recursive: true })
  // The engine gets relative file names, so that no character of the folder's name has a special meaning.
  process.chdir(spool)

  // A session without client statements, so that a cancellation never waits.
  const control = new SessionPool({ size: 1, maxWaiting: MAX_WAITING, open: () => first })
  const noScope = { database: 'default', settings: new Map(), params: new Map() }
  const command = (statement: string) =>
    control.use(new AbortController().signal, async (session) =>
      (await session.enter(noScope, statement)).queryAsync(statement),
    )
  await command(`CREATE DATABASE IF NOT EXISTS \`${order.database}\` ENGINE = Atomic`)

  const session = () => new EngineSession(store)
  const readers = new SessionPool({ size: READERS, maxWaiting: MAX_WAITING, open: session })
  const writers = new SessionPool({ size: WRITERS, maxWaiting: MAX_WAITING, open: session })
  const questions = new SessionPool({ size: QUESTION_READERS, maxWaiting: MAX_WAITING, open: session })
  const questionSlots = new FairSlots({
    size: QUESTION_READERS,
    perOwner: QUESTIONS_OF_ONE_PROJECT,
    perGroup: QUESTIONS_OF_ONE_ORGANIZATION,
    mostWaiting: MAX_WAITING,
    patienceMs: LONGEST_WAIT_MS,
  })
  const patience = {
    runningMs: STOPS_WITHIN.runningMs * order.slowness,
    waitingMs: STOPS_WITHIN.waitingMs * order.slowness,
  }
  const running = new RunningQueries({ kill: command, whenStuck: endByForce, patience, cpuMs })
  const wholeParts = new WholeParts(spool, startAnew)
  const lookAtMerges = () =>
    writers.use(new AbortController().signal, async (session) =>
      wholeParts.lookAtMerges(await session.enter(noScope, '')),
    )
  // A check that fails now is repeated the next time.
  const looking = setInterval(() => void lookAtMerges().catch(() => {}), LOOK_AT_MERGES_MS)
  const server = createEngineServer({
    readers,
    questions,
    questionSlots,
    writers,
    running,
    wholeParts,
    spool,
    ...order,
  })

  let ending = false
  const end = async () => {
    if (ending) return
    ending = true
    clearInterval(looking)
    server.close()
    // Also ends requests that were accepted but do not run yet: a request without its connection is dropped.
    server.closeAllConnections()
    running.cancelAll()
    await atMost(DRAIN_MS, drainPending())
    for (const pool of [readers, questions, writers, control]) pool.close()
    await atMost(DRAIN_MS, drainPending())
    process.exit(0)
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', () => {}) // Ctrl-C reaches the whole group; the parent decides when we end.
  process.on('disconnect', end)

  // We have the engine's lock on the folder, so no process listens on a socket that is found here.
  rmSync(order.socket, { force: true })
  server.on('error', (error) => fail(error.message))
  server.listen(order.socket, () => {
    chmodSync(order.socket, 0o600)
    tell({ type: 'ready' })
  })
}

/**
 * The engine does not check whether a query was killed while it works on one block, and `exit` waits for it.
 * Acknowledged inserts are on disk, and other running queries are retried by their clients.
 */
const endByForce = (tag: string): void => startAnew(`the question ${tag} does not stop although it was told to`)

/** Of this process, which is the engine. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** As after a power cut: the parent starts a new engine, which recovers its folder. */
function startAnew(why: string): void {
  writeSync(process.stderr.fd, `${why}: the engine starts anew\n`)
  process.kill(process.pid, 'SIGKILL')
}

function open(store: string, args: readonly string[]): EngineSession {
  try {
    return new EngineSession(store, args)
  } catch (error) {
    const owner = engineOf(store)
    if (owner === null) throw error
    throw new Error(
      `another process already uses the ClickHouse data in ${path.dirname(store)} (process ${owner}): stop it, or choose another data folder (FOOTFALL_DATA)`,
    )
  }
}

const tell = (news: ChildNews) => process.send?.(news)

function fail(reason: string): void {
  process.exitCode = 1
  process.stderr.write(`${reason}\n`)
  if (process.connected) process.send?.({ type: 'failed', reason } satisfies ChildNews, () => process.exit(1))
  else process.exit(1)
}
