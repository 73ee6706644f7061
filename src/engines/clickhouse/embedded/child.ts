import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { drainPending } from 'chdb'
import { FairSlots } from '../../../lib/fair-slots.ts'
import { repairDeduplicationLogs } from './deduplication-repair.ts'
import {
  engineConfig,
  MAX_WAITING,
  QUESTION_READERS,
  QUESTIONS_OF_ONE_PROJECT,
  READERS,
  STOP_WITHIN_MS,
  WRITERS,
} from './engine-config.ts'
import { EngineSession } from './engine-session.ts'
import { RunningQueries } from './running.ts'
import { createEngineServer } from './server.ts'
import { SessionPool } from './session-pool.ts'
import { WholeParts } from './whole-parts.ts'

/**
 * The program that owns the embedded ClickHouse: one process, because the engine can neither live in a thread nor be restarted.
 *
 *   waiting   for the one message of the parent that says where the data is, on which port to serve and with which password
 *   serving   after the engine has opened the folder; the parent hears `ready`
 *   killed    by itself, when a question of a project goes on although it was told to stop: the parent starts it again
 *   ending    on SIGTERM or when the parent is gone: no new requests, what runs is killed, the engine closes, status 0
 *
 * If the folder cannot be opened the parent hears `failed` with the reason.
 */
export interface ChildOrder {
  readonly dataDir: string
  readonly port: number
  readonly username: string
  readonly password: string
  readonly database: string
}

export type ChildNews =
  | { readonly type: 'ready'; readonly port: number }
  | { readonly type: 'failed'; readonly reason: string }

/** Longer than a client of ours waits. */
const LONGEST_WAIT_MS = 330_000

/** Killed queries end within this time or the process ends without them. */
const DRAIN_MS = 2_000

process.once('message', (order: ChildOrder) => {
  serve(order).catch((error: Error) => fail(error.message))
})

async function serve(order: ChildOrder): Promise<void> {
  const store = path.join(order.dataDir, 'store')
  const spool = path.join(order.dataDir, 'spool')
  const config = path.join(order.dataDir, 'engine.xml')
  mkdirSync(store, { recursive: true })
  writeFileSync(config, engineConfig())

  if (ownerOf(store) === null) repairDeduplicationLogs(store)
  const first = open(store, [`--config-file=${config}`])
  // Only the owner of the folder may tidy it, hence after the engine has locked it.
  rmSync(spool, { recursive: true, force: true })
  mkdirSync(spool, { recursive: true })
  // Files are named to the engine relative to here, so that no character of the folder's name means anything to it.
  process.chdir(spool)

  // Never busy with a client's statement, so that a cancellation always gets through.
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
    perAsker: QUESTIONS_OF_ONE_PROJECT,
    mostWaiting: MAX_WAITING,
    patienceMs: LONGEST_WAIT_MS,
  })
  const running = new RunningQueries({ kill: command, whenStuck: endByForce, stopWithinMs: STOP_WITHIN_MS })
  const server = createEngineServer({
    readers,
    questions,
    questionSlots,
    writers,
    running,
    wholeParts: new WholeParts(spool),
    spool,
    ...order,
  })

  let ending = false
  const end = async () => {
    if (ending) return
    ending = true
    server.close()
    // Also ends what was accepted but does not run yet: a request without its connection is dropped.
    server.closeAllConnections()
    running.cancelAll()
    await Promise.race([drainPending(), new Promise((done) => setTimeout(done, DRAIN_MS))])
    for (const pool of [readers, questions, writers, control]) pool.close()
    await Promise.race([drainPending(), new Promise((done) => setTimeout(done, DRAIN_MS))])
    process.exit(0)
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', () => {}) // Ctrl-C reaches the whole group; the parent decides when we end.
  process.on('disconnect', end)

  server.listen(order.port, '127.0.0.1', () => tell({ type: 'ready', port: (server.address() as AddressInfo).port }))
  server.on('error', (error) => fail(error.message))
}

/**
 * The engine does not look whether a question was killed while it works on one block, and `exit` waits for it. What was acknowledged is
 * on disk, the parent starts a new engine, and whoever else was being answered asks again.
 */
function endByForce(tag: string): void {
  process.stderr.write(
    `the question ${tag} did not stop within ${STOP_WITHIN_MS} ms of being told to: ending the engine\n`,
  )
  process.kill(process.pid, 'SIGKILL')
}

function open(store: string, args: readonly string[]): EngineSession {
  try {
    return new EngineSession(store, args)
  } catch (error) {
    const owner = ownerOf(store)
    if (owner === null) throw error
    throw new Error(
      `another process already uses the ClickHouse data in ${path.dirname(store)} (process ${owner}): stop it, or choose another data folder (FOOTFALL_DATA)`,
    )
  }
}

/** The living process that the engine's lock file names, if it is not this one. */
function ownerOf(store: string): number | null {
  try {
    const pid = Number(/^PID: (\d+)/m.exec(readFileSync(path.join(store, 'status'), 'utf8'))?.[1])
    if (!pid || pid === process.pid) return null
    process.kill(pid, 0)
    return pid
  } catch {
    return null
  }
}

const tell = (news: ChildNews) => process.send?.(news)

function fail(reason: string): void {
  process.exitCode = 1
  process.stderr.write(`${reason}\n`)
  if (process.connected) process.send?.({ type: 'failed', reason } satisfies ChildNews, () => process.exit(1))
  else process.exit(1)
}
