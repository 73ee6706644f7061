/**
 * What an ordinary event costs, stage by stage, in microseconds of CPU time: our own code in this process, PostgreSQL, and ClickHouse with
 * the inserts of each table and the merges apart. Real engines, and batches as the pipeline reads them under load:
 * `npm run bench pipeline`, or `npm run bench pipeline 50` for more of them.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openCapture, parseCapture, type RequestMeta } from '../src/capture/parse-capture.ts'
import {
  applyClickHouseMigrations,
  openClickHouse,
  sql as query,
  startEmbeddedClickHouse,
} from '../src/engines/clickhouse/index.ts'
import { dequeue } from '../src/engines/outbox.ts'
import { applyPostgresMigrations, openPostgres, startEmbeddedPostgres } from '../src/engines/postgres/index.ts'
import { DefinitionRecorder } from '../src/identity/index.ts'
import { createLogger } from '../src/lib/logger.ts'
import type { LogRange } from '../src/log/index.ts'
import { applyBatch } from '../src/pipeline/events/apply.ts'
import { decodeRange, openBatch } from '../src/pipeline/events/batch.ts'
import { deliver, unpacked } from '../src/pipeline/shared/deliver.ts'
import type { Delivery } from '../src/pipeline/shared/delivery.ts'
import { projectSettings } from '../src/pipeline/shared/project-settings.ts'
import { eventSteps } from '../src/pipeline/steps/index.ts'
import { processTree } from '../test/support/process-tree.ts'
import { cpuOf } from './support/running-service.ts'
import { sampleEvent } from './support/sample-events.ts'

const BATCHES = Number(process.argv[2] ?? 20)
/** Before the clock starts: V8 compiles what is hot, and the persons are created. */
const WARM_UP = 4
const REQUESTS = 20
const EVENTS_OF_A_REQUEST = 500
const EVENTS = REQUESTS * EVENTS_OF_A_REQUEST

const log = createLogger('silent')
const dataDir = await mkdtemp(path.join(tmpdir(), 'footfall-bench-'))
const [postgres, engine] = await Promise.all([
  startEmbeddedPostgres({ dataDir, log }),
  startEmbeddedClickHouse({ dataDir, log }),
])
const sql = await openPostgres(postgres.connection, { log })
const { url, socket, username, secretFile, database } = engine
const clickhouse = openClickHouse({ url, socket, username, secretFile, database, log })
/** CPU seconds by stage. */
const spent = new Map<string, number>()
const bodies = [0, 1].map((half) => Array.from({ length: REQUESTS }, (_, at) => bodyOf(half * REQUESTS + at)))

try {
  await applyPostgresMigrations(sql, log)
  await applyClickHouseMigrations(clickhouse, log)
  await measure(await makeProject())
  await print()
} finally {
  await clickhouse.close()
  await sql.end({ timeout: 1 })
  await Promise.all([engine.stop(), postgres.stop()])
  await rm(dataDir, { recursive: true, force: true })
}

async function measure(project: number): Promise<void> {
  await clickhouse.command('SYSTEM STOP MERGES')
  const settings = projectSettings(sql)
  const definitions = new DefinitionRecorder()
  const steps = eventSteps()
  const context = { log, signal: new AbortController().signal }
  for (let n = 0; n < WARM_UP + BATCHES; n++) {
    if (n === WARM_UP) spent.clear()
    const range = await staged('capture: parse and encode', () => captured(project, n))
    const decoded = await staged('pipeline: decode', () => decodeRange(range))
    const projects = await settings([project])
    const batch = await staged('pipeline: steps', () => openBatch(decoded, projects, steps))
    const applied = await staged('pipeline: identities, definitions, outbox', () =>
      applyBatch(sql, batch, { definitions }),
    )
    const inserts = await staged('pipeline: rows for ClickHouse', () =>
      applied.inserts.flatMap((queued) => [...unpacked(queued, applied.rows)]).map(alreadyEncoded),
    )
    for (const insert of inserts)
      await staged('pipeline: send', () => deliver(clickhouse, insert, context), `ClickHouse: insert ${insert.table}`)
    await staged('pipeline: identities, definitions, outbox', () => dequeue(sql, applied.ids))
  }
  await clickhouse.command('SYSTEM START MERGES')
  for (const table of ['events', 'sessions', 'event_uuids'])
    await staged(
      'nothing',
      () => clickhouse.command(`OPTIMIZE TABLE ${table} FINAL`, { maxSeconds: 600 }),
      `ClickHouse: one merge of ${table}`,
    )
}

