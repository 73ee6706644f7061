/**
 * How long questions take on generated events, asked of the running service over HTTP. The same statements are asked bare of the same
 * engine in the same rounds, and that is what our own share is measured by; so are questions with 5,000 merged persons. First with a million
 * events, then with as many millions as told, and how the times grow: `npm run bench insights 10 100`. At last the engine is started again
 * on what it has, and asked.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import {
  type ClickHouse,
  Fragment,
  openClickHouse,
  Param,
  type Statement,
  sql,
  startEmbeddedClickHouse,
} from '../src/engines/clickhouse/index.ts'
import { type InsightContext, readQuery, runInsight } from '../src/insights/index.ts'
import { createLogger } from '../src/lib/logger.ts'
import { pause } from '../src/lib/pause.ts'
import { overTcp } from '../test/support/over-tcp.ts'
import { fillEvents, mergePersons } from './support/insight-events.ts'
import { GOALS, GOALS_OF_MANY, QUESTIONS } from './support/questions.ts'
import { RunningService } from './support/running-service.ts'

const ASKED = process.argv.slice(2).map(Number)
const SIZES = [...new Set([Math.min(1, ...ASKED), ...ASKED])]
/**
 * From so many millions on everything takes long: fewer rounds, only questions with a goal, and events stay in the parts in which they were
 * inserted, because merging them takes longer than making them. Questions have more parts to look into for it.
 */
const MANY = 50
const ROUNDS = 7
const ROUNDS_OF_MANY = 3
const LOOK_AT_MEMORY_MS = 20
const MOST_OVERHEAD_MS = 10
const MOST_MERGED = 1.5
const MOST_BYTES = 150
/** Between two merges of a series there is a moment without any. */
const QUIET_LOOKS = 5
const MOST_LOOKS = 1_800

