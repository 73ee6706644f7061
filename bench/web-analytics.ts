/**
 * How long the questions of the web analytics page take on generated visits of 30 days, one after another and all at
 * once: `npm run bench web-analytics 10` with ten million events.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import {
  applyClickHouseMigrations,
  type ClickHouse,
  openClickHouse,
  startEmbeddedClickHouse,
} from '../src/engines/clickhouse/index.ts'
import { ndjson, nextDayToFill, rowsToFill } from '../src/events/index.ts'
import { type InsightContext, isAnsweredHere, readQuery, runWeb, webTogether } from '../src/insights/index.ts'
import { DAY } from '../src/lib/durations.ts'
import { createLogger } from '../src/lib/logger.ts'
import { cpuOf } from './support/running-service.ts'

const MILLIONS = Number(process.argv[2] ?? 1)
const ROUNDS = 7
const DAYS = 30
const EVENTS_OF_A_SESSION = 8
const CHUNK = 250_000
const GOAL_MS = 300

type Questions = Readonly<Record<string, object>>

/** What tables, figures and graph ask, without a comparison. */
function questionsAbout(dateRange: object): Questions {
  const common = { dateRange }
  const table = (breakdownBy: string, more = {}) => ({ kind: 'WebStatsTableQuery', breakdownBy, ...common, ...more })
  return {
    overview: { kind: 'WebOverviewQuery', ...common, compareFilter: { compare: true } },
    trend: { kind: 'WebTrendsQuery', ...common, interval: 'day' },
    pages: table('Page', { includeBounceRate: true, includeScrollDepth: true }),
    'entry pages': table('InitialPage', { includeBounceRate: true }),
    channels: table('InitialChannelType'),
    sources: table('InitialReferringDomain'),
    countries: table('Country'),
    browsers: table('Browser'),
    devices: table('DeviceType'),
    'weekday x hour': table('WeekdayHour'),
    'external clicks': { kind: 'WebExternalClicksTableQuery', ...common },
    vitals: vitals(common),
  }
}

const vitals = (common: object) => ({
  kind: 'WebVitalsPathBreakdownQuery',
  metric: 'LCP',
  percentile: 'p75',
  thresholds: [2500, 4000],
  ...common,
})

/** What the page asks when it is opened, compared with the period before as it is unless somebody says otherwise. */
function pageAbout(dateRange: object): Questions {
  const common = { dateRange, compareFilter: { compare: true } }
  const table = (breakdownBy: string, more = {}) => ({
    kind: 'WebStatsTableQuery',
    breakdownBy,
    ...common,
    includeBounceRate: true,
    limit: 8,
    ...more,
  })
  return {
    overview: { kind: 'WebOverviewQuery', ...common },
    live: { kind: 'WebOverviewQuery', dateRange: { date_from: '-5M' }, includeLive: true },
    trend: { kind: 'WebTrendsQuery', ...common, interval: 'day' },
    channels: table('InitialChannelType'),
    pages: table('Page', { includeScrollDepth: true, includeAvgTimeOnPage: true }),
    countries: table('Country', { limit: 300 }),
    devices: table('DeviceType'),
    'external clicks': { kind: 'WebExternalClicksTableQuery', ...common, limit: 8 },
    goals: { kind: 'WebGoalsQuery', ...common, includeEvents: true, limit: 20 },
    'weekday x hour': { kind: 'WebStatsTableQuery', dateRange, breakdownBy: 'WeekdayHour', limit: 168 },
    vitals: vitals({ dateRange }),
  }
}

const SETS: Readonly<Record<string, Questions>> = {
  'twelve questions about 7 days': questionsAbout({ date_from: '-7d' }),
  'the page, 7 days and the 7 before': pageAbout({ date_from: '-7d' }),
  'the page, 30 days and the 30 before': pageAbout({ date_from: '-30d' }),
}

async function fill(clickhouse: ClickHouse, count: number, end: number): Promise<void> {
  const step = (DAYS * DAY) / count
  for (let from = 0; from < count; from += CHUNK) {
    await clickhouse.command(
      `INSERT INTO events (project_id, uuid, event, timestamp, received_at, distinct_id, person_id, session_id, properties, props)
      SELECT 1, generateUUIDv4(n), ['$pageview', '$pageview', '$pageview', '$autocapture', '$pageleave', '$web_vitals', 'used', 'paid'][1 + n % 8],
        fromUnixTimestamp64Milli(time), fromUnixTimestamp64Milli(time), toString(user),
        reinterpretAsUUID(concat(reinterpretAsFixedString(cityHash64(user)), reinterpretAsFixedString(cityHash64(user, 1)))),
        toString(session), toJSONString(map(
          '$current_url', 'https://shop.example/p' || toString(cityHash64(n) % 300), '$pathname', '/p' || toString(cityHash64(n) % 300),
          '$host', 'shop.example', '$referring_domain', ['$direct', 'www.google.com', 'news.example', 'chatgpt.com'][1 + session % 4],
          '$browser', ['Chrome', 'Safari', 'Firefox', 'Edge'][1 + session % 4], '$os', 'Linux', '$device_type', ['Desktop', 'Mobile'][1 + session % 2],
          '$geoip_country_code', ['FR', 'US', 'DE', 'IN', 'BR', 'JP'][1 + session % 6], '$web_vitals_LCP_value', toString(cityHash64(n, 2) % 5000),
          '$prev_pageview_pathname', '/p' || toString(cityHash64(n, 3) % 300), '$prev_pageview_max_content_percentage', toString((n % 100) / 100),
          '$external_click_url', if(n % 40 = 3, 'https://out.example/' || toString(n % 50), ''))) AS text, text
      FROM (SELECT number + ${from} AS n, toInt64(${end - DAYS * DAY} + n * ${step}) AS time, intDiv(n, ${EVENTS_OF_A_SESSION}) AS session,
        cityHash64(session) % ${Math.ceil(count / 40)} AS user FROM numbers(${Math.min(CHUNK, count - from)}))`,
      { maxSeconds: 600 },
    )
  }
}