function alreadyEncoded(insert: Delivery): Delivery {
  const bytes = insert.encode()
  return { ...insert, encode: () => bytes }
}

/** Runs a stage, and adds the CPU time of this process and of both engines to their lines. */
async function staged<T>(stage: string, work: () => T | Promise<T>, ofClickHouse = 'ClickHouse: others'): Promise<T> {
  const engines = [ofPostgres(), cpuOf(engine.pid)] as const
  const before = process.cpuUsage()
  const result = await work()
  const { user, system } = process.cpuUsage(before)
  add(stage, (user + system) / 1e6)
  add('PostgreSQL', ofPostgres() - engines[0])
  add(ofClickHouse, cpuOf(engine.pid) - engines[1])
  return result
}

function add(line: string, seconds: number): void {
  spent.set(line, (spent.get(line) ?? 0) + seconds)
}

function ofPostgres(): number {
  return processTree(process.pid)
    .filter(({ pid, command }) => pid !== process.pid && pid !== engine.pid && command.includes('postgres'))
    .reduce((sum, { pid }) => sum + cpuOf(pid), 0)
}

async function print(): Promise<void> {
  const each = (seconds: number) => ((seconds / EVENTS / BATCHES) * 1e6).toFixed(1).padStart(7)
  for (const who of ['capture', 'pipeline', 'PostgreSQL', 'ClickHouse']) {
    const lines = [...spent].filter(([line]) => line.startsWith(who))
    console.log(`${each(lines.reduce((sum, [, seconds]) => sum + seconds, 0))} us  ${who}`)
    if (lines.length > 1) for (const [line, seconds] of lines) console.log(`${each(seconds)}       ${line}`)
  }
  const { rows } = await clickhouse.query<{ table: string; bytes: number }>(query`
    SELECT table, sum(bytes_on_disk) AS bytes FROM system.parts WHERE active AND database = currentDatabase()
    GROUP BY table ORDER BY bytes DESC LIMIT 4`)
  const stored = EVENTS * (BATCHES + WARM_UP)
  for (const { table, bytes } of rows)
    console.log(`${(bytes / stored).toFixed(1).padStart(7)} bytes an event  ${table}`)
}

/** A range of the log, as capture writes it. */
function captured(project: number, turn: number): LogRange {
  const meta: RequestMeta = {
    query: '',
    contentEncoding: undefined,
    userAgent: undefined,
    ip: '127.0.0.1',
    receivedAt: Date.now(),
    livePartitions: 1,
    engage: false,
    batch: true,
  }
  const records = (bodies[turn % 2] ?? []).flatMap((body) => {
    const { entries } = parseCapture(meta, openCapture(body, meta, body.length), { id: project, anonymizeIps: false })
    return entries.map(({ payload }) => ({ position: turn, payload: Buffer.from(payload) }))
  })
  return { partition: 'live-0', from: turn, next: turn + 1, records }
}

function bodyOf(request: number): Buffer {
  const batch = Array.from({ length: EVENTS_OF_A_REQUEST }, (_, i) => sampleEvent(request * EVENTS_OF_A_REQUEST + i))
  return Buffer.from(JSON.stringify({ api_key: 'phc_bench', batch }))
}

async function makeProject(): Promise<number> {
  const [{ id: organization }] = await sql<
    [{ id: string }]
  >`INSERT INTO organizations (name) VALUES ('bench') RETURNING id`
  const [{ id }] = await sql<[{ id: number }]>`
    INSERT INTO projects (organization_id, name, api_token) VALUES (${organization}, 'bench', 'bench') RETURNING id`
  return id
}
