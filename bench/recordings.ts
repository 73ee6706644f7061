import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openCapture, parseCapture } from '../src/capture/parse-capture.ts'
import { openClickHouse, sql, startEmbeddedClickHouse } from '../src/engines/clickhouse/index.ts'
import { openRecording } from '../src/events/index.ts'
import { createLogger } from '../src/lib/logger.ts'
import { acceptUpload, chunkRowsAsBinary } from '../src/recordings/index.ts'
import { RunningService, TOKEN } from './support/running-service.ts'
import { type Packing, type SampleSession, sampleSession } from './support/sample-recordings.ts'

/**
 * Session recordings through the whole service: how fast uploads get from HTTP into the tables (in bytes of the unpacked JSON), packed by
 * the SDK and not, what each stage costs, what they weigh, how soon a list of 50 out of 100,000 is there, and the first block of a recording.
 */
const SESSIONS = Number(process.argv[2] ?? 120)
const LISTED = 100_000
const CONNECTIONS = 8
/** Sessions sent before the clock starts. */
const WARM_UP = 20
const MB = 1024 * 1024

const service = new RunningService()
try {
  await service.start()
  const packed = await ingest('packed', 0)
  const plain = await ingest('plain', 10_000)
  await service.stop()
  await atTheEngine(packed.bytes + plain.bytes)
  await service.start()
  await lists()
  await firstBlock(packed.last)
  await service.stop()
  await stages('packed')
  await stages('plain')
} finally {
  service.child?.kill('SIGKILL')
  service.remove()
}

async function ingest(packing: Packing, firstSeed: number): Promise<{ bytes: number; last: string }> {
  const start = Date.now() - 3_600_000
  const made = (seed: number) => sampleSession(firstSeed + seed, start + seed, TOKEN, packing)
  const warm = Array.from({ length: WARM_UP }, (_, i) => made(SESSIONS + i))
  for (const body of warm.flatMap(({ bodies }) => bodies)) await send(body)
  await stored((warm.at(-1) as SampleSession).id)
  const sessions = Array.from({ length: SESSIONS }, (_, seed) => made(seed))
  const bodies = sessions.flatMap((session) => session.bodies)
  const bytes = sessions.reduce((sum, session) => sum + session.bytes, 0)
  const wire = bodies.reduce((sum, body) => sum + body.length, 0)
  const before = service.cpu()
  const client = process.cpuUsage()
  const began = performance.now()
  let next = 0
  const connection = async () => {
    for (let body = bodies[next++]; body; body = bodies[next++]) await send(body)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, connection))
  const accepted = performance.now() - began
  const last = (sessions.at(-1) as SampleSession).id
  await stored(last)
  const took = performance.now() - began
  const after = service.cpu()
  const { user, system } = process.cpuUsage(client)
  const used = Object.entries(after).map(([who, spent]) => [who, spent - before[who as keyof typeof before]] as const)
  const all = used.reduce((sum, [, spent]) => sum + spent, 0)
  console.log(`${packing}: ${bodies.length} uploads, ${mb(wire)} on the wire, ${mb(bytes)} unpacked`)
  console.log(`  accepted durably   ${rate(bytes, accepted)} of unpacked JSON`)
  console.log(
    `  stored and listed  ${rate(bytes, took)} of unpacked JSON, ${(bytes / MB / all).toFixed(1)} MB for a CPU second`,
  )
  const seconds = [...used, ['this client', (user + system) / 1e6] as const]
  console.log(`  cpu seconds: ${seconds.map(([who, spent]) => `${who} ${spent.toFixed(1)}`).join(', ')}`)
  return { bytes: bytes + warm.reduce((sum, session) => sum + session.bytes, 0), last }
}

/** What our own code costs, a stage at a time, in this process. The best of a few rounds: the first ones are slow. */
async function stages(packing: Packing): Promise<void> {
  const sessions = Array.from({ length: 60 }, (_, seed) => sampleSession(seed, Date.now(), TOKEN, packing))
  const bytes = sessions.reduce((sum, session) => sum + session.bytes, 0)
  const project = { id: 1, anonymizeIps: false, recordingsLimited: false }
  const uploads = sessions.flatMap(({ bodies }) => bodies)
  const meta = {
    query: '',
    contentEncoding: undefined,
    userAgent: undefined,
    ip: null,
    receivedAt: Date.now(),
    livePartitions: 2,
    engage: false,
    upload: true,
  }
  const best = { capture: Number.POSITIVE_INFINITY, unpack: Number.POSITIVE_INFINITY, encode: Number.POSITIVE_INFINITY }
  const timed = <T>(stage: keyof typeof best, work: () => T): T => {
    const before = process.cpuUsage()
    const result = work()
    const { user, system } = process.cpuUsage(before)
    best[stage] = Math.min(best[stage], (user + system) / 1e6)
    return result
  }
  for (let round = 0; round < 5; round++) {
    const entries = timed('capture', () =>
      uploads.flatMap((body) =>
        parseCapture(meta, openCapture(body, meta, 100 * MB), project).entries.map(({ payload }) => payload),
      ),
    )
    const rows = timed('unpack', () =>
      entries.flatMap((payload, i) => acceptUpload(openRecording(Buffer.from(payload)), i, 30).chunks),
    )
    timed('encode', () => chunkRowsAsBinary(rows))
  }
  const told = Object.entries(best).map(([stage, spent]) => `${stage} ${(bytes / MB / spent).toFixed(0)}`)
  console.log(`${packing}, MB for a CPU second by stage: ${told.join(', ')}`)
}

