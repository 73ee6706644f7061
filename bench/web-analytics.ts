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
import { type InsightContext, isWebQuery, readQuery, runWeb } from '../src/insights/index.ts'
import { DAY } from '../src/lib/durations.ts'
import { createLogger } from '../src/lib/logger.ts'

const MILLIONS = Number(process.argv[2] ?? 1)
const ROUNDS = 7
const DAYS = 30
const EVENTS_OF_A_SESSION = 8
const CHUNK = 250_000
const GOAL_MS = 300

const LAST_WEEK = { dateRange: { date_from: '-7d' } }
const table = (breakdownBy: string, more = {}) => ({ kind: 'WebStatsTableQuery', breakdownBy, ...LAST_WEEK, ...more })
const QUESTIONS: Record<string, object> = {
  overview: { kind: 'WebOverviewQuery', ...LAST_WEEK, compareFilter: { compare: true } },
  trend: { kind: 'WebTrendsQuery', ...LAST_WEEK, interval: 'day' },
  pages: table('Page', { includeBounceRate: true, includeScrollDepth: true }),
  'entry pages': table('InitialPage', { includeBounceRate: true }),
  channels: table('InitialChannelType'),
  sources: table('InitialReferringDomain'),
  countries: table('Country'),
  browsers: table('Browser'),
  devices: table('DeviceType'),
  'weekday x hour': table('WeekdayHour'),
  'external clicks': { kind: 'WebExternalClicksTableQuery', ...LAST_WEEK },
  vitals: {
    kind: 'WebVitalsPathBreakdownQuery',
    metric: 'LCP',
    percentile: 'p75',
    thresholds: [2500, 4000],
    ...LAST_WEEK,
  },
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

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
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
  const ask = async (question: object) => {
    const query = readQuery(question)
    if (isWebQuery(query) && query.kind !== 'WebVitalsQuery') await runWeb(context, query)
  }
  console.log(`${MILLIONS} million events, ${DAYS} days, asked about the last 7, median ms of ${ROUNDS} rounds`)
  let sum = 0
  for (const [name, question] of Object.entries(QUESTIONS)) {
    const rounds: number[] = []
    for (let round = 0; round < ROUNDS; round++) rounds.push(await timed(() => ask(question)))
    sum += median(rounds)
    console.log(`${name.padEnd(20)}${median(rounds).toFixed(0).padStart(8)}`)
  }
  const together: number[] = []
  for (let round = 0; round < ROUNDS; round++)
    together.push(await timed(() => Promise.all(Object.values(QUESTIONS).map(ask))))
  console.log(`${'one after another'.padEnd(20)}${sum.toFixed(0).padStart(8)}`)
  console.log(
    `${'all at once'.padEnd(20)}${median(together).toFixed(0).padStart(8)}   ${median(together) < GOAL_MS ? 'met' : 'MISSED'} (< ${GOAL_MS})`,
  )
} finally {
  await clickhouse.close()
  await embedded.stop()
  await rm(folder, { recursive: true, force: true })
}
