import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { RunningService, TOKEN } from './support/running-service.ts'
import { sampleEvent } from './support/sample-events.ts'
import { sampleSession } from './support/sample-recordings.ts'

/**
 * `npm run bench soak 120`: two hours of everything that clients do, at a rate a small machine takes easily. Prints once a minute the
 * memory of each process, and what ClickHouse counts of its own; at the end their slopes over the second half, and whether every acknowledged
 * event is there.
 */
const MINUTES = Number(process.argv[2] ?? 120)
const MINUTE_MS = 60_000
const service = new RunningService()
const acknowledged = new Set<string>()
const failures = new Map<string, number>()
const answered = new Map<string, number>()
let isOver = false

const series = (name: string) => ({ kind: 'EventsNode', event: name })
const QUESTIONS: readonly object[] = [
  { kind: 'TrendsQuery', series: [series('$pageview')], breakdownFilter: { breakdown: '$browser' } },
  { kind: 'FunnelsQuery', series: [series('$pageview'), series('signed up'), series('paid')] },
  { kind: 'RetentionQuery', retentionFilter: { period: 'Day', totalIntervals: 7 } },
  { kind: 'HogQLQuery', query: 'SELECT properties.plan, count() FROM events GROUP BY 1 ORDER BY 2 DESC' },
  { kind: 'EventsQuery', select: ['*', 'event', 'timestamp'], limit: 100 },
]

const BARS = '▁▂▃▄▅▆▇█'

interface Sample {
  readonly minute: number
  readonly mb: Readonly<Record<string, number>>
}

try {
  await service.start()
  console.log(`ready after ${Math.round(service.readyMs)} ms; ${MINUTES} minutes of mixed load`)
  const samples: Sample[] = []
  const load = Promise.all([
    repeat('events', 50, sendEvents),
    repeat('identify', 400, sendIdentify),
    repeat('batch', 10_000, () => capture(Array.from({ length: 200 }, (_, i) => event(i)))),
    repeat('recording', 5_000, sendRecording),
    repeat('question', 2_000, askQuestion),
    repeat('persons', 5_000, async () => void (await service.api('persons/?limit=100'))),
    repeat('recordings', 7_000, async () => void (await service.api('session_recordings/?limit=20'))),
  ])
  for (let minute = 0; minute <= MINUTES; minute++) {
    const sample = { minute, mb: { ...memory(), ...(await countedByClickHouse()) } }
    samples.push(sample)
    console.log(`${String(minute).padStart(4)} min  ${line(sample.mb)}  events ${acknowledged.size}`)
    if (minute < MINUTES) await delay(MINUTE_MS)
  }
  isOver = true
  await load
  report(samples)
  await compare()
  await service.stop()
} finally {
  service.child?.kill('SIGKILL')
  service.remove()
}

/** Calls it at this pace until the end; a call that fails is counted and does not end the load. */
async function repeat(name: string, everyMs: number, call: (turn: number) => Promise<void>): Promise<void> {
  for (let turn = 0; !isOver; turn++) {
    const next = performance.now() + everyMs
    try {
      await call(turn)
      answered.set(name, (answered.get(name) ?? 0) + 1)
    } catch (error) {
      const words = `${name}: ${error instanceof Error ? error.message.slice(0, 120) : error}`
      failures.set(words, (failures.get(words) ?? 0) + 1)
    }
    await delay(Math.max(0, next - performance.now()))
  }
}

function event(turn: number): Record<string, unknown> {
  return { ...sampleEvent(turn), uuid: randomUUID(), timestamp: new Date().toISOString() }
}

async function capture(events: Record<string, unknown>[]): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${service.port}/batch/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ api_key: TOKEN, batch: events }),
  })
  if (answer.status !== 200) throw new Error(`status ${answer.status}`)
  await answer.arrayBuffer()
  for (const { uuid } of events) acknowledged.add(String(uuid))
}

function sendEvents(turn: number): Promise<void> {
  return capture([event(turn * 3), event(turn * 3 + 1), event(turn * 3 + 2)])
}

function sendIdentify(turn: number): Promise<void> {
  const user = `user-${turn % 2_000}`
  const properties = { $anon_distinct_id: `anonymous-${turn}`, $set: { turn, email: `${user}@example.com` } }
  return capture([{ ...event(turn), event: '$identify', distinct_id: user, properties }])
}