async function send(body: Buffer): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${service.port}/s/?compression=gzip-js`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: new Uint8Array(body),
  })
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`)
  await answer.text()
}

/** Uploads are stored in order, so the last click of the last session says that all is there. */
async function stored(session: string): Promise<void> {
  for (let tries = 0; tries < 6_000; tries++) {
    const found = await service.api<{ click_count: number }>(`session_recordings/${session}/`).catch(() => null)
    if (found?.click_count === 24) return
    await delay(200)
  }
  throw new Error(`${session} was not stored`)
}

async function atTheEngine(bytes: number): Promise<void> {
  const log = createLogger('silent')
  const embedded = await startEmbeddedClickHouse({ dataDir: path.join(service.folder, 'data'), log })
  const clickhouse = openClickHouse({ ...embedded, log })
  for (const table of ['recording_chunks', 'recording_minutes'])
    await clickhouse.command(`OPTIMIZE TABLE ${table} FINAL`)
  const { rows } = await clickhouse.query<{ table: string; bytes: number }>(sql`
    SELECT table, sum(bytes_on_disk) AS bytes FROM system.parts
    WHERE active AND database = currentDatabase() AND startsWith(table, 'recording_') GROUP BY table ORDER BY table`)
  const kept = rows.reduce((sum, row) => sum + row.bytes, 0)
  console.log(
    `stored in ${mb(kept)}: 1/${(bytes / kept).toFixed(1)} of the unpacked JSON (${rows.map((row) => `${row.table} ${mb(row.bytes)}`).join(', ')})`,
  )
  await clickhouse.command(`
    INSERT INTO recording_minutes
    SELECT 1, concat('listed-', toString(intDiv(number, 5))), toStartOfMinute(at), at, at + 59, (toUnixTimestamp(at), concat('user-', toString(number % 997))),
      (toUnixTimestamp(at), concat('https://shop.example/', toString(number % 50))), 'web', 'web', bitShiftLeft(toUInt64(7), number % 50),
      number % 7, number % 3, number % 90, number % 4, number % 2, number % 11 = 0, 200, 90000, at, now() + 2592000
    FROM (SELECT number, toDateTime64(now() - 200000 + intDiv(number, 5) + (number % 5) * 60, 3, 'UTC') AS at FROM numbers(${LISTED * 5}))`)
  await clickhouse.close()
  await embedded.stop()
}

async function lists(): Promise<void> {
  const json = (value: unknown) => encodeURIComponent(JSON.stringify(value))
  const duration = json([{ type: 'recording', key: 'active_seconds', operator: 'gt', value: 5 }])
  const questions: [string, string][] = [
    ['newest first', ''],
    ['by clicks', '&order=click_count'],
    ['active for more than 5 s', `&duration=${duration}`],
    ['of one distinct id', '&distinct_id=user-7'],
  ]
  for (const [name, query] of questions) {
    const times: number[] = []
    for (let i = 0; i < 12; i++) {
      const began = performance.now()
      const { results } = await service.api<{ results: unknown[] }>(
        `session_recordings/?limit=50&date_from=-7d${query}`,
      )
      if (results.length !== 50) throw new Error(`${name}: ${results.length} results`)
      times.push(performance.now() - began)
    }
    // The first one finds the engine's caches empty and the code not compiled.
    const [first = 0, ...later] = times
    later.sort((a, b) => a - b)
    console.log(
      `list of 50 out of ${LISTED}, ${name}: first ${first.toFixed(0)} ms, then median ${later[5]?.toFixed(0)} ms, worst ${later.at(-1)?.toFixed(0)} ms`,
    )
  }
}

async function firstBlock(session: string): Promise<void> {
  const began = performance.now()
  const { blocks } = await service.api<{ blocks: { start: number; end: number; bytes: number }[] }>(
    `session_recordings/${session}/`,
  )
  const [first] = blocks
  const answer = await fetch(
    `http://127.0.0.1:${service.port}/api/environments/1/session_recordings/${session}/snapshots/?start=${first?.start}&end=${first?.end}`,
    { headers: { authorization: 'Bearer phx_bench' } },
  )
  const text = await answer.text()
  const all = blocks.reduce((sum, block) => sum + block.bytes, 0)
  console.log(`first block: ${mb(text.length)} of ${mb(all)} in ${(performance.now() - began).toFixed(0)} ms`)
}

function mb(bytes: number): string {
  return `${(bytes / MB).toFixed(1)} MB`
}

function rate(bytes: number, ms: number): string {
  return `${(bytes / MB / (ms / 1000)).toFixed(0)} MB/s`
}
