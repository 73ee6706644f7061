/**
 * How much faster two pipelines apply events than one: processes that share eight partitions of a log in NATS, with a
 * PostgreSQL of their own and a ClickHouse that discards what it gets. Each pipeline is pinned to a core where `taskset` is there. On a
 * machine with fewer cores than all of them need, the time they take says little; what one event costs the pipelines, in CPU, does: as
 * long as it stays the same, twice as many do twice as much on cores of their own. Run it with `npm run bench pipelines`.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openPostgres, startEmbeddedPostgres } from '../src/engines/postgres/index.ts'
import { createLogger } from '../src/lib/logger.ts'
import { freePort } from '../test/support/free-port.ts'
import { startDiscardingClickHouse } from './support/discarding-clickhouse.ts'
import { cpuOf, TOKEN } from './support/running-service.ts'
import { sampleEvent } from './support/sample-events.ts'

const EVENTS = Number(process.argv[2] ?? 60_000)
const ROUNDS = [1, 2, 1, 2]
const BATCH = 500
const CORES = os.availableParallelism()
const canPin = spawnSync('taskset', ['-c', '0', 'true']).status === 0

const log = createLogger('silent')
const folder = mkdtempSync(path.join(os.tmpdir(), 'footfall-bench-pipelines-'))
const provision = path.join(folder, 'provision.json')
writeFileSync(
  provision,
  JSON.stringify({
    organization: { name: 'Bench' },
    projects: [{ id: 1, name: 'Bench', api_token: TOKEN }],
    users: [],
  }),
)
const embedded = await startEmbeddedPostgres({ dataDir: folder, log })
const sql = await openPostgres(embedded.connection, { log })
const clickhouse = await startDiscardingClickHouse()
const natsPort = await freePort()
const nats = spawn(
  'nats-server',
  ['-js', '-sd', path.join(folder, 'nats'), '-a', '127.0.0.1', '-p', String(natsPort)],
  {
    stdio: 'ignore',
  },
)
const { host, user, password, database } = embedded.connection
const env = {
  ...process.env,
  FOOTFALL_POSTGRES_URL: `postgres://${user}:${password}@localhost/${database}?host=${encodeURIComponent(host)}`,
  FOOTFALL_NATS_URL: `nats://127.0.0.1:${natsPort}`,
  FOOTFALL_CLICKHOUSE_URL: clickhouse.url,
  FOOTFALL_PARTITIONS: '8',
  FOOTFALL_PROVISION: provision,
  FOOTFALL_LOG_LEVEL: 'error',
}
let started = 0

interface Running {
  readonly child: ChildProcess
  readonly url: string
}

async function start(roles: string, core: number | null): Promise<Running> {
  const port = await freePort()
  const data = path.join(folder, `data-${started++}`)
  const pinned = core !== null && canPin ? ['taskset', '-c', String(core % CORES)] : []
  const [program = process.execPath, ...args] = [...pinned, process.execPath, 'dist/cli.js', 'serve']
  const child = spawn(program, args, {
    env: { ...env, FOOTFALL_ROLES: roles, FOOTFALL_PORT: String(port), FOOTFALL_DATA: data },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const url = `http://127.0.0.1:${port}`
  for (let tries = 0; tries < 6_000; tries++) {
    if ((await fetch(`${url}/_ready`).catch(() => null))?.status === 200) break
    await delay(50)
  }
  return { child, url }
}

async function stop({ child }: Running): Promise<void> {
  const gone = new Promise((done) => child.once('exit', done))
  child.kill('SIGTERM')
  await gone
}

async function fill(capture: Running): Promise<void> {
  for (let sent = 0; sent < EVENTS; sent += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, n) => ({
      ...sampleEvent(sent + n),
      distinct_id: `visitor-${(sent + n) % 5_000}`,
    }))
    const answer = await fetch(`${capture.url}/batch/`, {
      method: 'POST',
      body: JSON.stringify({ api_key: TOKEN, batch }),
    })
    if (answer.status !== 200) throw new Error(`capture answered ${answer.status}`)
  }
}

const isEmpty = async (capture: Running): Promise<boolean> =>
  /^footfall_log_backlog_bytes 0$/m.test(await (await fetch(`${capture.url}/metrics`)).text())

async function drained(capture: Running): Promise<void> {
  for (let tries = 0; tries < 12_000; tries++) {
    const [{ owed }] = await sql<[{ owed: number }]>`SELECT count(*) AS owed FROM clickhouse_outbox`
    if (owed === 0 && (await isEmpty(capture))) return
    await delay(50)
  }
  throw new Error('the log was not empty after ten minutes')
}

/** The pipelines take their shares when the log is full, all at the same moment: else the first one would be done before. */
async function fillPaused(capture: Running): Promise<void> {
  await sql`INSERT INTO pipeline_pauses (holder, expires_at) VALUES ('bench', now() + interval '1 hour')`
  for (let tries = 0; tries < 1_000; tries++) {
    const rows = await sql`SELECT 1 FROM partition_leases WHERE owner IS NOT NULL AND expires_at > now()`
    if (rows.length === 0) break
    await delay(50)
  }
  await fill(capture)
  // A capture looks at its streams once a second: until then it says that nothing waits.
  for (let tries = 0; tries < 200 && (await isEmpty(capture)); tries++) await delay(50)
  await sql`DELETE FROM pipeline_pauses`
}