async function sendRecording(turn: number): Promise<void> {
  for (const body of sampleSession(turn, Date.now() - 60_000, TOKEN, 'packed').bodies) {
    const answer = await fetch(`http://127.0.0.1:${service.port}/s/?compression=gzip-js`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: new Uint8Array(body),
    })
    if (answer.status !== 200) throw new Error(`status ${answer.status}`)
    await answer.arrayBuffer()
  }
}

async function askQuestion(turn: number): Promise<void> {
  await service.api('query/', { query: QUESTIONS[turn % QUESTIONS.length], refresh: 'force_blocking' })
}

/** Resident memory; of Postgres the sum of its processes, in which shared pages count more than once. */
function memory(): Record<string, number> {
  const mb: Record<string, number> = { service: 0, clickhouse: 0, postgres: 0 }
  for (const { pid, rss, command } of service.tree()) {
    const who = pid === service.child?.pid ? 'service' : command.includes('clickhouse') ? 'clickhouse' : 'postgres'
    mb[who] = (mb[who] ?? 0) + rss / 1024 / 1024
  }
  return mb
}

/** What ClickHouse counts of its own allocations: its process has more, under emulation by far. NaN while it cannot be asked. */
async function countedByClickHouse(): Promise<Record<string, number>> {
  const data = path.join(service.folder, 'data', 'clickhouse')
  const password = readFileSync(path.join(data, 'secret'), 'utf8')
  const query = "SELECT value FROM system.metrics WHERE metric = 'MemoryTrackingUncorrected'"
  const socketPath = path.join(data, 'engine.sock')
  const asked = http.request({ socketPath, method: 'POST', auth: `footfall:${password}` }).end(query)
  try {
    const [answer] = (await once(asked, 'response')) as [http.IncomingMessage]
    return { counted: Number(await text(answer)) / 1024 / 1024 }
  } catch {
    return { counted: Number.NaN }
  }
}

function line(mb: Readonly<Record<string, number>>): string {
  return Object.entries(mb)
    .map(([who, value]) => `${who} ${value.toFixed(0).padStart(5)} MB`)
    .join('  ')
}

function report(samples: readonly Sample[]): void {
  const half = samples.slice(Math.floor(samples.length / 2))
  for (const who of Object.keys(samples[0]?.mb ?? {})) {
    const curve = samples.map(({ mb }) => mb[who] ?? 0)
    const slope = slopeOf(half.map(({ minute, mb }) => [minute / 60, mb[who] ?? 0]))
    console.log(
      `${who.padEnd(10)} ${drawn(curve, 60)}  highest ${Math.max(...curve).toFixed(0)} MB, second half ${slope >= 0 ? '+' : ''}${slope.toFixed(1)} MB an hour`,
    )
  }
  console.log(`answered: ${[...answered].map(([name, count]) => `${name} ${count}`).join(', ')}`)
  console.log(failures.size === 0 ? 'no failures' : `failures: ${JSON.stringify(Object.fromEntries(failures))}`)
}

/** Least squares over pairs of hour and MB. */
function slopeOf(points: readonly (readonly [number, number])[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [hours, sizes] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))]
  const spread = points.reduce((sum, [x]) => sum + (x - hours) ** 2, 0)
  return spread === 0 ? 0 : points.reduce((sum, [x, y]) => sum + (x - hours) * (y - sizes), 0) / spread
}

/** The curve from 0 to its highest value in so many characters. */
function drawn(curve: readonly number[], width: number): string {
  const highest = Math.max(...curve)
  const columns = Math.min(width, curve.length)
  return Array.from({ length: columns }, (_, column) => {
    const value = curve[Math.floor((column * curve.length) / columns)] ?? 0
    return BARS[Math.min(BARS.length - 1, Math.floor((value / highest) * BARS.length))]
  }).join('')
}

/** Every acknowledged event once, and none twice. */
async function compare(): Promise<void> {
  const counted = async () => {
    const query = 'SELECT count(), count(DISTINCT uuid) FROM events'
    const { results } = await service.api<{ results: number[][] }>('query/', {
      query: { kind: 'HogQLQuery', query },
      refresh: 'force_blocking',
    })
    return results[0] ?? [0, 0]
  }
  for (let tries = 0; tries < 600 && Number((await counted())[0]) < acknowledged.size; tries++) await delay(200)
  const [rows, distinct] = await counted()
  console.log(`acknowledged ${acknowledged.size} events; stored ${rows} rows, ${distinct} different uuids`)
}
