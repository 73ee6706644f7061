/**
 * How long questions take on generated events, asked of the running service over HTTP. The same statements are asked bare of the same
 * engine in the same rounds, and that is what our own share is measured by; so are questions with 5,000 merged persons. First with a million
 * events, then with as many millions as told: `npm run bench insights 10`.
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
  startEmbeddedClickHouse,
} from '../src/engines/clickhouse/index.ts'
import { type InsightContext, readQuery, runInsight } from '../src/insights/index.ts'
import { createLogger } from '../src/lib/logger.ts'
import { overTcp } from '../test/support/over-tcp.ts'
import { fillEvents, mergePersons } from './support/insight-events.ts'
import { GOALS, QUESTIONS } from './support/questions.ts'
import { RunningService } from './support/running-service.ts'

const MILLIONS = Number(process.argv[2] ?? 1)
const ROUNDS = 7
const MOST_OVERHEAD_MS = 10
const MOST_MERGED = 1.5
const MOST_BYTES = 150

interface Measured {
  readonly api: number
  readonly bare: number
  /** Of each round, what the API took longer than the bare statements. */
  readonly overheads: readonly number[]
  readonly merged: number
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

/** All in every round, so that whatever else the machine does meets them alike. */
async function measure(clickhouse: ClickHouse, service: RunningService): Promise<Map<string, Measured>> {
  const project = { id: 1, timezone: 'UTC', week_start_day: 0 as const, test_account_filters: [] }
  const found = new Map<string, Measured>()
  for (const [name, question] of Object.entries(QUESTIONS)) {
    const context = (hasOverrides: boolean): InsightContext => ({ clickhouse, now: Date.now(), hasOverrides, project })
    const query = readQuery(question)
    const { asked } = await runInsight(context(false), query)
    const statements = asked.map(({ statement }) => bare(statement))
    const rounds = { api: [] as number[], bare: [] as number[], plain: [] as number[], merged: [] as number[] }
    for (let round = 0; round < ROUNDS; round++) {
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
    })
  }
  return found
}

const cell = (text: string, width = 11): string => text.padStart(width)
const verdict = (value: number, most: number): string => `${value < most ? 'met' : 'MISSED'} (< ${most})`

function print(millions: number, measured: ReadonlyMap<string, Measured>): void {
  console.log(`\n${millions} million events, median ms of ${ROUNDS} rounds`)
  console.log(`${''.padEnd(22)}${['API', 'bare SQL', 'overhead', 'merged'].map((text) => cell(text)).join('')}   goal`)
  for (const [name, { api, bare, overheads, merged }] of measured) {
    const goal = GOALS[name]
    const columns = [api.toFixed(1), bare.toFixed(1), median(overheads).toFixed(1), `${merged.toFixed(2)}x`]
    console.log(
      `${name.padEnd(22)}${columns.map((text) => cell(text)).join('')}   ${goal === undefined ? '' : verdict(api, goal)}`,
    )
  }
  const overhead = median([...measured.values()].flatMap(({ overheads }) => overheads))
  const merged = Math.max(...[...measured.values()].map((each) => each.merged))
  console.log(`API over bare statements, all rounds: ${overhead.toFixed(1)} ms, ${verdict(overhead, MOST_OVERHEAD_MS)}`)
  console.log(`slowest with merged persons: ${merged.toFixed(2)}x, ${verdict(merged, MOST_MERGED)}`)
}

async function printSize(clickhouse: ClickHouse): Promise<void> {
  const { rows } = await clickhouse.query<{ bytes: number; events: number }>(
    new Fragment(
      [
        `SELECT sum(bytes_on_disk) AS bytes, sum(rows) AS events FROM system.parts WHERE active AND database = currentDatabase() AND table = 'events'`,
      ],
      [],
    ),
  )
  const bytes = (rows[0]?.bytes ?? 0) / (rows[0]?.events ?? 1)
  console.log(`on disk: ${bytes.toFixed(1)} bytes an event, ${verdict(bytes, MOST_BYTES)}`)
}

function printGrowth(small: ReadonlyMap<string, Measured>, large: ReadonlyMap<string, Measured>): void {
  console.log(`\nfrom 1 to ${MILLIONS} million events`)
  for (const [name, { api }] of large) {
    const before = small.get(name)?.api ?? 0
    console.log(
      `${name.padEnd(22)}${cell(before.toFixed(1))}${cell(api.toFixed(1))}${cell(`${(api / before).toFixed(1)}x`)}`,
    )
  }
}

const log = createLogger('silent')
const folder = await mkdtemp(path.join(tmpdir(), 'footfall-bench-insights-'))
const embedded = await startEmbeddedClickHouse({ dataDir: folder, log })
// The service reaches the engine through a relay; bare statements take the same way, or the relay would count as ours.
const url = (await overTcp(embedded)).address(embedded.database)
const clickhouse = openClickHouse({ url, log })
process.env.FOOTFALL_CLICKHOUSE_URL = url
const service = new RunningService()
try {
  await service.start()
  await mergePersons(clickhouse)
  const found: Map<string, Measured>[] = []
  for (const millions of new Set([Math.min(1, MILLIONS), MILLIONS])) {
    console.log(`\nfilling ${millions} million events ...`)
    await clickhouse.command('TRUNCATE TABLE events')
    await fillEvents(clickhouse, millions * 1_000_000, Date.now())
    await printSize(clickhouse)
    const measured = await measure(clickhouse, service)
    print(millions, measured)
    found.push(measured)
  }
  const [small, large] = found
  if (small && large) printGrowth(small, large)
} finally {
  service.child?.kill('SIGTERM')
  if (service.child?.exitCode === null) await new Promise((done) => service.child?.once('exit', done))
  service.remove()
  await clickhouse.close()
  await embedded.stop()
  await rm(folder, { recursive: true, force: true })
}
