/**
 * How long questions take on generated events: 50,000 users, 40 event names, 12 properties, 90 days. Prints medians, how much of that is
 * ours (the same statements asked bare, in the same run), and how it is with 5,000 merged persons. Run it with
 * `npm run bench insights [millions of events, 1 unless told]`.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import {
  applyClickHouseMigrations,
  type ClickHouse,
  Fragment,
  openClickHouse,
  Param,
  type Statement,
  startEmbeddedClickHouse,
} from '../src/engines/clickhouse/index.ts'
import { type InsightContext, type Query, readQuery, runInsight } from '../src/insights/index.ts'
import { createLogger } from '../src/lib/logger.ts'

const MILLIONS = Number(process.argv[2] ?? 1)
const ROUNDS = 7
const USERS = 50_000
const EVENT_NAMES = 40
const MERGED = 5_000
const CHUNK = 500_000
const END = Date.UTC(2026, 0, 31, 12)
const DAYS = 90

const node = (event: string, math?: string) => ({ kind: 'EventsNode', event, ...(math && { math }) })
const steps = ['event_1', 'event_2', 'event_3'].map((event) => node(event))
const dateRange = { date_from: '-90d' }
const FUNNEL = { kind: 'FunnelsQuery', series: steps, dateRange }
const QUESTIONS: Record<string, object> = {
  'trend by day': { kind: 'TrendsQuery', series: [node('event_1')], dateRange },
  'unique users by day': { kind: 'TrendsQuery', series: [node('event_1', 'dau')], dateRange },
  'breakdown, top 25': {
    kind: 'TrendsQuery',
    series: [node('event_1')],
    dateRange,
    breakdownFilter: { breakdown: 'p1' },
  },
  'funnel of 3 steps': FUNNEL,
  'funnel, strict': { ...FUNNEL, funnelsFilter: { funnelOrderType: 'strict' } },
  'funnel, unordered': { ...FUNNEL, funnelsFilter: { funnelOrderType: 'unordered' } },
  'funnel, exclusion': {
    ...FUNNEL,
    funnelsFilter: { exclusions: [{ ...node('event_4'), funnelFromStep: 0, funnelToStep: 1 }] },
  },
  'funnel, breakdown': { ...FUNNEL, breakdownFilter: { breakdown: 'p1' } },
  'retention, 8 weeks': {
    kind: 'RetentionQuery',
    retentionFilter: {
      period: 'Week',
      totalIntervals: 8,
      targetEntity: { id: 'event_1', type: 'events' },
      returningEntity: { id: 'event_2', type: 'events' },
    },
  },
  correlation: {
    kind: 'FunnelCorrelationQuery',
    funnelCorrelationType: 'events',
    source: { kind: 'FunnelsActorsQuery', source: FUNNEL },
  },
  lifecycle: { kind: 'LifecycleQuery', series: [node('event_1')], dateRange: { date_from: '-30d' } },
  stickiness: { kind: 'StickinessQuery', series: [node('event_1')], dateRange: { date_from: '-30d' } },
  paths: { kind: 'PathsQuery', dateRange: { date_from: '-7d' } },
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

async function fill(clickhouse: ClickHouse): Promise<void> {
  const properties = Array.from(
    { length: 12 },
    (_, p) => `'p${p}', toString(cityHash64(n, ${p + 10}) % ${[10, 40, 3, 1000][p % 4]})`,
  )
  for (let from = 0; from < MILLIONS * 1_000_000; from += CHUNK) {
    await clickhouse.command(`INSERT INTO events (project_id, uuid, event, timestamp, received_at, distinct_id, person_id, properties, props)
      SELECT 1, generateUUIDv7(n), 'event_' || toString(cityHash64(n, 1) % ${EVENT_NAMES}),
        fromUnixTimestamp64Micro(toInt64(${END} * 1000 - cityHash64(n, 2) % ${DAYS * 86_400_000_000})), now(), toString(user),
        toUUID('00000000-0000-4000-8000-' || leftPad(toString(user), 12, '0')), toJSONString(map(${properties.join(', ')})) AS text, text
      FROM (SELECT number + ${from} AS n, cityHash64(n, 3) % ${USERS} AS user FROM numbers(${CHUNK}))`)
  }
}

interface Measured {
  readonly ours: number
  readonly bare: number
  readonly merged: number
}

/** All three in every round, so that whatever else the machine does meets them alike. */
async function measure(clickhouse: ClickHouse): Promise<Map<string, Measured>> {
  const project = { id: 1, timezone: 'UTC', week_start_day: 0 as const, test_account_filters: [] }
  const plain: InsightContext = { clickhouse, now: END, hasOverrides: false, project }
  const found = new Map<string, Measured>()
  for (const [name, question] of Object.entries(QUESTIONS)) {
    const query: Query = readQuery(question)
    const { asked } = await runInsight(plain, query)
    const statements = asked.map(({ statement }) => bare(statement))
    const ours: number[] = []
    const alone: number[] = []
    const merged: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      ours.push(await timed(() => runInsight(plain, query)))
      alone.push(
        await timed(async () => {
          for (const statement of statements) await clickhouse.query(statement)
        }),
      )
      merged.push(await timed(() => runInsight({ ...plain, hasOverrides: true }, query)))
    }
    found.set(name, { ours: median(ours), bare: median(alone), merged: median(merged) })
  }
  return found
}

const log = createLogger('silent')
const folder = await mkdtemp(path.join(tmpdir(), 'footfall-bench-insights-'))
const embedded = await startEmbeddedClickHouse({ dataDir: folder, log })
const clickhouse = openClickHouse({ ...embedded, log })
try {
  await applyClickHouseMigrations(clickhouse, log)
  console.log(`filling ${MILLIONS} million events ...`)
  await fill(clickhouse)
  await clickhouse.command(`INSERT INTO person_overrides SELECT 1,
      toUUID('00000000-0000-4000-8000-' || leftPad(toString(number), 12, '0')),
      toUUID('00000000-0000-4000-8000-' || leftPad(toString(number + ${MERGED}), 12, '0')), 0, 1
    FROM numbers(${MERGED})`)
  const cell = (text: string) => text.padStart(12)
  console.log(`${'median of 7, ms'.padEnd(22)}${['answer', 'bare SQL', 'ratio', 'merged', 'ratio'].map(cell).join('')}`)
  for (const [name, { ours, bare, merged }] of await measure(clickhouse)) {
    const numbers = [
      ours.toFixed(1),
      bare.toFixed(1),
      (ours / bare).toFixed(2),
      merged.toFixed(1),
      (merged / ours).toFixed(2),
    ]
    console.log(`${name.padEnd(22)}${numbers.map(cell).join('')}`)
  }
} finally {
  await clickhouse.close()
  await embedded.stop()
  await rm(folder, { recursive: true, force: true })
}