interface Measured {
  readonly api: number
  readonly bare: number
  /** Of each round, what the API took longer than the bare statements. */
  readonly overheads: readonly number[]
  readonly merged: number
  /** The most that a statement of the question had, in bytes, in a round of its own; a fast one may be missed. */
  readonly memory: number
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** A statement that was rendered, as one that can be asked again. */
function bare({ query, query_params }: Statement): Fragment {
  const parts = query.split(/\{(p\d+):((?:[^{}])+)\}/)
  const texts = parts.filter((_, at) => at % 3 === 0)
  const params = parts.filter((_, at) => at % 3 === 1)
  const types = parts.filter((_, at) => at % 3 === 2)
  return new Fragment(
    texts,
    params.map((name, at) => new Param(types[at] as string, query_params[name])),
  )
}

async function peakMemory(clickhouse: ClickHouse, work: () => Promise<unknown>): Promise<number> {
  let peak = 0
  let isDone = false
  const working = work().finally(() => {
    isDone = true
  })
  while (!isDone) {
    const { rows } = await clickhouse.query<{ peak: number }>(
      sql`SELECT max(peak_memory_usage) AS peak FROM system.processes WHERE query NOT LIKE '%system.processes%'`,
    )
    peak = Math.max(peak, rows[0]?.peak ?? 0)
    await pause(LOOK_AT_MEMORY_MS)
  }
  await working
  return peak
}

/** All in every round, so that whatever else the machine does meets them alike. */
async function measure(
  clickhouse: ClickHouse,
  service: RunningService,
  millions: number,
): Promise<Map<string, Measured>> {
  const project = { id: 1, timezone: 'UTC', week_start_day: 0 as const, test_account_filters: [] }
  const found = new Map<string, Measured>()
  const roundCount = millions < MANY ? ROUNDS : ROUNDS_OF_MANY
  for (const [name, question] of Object.entries(QUESTIONS)) {
    if (millions >= MANY && GOALS[name] === undefined) continue
    const context = (hasOverrides: boolean): InsightContext => ({ clickhouse, now: Date.now(), hasOverrides, project })
    const query = readQuery(question)
    const { asked } = await runInsight(context(false), query)
    const statements = asked.map(({ statement }) => bare(statement))
    const rounds = { api: [] as number[], bare: [] as number[], plain: [] as number[], merged: [] as number[] }
    for (let round = 0; round < roundCount; round++) {
      rounds.api.push(await timed(() => service.api('query/', { query: question, refresh: 'force_blocking' })))
      rounds.bare.push(
        await timed(async () => {
          for (const statement of statements) await clickhouse.query(statement)
        }),
      )
      rounds.plain.push(await timed(() => runInsight(context(false), query)))
      rounds.merged.push(await timed(() => runInsight(context(true), query)))
    }
    found.set(name, {
      api: median(rounds.api),
      bare: median(rounds.bare),
      overheads: rounds.api.map((ms, round) => ms - (rounds.bare[round] as number)),
      merged: median(rounds.merged) / median(rounds.plain),
      memory: await peakMemory(clickhouse, () => runInsight(context(false), query)),
    })
  }
  return found
}

const cell = (text: string, width = 11): string => text.padStart(width)
const verdict = (value: number, most: number): string => `${value < most ? 'met' : 'MISSED'} (< ${most})`

function print(millions: number, measured: ReadonlyMap<string, Measured>): void {
  const titles = ['API', 'bare SQL', 'overhead', 'merged', 'memory MB']
  console.log(`\n${millions} million events, median ms of ${millions < MANY ? ROUNDS : ROUNDS_OF_MANY} rounds`)
  console.log(`${''.padEnd(22)}${titles.map((text) => cell(text)).join('')}   goal`)
  for (const [name, { api, bare, overheads, merged, memory }] of measured) {
    const goal = (millions < MANY ? GOALS : GOALS_OF_MANY)[name]
    const times = [api.toFixed(1), bare.toFixed(1), median(overheads).toFixed(1)]
    const columns = [...times, `${merged.toFixed(2)}x`, (memory / 1e6).toFixed(0)]
    console.log(
      `${name.padEnd(22)}${columns.map((text) => cell(text)).join('')}   ${goal === undefined ? '' : verdict(api, goal)}`,
    )
  }
  const overhead = median([...measured.values()].flatMap(({ overheads }) => overheads))
  const merged = Math.max(...[...measured.values()].map((each) => each.merged))
  console.log(`API over bare statements, all rounds: ${overhead.toFixed(1)} ms, ${verdict(overhead, MOST_OVERHEAD_MS)}`)
  console.log(`slowest with merged persons: ${merged.toFixed(2)}x, ${verdict(merged, MOST_MERGED)}`)
}

/** Until nothing is being merged: questions would share the cores with it. */
async function untilMerged(clickhouse: ClickHouse): Promise<void> {
  for (let quiet = 0, looked = 0; quiet < QUIET_LOOKS && looked < MOST_LOOKS; looked++) {
    await pause(1_000)
    const { rows } = await clickhouse.query<{ merges: number }>(sql`SELECT count() AS merges FROM system.merges`)
    quiet = rows[0]?.merges === 0 ? quiet + 1 : 0
  }
}

async function printSize(clickhouse: ClickHouse): Promise<void> {
  const { rows } = await clickhouse.query<{ bytes: number; events: number; parts: number }>(
    new Fragment(
      [
        `SELECT sum(bytes_on_disk) AS bytes, sum(rows) AS events, count() AS parts FROM system.parts WHERE active AND database = currentDatabase() AND table = 'events'`,
      ],
      [],
    ),
  )
  const bytes = (rows[0]?.bytes ?? 0) / (rows[0]?.events ?? 1)
  console.log(`on disk: ${rows[0]?.parts} parts, ${bytes.toFixed(1)} bytes an event, ${verdict(bytes, MOST_BYTES)}`)
}

function printGrowth(sizes: ReadonlyMap<number, ReadonlyMap<string, Measured>>): void {
  console.log(`\nms with ${[...sizes.keys()].join(', ')} million events, and how many times the time before`)
  for (const name of Object.keys(QUESTIONS)) {
    const times = [...sizes.values()].flatMap((measured) => measured.get(name)?.api ?? [])
    const cells = times.map((ms, at) => cell(ms.toFixed(1)) + cell(growth(times[at - 1], ms), 8))
    console.log(`${name.padEnd(22)}${cells.join('')}`)
  }
}

const growth = (before: number | undefined, after: number): string =>
  before === undefined ? '' : `${(after / before).toFixed(1)}x`

const log = createLogger('silent')
const folder = await mkdtemp(path.join(tmpdir(), 'footfall-bench-insights-'))
let embedded = await startEmbeddedClickHouse({ dataDir: folder, log })
// The service reaches the engine through a relay; bare statements take the same way, or the relay would count as ours.
const url = (await overTcp(embedded)).address(embedded.database)
const clickhouse = openClickHouse({ url, log })
process.env.FOOTFALL_CLICKHOUSE_URL = url
const service = new RunningService()
try {
  await service.start()
  await mergePersons(clickhouse)
  const found = new Map<number, Map<string, Measured>>()
  for (const millions of SIZES) {
    console.log(`\nfilling ${millions} million events ...`)
    await clickhouse.command('TRUNCATE TABLE events')
    if (millions >= MANY) await clickhouse.command('SYSTEM STOP MERGES events')
    const filling = await timed(() => fillEvents(clickhouse, millions * 1_000_000, Date.now()))
    console.log(`filled in ${(filling / 1000).toFixed(0)} s`)
    if (millions < MANY) {
      const merging = await timed(() => untilMerged(clickhouse))
      console.log(`merged after another ${(merging / 1000).toFixed(0)} s`)
    }
    await printSize(clickhouse)
    const measured = await measure(clickhouse, service, millions)
    print(millions, measured)
    found.set(millions, measured)
  }
  if (SIZES.length > 1) printGrowth(found)
  await embedded.stop()
  const start = await timed(async () => {
    embedded = await startEmbeddedClickHouse({ dataDir: folder, log })
  })
  const first = await timed(() =>
    service.api('query/', { query: QUESTIONS['trend by day'], refresh: 'force_blocking' }),
  )
  console.log(`\nstarted again: engine ready after ${start.toFixed(0)} ms, the first trend took ${first.toFixed(0)} ms`)
} finally {
  service.child?.kill('SIGTERM')
  if (service.child?.exitCode === null) await new Promise((done) => service.child?.once('exit', done))
  service.remove()
  await clickhouse.close()
  await embedded.stop()
  await rm(folder, { recursive: true, force: true })
}
