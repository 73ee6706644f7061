// Runs one embedded engine, or Chromium, for all test files of a worker of the test runner (test/support/shared-engine.ts), and ends with that run.
import { renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const compiled = (file) => import(path.join(process.env.TEST_COMPILED, file))
const [kind, folder] = process.argv.slice(2)
const { createLogger } = await compiled('lib/logger.js')
const log = createLogger('warn')

const STARTERS = {
  /** Its database `postgres` has every table and nothing in it: the databases of test files are copies of it. */
  async postgres() {
    const { applyPostgresMigrations, openPostgres, startEmbeddedPostgres } = await compiled('engines/postgres/index.js')
    const embedded = await startEmbeddedPostgres({ dataDir: folder, log })
    const sql = await openPostgres(embedded.connection, { log })
    // Nothing here has to outlive a power cut, and waiting for the disk is most of what a copy costs.
    for (const setting of ['fsync', 'full_page_writes', 'synchronous_commit'])
      await sql.unsafe(`ALTER SYSTEM SET ${setting} = off`)
    await sql`SELECT pg_reload_conf()`
    await applyPostgresMigrations(sql, log)
    await sql.end({ timeout: 5 })
    return { embedded, ready: embedded.connection }
  },
  async clickhouse() {
    const { startEmbeddedClickHouse } = await compiled('engines/clickhouse/index.js')
    const embedded = await startEmbeddedClickHouse({ dataDir: folder, log })
    const { url, username, password } = embedded
    return { embedded, ready: { url, username, password } }
  },
  async chromium() {
    const { chromium } = await import('playwright-core')
    const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update']
    const server = await chromium.launchServer({
      executablePath: '/usr/bin/chromium',
      host: '127.0.0.1',
      args: [...args, '--disable-sync'],
    })
    return { embedded: { stop: () => server.close() }, ready: { endpoint: server.wsEndpoint() } }
  },
}

const { embedded, ready } = await STARTERS[kind]()
const file = path.join(folder, 'ready.json')
writeFileSync(`${file}.new`, JSON.stringify(ready))
renameSync(`${file}.new`, file)

let stopping = false
async function stop() {
  if (stopping) return
  stopping = true
  await embedded.stop()
  process.exit(0)
}
process.on('SIGTERM', stop)
// A test runner that was killed tells nobody.
setInterval(() => {
  try {
    process.kill(Number(process.env.TEST_RUNNER_PID), 0)
  } catch {
    void stop()
  }
}, 1_000)
writeFileSync(path.join(folder, 'pid'), String(process.pid))
