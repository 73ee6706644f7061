// Runs one embedded engine for all test files of a worker of the test runner (test/support/shared-engine.ts), and ends
// with that run.
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startEmbeddedClickHouse } from '../../../src/engines/clickhouse/index.ts'
import { applyPostgresMigrations, openPostgres, startEmbeddedPostgres } from '../../../src/engines/postgres/index.ts'
import { createLogger } from '../../../src/lib/logger.ts'
import { startClusterEngine } from '../cluster-engine.ts'

const [kind = '', folder = ''] = process.argv.slice(2)
const log = createLogger('warn')

/** Of initdb. It cannot connect to a server of the service. */
const SUPERUSER = 'footfall'

/** A server reads its list of who may connect some time after it was told to. */
async function untilConnected<T>(connect: () => Promise<T>): Promise<T> {
  for (let left = 200; ; left--) {
    try {
      return await connect()
    } catch (error) {
      if (left === 0) throw error
      await delay(25)
    }
  }
}

interface Started {
  readonly embedded: { stop(): Promise<void> }
  readonly ready: object
}

const STARTERS: Record<string, () => Promise<Started>> = {
  /** Its database `postgres` has every table and nothing in it: the databases of test files are copies of it. */
  async postgres() {
    const embedded = await startEmbeddedPostgres({ dataDir: folder, log })
    const { user } = embedded.connection
    // Test files make databases of their own, which the service never does: its role may, and connect to them.
    const list = path.join(folder, 'postgres', 'cluster', 'pg_hba.conf')
    writeFileSync(list, `local all ${user} scram-sha-256\nlocal all ${SUPERUSER} trust\n`)
    if (embedded.pid === undefined) throw new Error('Postgres has no process')
    process.kill(embedded.pid, 'SIGHUP')
    const admin = await untilConnected(() => openPostgres({ ...embedded.connection, user: SUPERUSER }, { log }))
    await admin.unsafe(`ALTER ROLE ${user} CREATEDB`)
    // Nothing here has to outlive a power cut, and waiting for the disk is most of what a copy costs.
    for (const setting of ['fsync', 'full_page_writes', 'synchronous_commit'])
      await admin.unsafe(`ALTER SYSTEM SET ${setting} = off`)
    await admin`SELECT pg_reload_conf()`
    await admin.end({ timeout: 5 })
    const sql = await openPostgres(embedded.connection, { log })
    await applyPostgresMigrations(sql, log)
    await sql.end({ timeout: 5 })
    return { embedded, ready: { ...embedded.connection, superuser: SUPERUSER } }
  },
  async clickhouse() {
    const embedded = await startEmbeddedClickHouse({ dataDir: folder, log })
    const { url, socket, username, secretFile } = embedded
    return { embedded, ready: { url, socket, username, secretFile } }
  },
  async 'clickhouse-cluster'() {
    const engine = await startClusterEngine(folder, log)
    return { embedded: engine, ready: engine.server }
  },
}

const start = STARTERS[kind]
if (start === undefined) throw new Error(`there is no engine "${kind}"`)
const { embedded, ready } = await start()
const file = path.join(folder, 'ready.json')
writeFileSync(`${file}.new`, JSON.stringify({ pid: process.pid, ready }))
renameSync(`${file}.new`, file)

let stopping = false
async function stop() {
  if (stopping) return
  stopping = true
  await embedded.stop()
  process.exit(0)
}
process.on('SIGTERM', stop)
// A test runner that was killed tells nobody, and removes nothing.
setInterval(() => {
  try {
    process.kill(Number(process.env.TEST_RUNNER_PID), 0)
  } catch {
    process.once('exit', () => rmSync(process.env.TEST_RUN_FOLDER ?? folder, { recursive: true, force: true }))
    void stop()
  }
}, 1_000)