interface Round {
  readonly perSecond: number
  readonly cpuUs: number
  readonly shares: readonly number[]
}

async function round(capture: Running, count: number): Promise<Round> {
  const pipelines = await Promise.all(Array.from({ length: count }, (_, n) => start('pipeline', n)))
  // A process compiles its hot functions while it applies its first events: they do not count.
  await fillPaused(capture)
  await drained(capture)
  await fillPaused(capture)
  const before = pipelines.map(({ child }) => cpuOf(child.pid))
  const from = performance.now()
  await drained(capture)
  const seconds = (performance.now() - from) / 1_000
  const spent = pipelines.map((pipeline, n) => cpuOf(pipeline.child.pid) - (before[n] ?? 0))
  await Promise.all(pipelines.map(stop))
  const sum = spent.reduce((all, one) => all + one, 0)
  return { perSecond: EVENTS / seconds, cpuUs: (sum / EVENTS) * 1e6, shares: spent.map((one) => one / sum) }
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

try {
  const capture = await start('capture', null)
  // The first ones create the persons and warm up.
  await round(capture, 1)
  const all = new Map<number, Round[]>()
  for (const count of ROUNDS) {
    const done = await round(capture, count)
    all.set(count, [...(all.get(count) ?? []), done])
    const shares = done.shares.map((share) => `${Math.round(share * 100)}%`).join(' + ')
    console.log(
      `${count} pipelines: ${Math.round(done.perSecond)} events/s, ${done.cpuUs.toFixed(0)} us CPU an event (${shares})`,
    )
  }
  const cpu = (count: number) => median((all.get(count) ?? []).map(({ cpuUs }) => cpuUs))
  const largest = median((all.get(2) ?? []).map(({ shares }) => Math.max(...shares)))
  const load = os.loadavg()[0] ?? 0
  console.log(`load of the machine ${load.toFixed(1)} on ${CORES} cores; pinned: ${canPin ? 'yes' : 'no'}`)
  console.log(
    `two against one, each on a core of its own: ${(cpu(1) / cpu(2) / largest).toFixed(2)} times (CPU an event ${cpu(1).toFixed(0)} and ${cpu(2).toFixed(0)} us, the busier one does ${Math.round(largest * 100)}%)`,
  )
  await stop(capture)
} finally {
  nats.kill('SIGKILL')
  clickhouse.stop()
  await sql.end({ timeout: 1 })
  await embedded.stop()
  rmSync(folder, { recursive: true, force: true })
}