/** As the job does it for events of earlier versions. */
async function fillSessions(clickhouse: ClickHouse): Promise<void> {
  for (let day = await dayToFill(clickhouse, null); day !== null; day = await dayToFill(clickhouse, dayAfter(day))) {
    const { rows } = await clickhouse.query<object>(rowsToFill(day, null, 10_000_000))
    await clickhouse.insert('sessions', ndjson(rows))
  }
}

async function dayToFill(clickhouse: ClickHouse, from: string | null): Promise<string | null> {
  const { rows } = await clickhouse.query<{ day: string; events: number }>(nextDayToFill(from))
  return Number(rows[0]?.events ?? 0) === 0 ? null : (rows[0]?.day ?? null)
}

const dayAfter = (day: string): string => new Date(Date.parse(`${day}T00:00:00Z`) + DAY).toISOString().slice(0, 10)

interface Cost {
  readonly ms: number
  /** Of the engine, so that it says the same on a busy machine. */
  readonly cpuMs: number
}

async function costOf(work: () => Promise<unknown>, engine: number | undefined): Promise<Cost> {
  const [start, cpu] = [performance.now(), cpuOf(engine)]
  await work()
  return { ms: performance.now() - start, cpuMs: (cpuOf(engine) - cpu) * 1000 }
}

async function medianCost(work: () => Promise<unknown>, engine: number | undefined): Promise<Cost> {
  const rounds: Cost[] = []
  for (let round = 0; round < ROUNDS; round++) rounds.push(await costOf(work, engine))
  return { ms: median(rounds.map(({ ms }) => ms)), cpuMs: median(rounds.map(({ cpuMs }) => cpuMs)) }
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

const log = createLogger('silent')
const folder = await mkdtemp(path.join(tmpdir(), 'footfall-bench-web-analytics-'))
const embedded = await startEmbeddedClickHouse({ dataDir: folder, log })
const clickhouse = openClickHouse({ ...embedded, log })
try {
  await applyClickHouseMigrations(clickhouse, log)
  await fill(clickhouse, MILLIONS * 1_000_000, Date.now())
  await fillSessions(clickhouse)
  const project = { id: 1, timezone: 'UTC', week_start_day: 0 as const, test_account_filters: [] }
  const context: InsightContext = { clickhouse, now: Date.now(), hasOverrides: false, project }
  const ask = async (question: object): Promise<number> => {
    const query = readQuery(question)
    if (!isAnsweredHere(query)) return 0
    const { asked } = await runWeb(context, query)
    return asked.reduce((sum, { rowsRead }) => sum + rowsRead, 0)
  }
  const askTogether = (asked: readonly object[]) => {
    const queries = asked.map((question) => readQuery(question)).filter(isAnsweredHere)
    return Promise.all(queries.map(webTogether(context, queries)))
  }
  console.log(`${MILLIONS} million events of ${DAYS} days, medians of ${ROUNDS} rounds`)
  for (const [set, questions] of Object.entries(SETS)) {
    console.log(`\n${set.padEnd(38)}${'ms'.padStart(8)}${'CPU ms'.padStart(8)}${'rows read'.padStart(12)}`)
    const line = (name: string, { ms, cpuMs }: Cost, more: string) =>
      console.log(`${name.padEnd(38)}${ms.toFixed(0).padStart(8)}${cpuMs.toFixed(0).padStart(8)}${more}`)
    const sum = { ms: 0, cpuMs: 0 }
    for (const [name, question] of Object.entries(questions)) {
      const rows = await ask(question)
      const cost = await medianCost(() => ask(question), embedded.pid)
      sum.ms += cost.ms
      sum.cpuMs += cost.cpuMs
      line(name, cost, String(rows).padStart(12))
    }
    line('one after another', sum, '')
    const together = await medianCost(() => askTogether(Object.values(questions)), embedded.pid)
    line('all at once', together, `   ${together.ms < GOAL_MS ? 'met' : 'MISSED'} (< ${GOAL_MS} ms)`)
  }
} finally {
  await clickhouse.close()
  await embedded.stop()
  await rm(folder, { recursive: true, force: true })
}
