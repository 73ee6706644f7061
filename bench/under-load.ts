import { setTimeout as delay } from 'node:timers/promises'
import { type Burst, burst, percentile, post } from './support/raw-client.ts'
import { RunningService, TOKEN } from './support/running-service.ts'
import { sampleEvent } from './support/sample-events.ts'

/**
 * `npm run bench under-load 5000 200000`: questions over so many stored events, first with nothing else to do and then while so many
 * events a second come in; how soon a new event is in a trend meanwhile; and a dashboard of eight tiles, again within a minute.
 */
const PER_SECOND = Number(process.argv[2] ?? 5_000)
const STORED = Number(process.argv[3] ?? 200_000)
const BATCH = 100
const ROUNDS = 7
const LOAD_FIRST_MS = 5_000
const AGAIN = 40
const COUNTED = 30

const series = (...events: string[]) => events.map((event) => ({ kind: 'EventsNode', event }))
const dateRange = { date_from: '-7d' }
const FUNNEL = { kind: 'FunnelsQuery', series: series('$pageview', 'signed up', 'paid'), dateRange }
const TREND = { kind: 'TrendsQuery', series: series('$pageview'), dateRange }
const TILES: Readonly<Record<string, object>> = {
  trend: TREND,
  'unique users': { ...TREND, series: [{ ...series('$pageview')[0], math: 'dau' }] },
  breakdown: { ...TREND, breakdownFilter: { breakdown: '$browser' } },
  'two series': { ...TREND, series: series('signed up', 'paid') },
  funnel: FUNNEL,
  retention: { kind: 'RetentionQuery', retentionFilter: { period: 'Day', totalIntervals: 7 } },
  lifecycle: { kind: 'LifecycleQuery', series: series('$pageview'), dateRange },
  stickiness: { kind: 'StickinessQuery', series: series('$pageview'), dateRange },
}
const QUESTIONS: Readonly<Record<string, object>> = {
  ...TILES,
  correlation: {
    kind: 'FunnelCorrelationQuery',
    funnelCorrelationType: 'events',
    source: { kind: 'FunnelsActorsQuery', source: FUNNEL },
  },
}

const service = new RunningService()
try {
  await service.start()
  await fill()
  await dashboard()
  const quiet = await askAll()
  const load = steadyLoad()
  await delay(LOAD_FIRST_MS)
  const before = service.cpu()
  const busy = await askAll()
  const seen: number[] = []
  while (seen.length < COUNTED) seen.push(await service.untilCounted())
  const { capture, pipeline, clickhouse, postgres } = service.cpu()
  const sent = await load.stop()
  for (const [name, ms] of Object.entries(quiet)) {
    const meanwhile = busy[name] ?? 0
    console.log(
      `${name.padEnd(14)} ${ms.toFixed(0).padStart(5)} ms quiet, ${meanwhile.toFixed(0).padStart(5)} ms meanwhile, ratio ${(meanwhile / ms).toFixed(1)} (goal 2)`,
    )
  }
  console.log(
    `a new event is in a trend after: p50 ${percentile(seen, 0.5).toFixed(0)} ms, p99 ${percentile(seen, 0.99).toFixed(0)} ms (goal 2000) of ${seen.length}`,
  )
  console.log(
    `meanwhile: ${(sent.events / sent.seconds).toFixed(0)} events/s taken of ${PER_SECOND}, failures ${sent.failures}, ` +
      `p99 ${percentile(sent.latenciesMs, 0.99).toFixed(0)} ms; CPU seconds: capture ${(capture - before.capture).toFixed(0)}, ` +
      `pipeline ${(pipeline - before.pipeline).toFixed(0)}, ClickHouse ${(clickhouse - before.clickhouse).toFixed(0)}, PostgreSQL ${(postgres - before.postgres).toFixed(0)}`,
  )
  await service.stop()
} finally {
  service.child?.kill('SIGKILL')
  service.remove()
}

function batches(): (turn: number) => Buffer {
  const bodies = Array.from({ length: 50 }, (_, b) =>
    post(
      '/batch/',
      JSON.stringify({
        api_key: TOKEN,
        batch: Array.from({ length: BATCH }, (_, i) => ({ ...sampleEvent(b * BATCH + i), timestamp: undefined })),
      }),
    ),
  )
  return (turn) => bodies[turn % bodies.length] as Buffer
}

/** Until it is stopped. */
function steadyLoad() {
  const request = batches()
  const all: Burst[] = []
  let isOver = false
  const running = (async () => {
    while (!isOver)
      all.push(await burst(service.port, request, { connections: 4, seconds: 5, perSecond: PER_SECOND / BATCH }))
  })()
  const sum = (of: (each: Burst) => number) => all.reduce((total, each) => total + of(each), 0)
  return {
    async stop() {
      isOver = true
      await running
      return {
        events: sum(({ requests }) => requests) * BATCH,
        seconds: sum(({ seconds }) => seconds),
        failures: sum(({ failures }) => failures),
        latenciesMs: all.flatMap(({ latenciesMs }) => latenciesMs),
      }
    },
  }
}

async function fill(): Promise<void> {
  const seconds = STORED / 50_000
  let left = STORED
  while (left > 0) {
    const { requests } = await burst(service.port, batches(), { connections: 8, seconds: Math.max(1, seconds / 4) })
    left -= requests * BATCH
  }
  await service.drained()
  console.log(`${(STORED - left).toLocaleString('en')} events stored`)
}

/** The median of some rounds, each calculated anew. */
async function askAll(): Promise<Record<string, number>> {
  const times: Record<string, number[]> = {}
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, query] of Object.entries(QUESTIONS)) {
      const began = performance.now()
      await service.api('query/', { query, refresh: 'force_blocking' })
      times[name] = [...(times[name] ?? []), performance.now() - began]
    }
  return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, percentile(all, 0.5)]))
}

/** All tiles with their numbers in one request: the first time, and again. */
async function dashboard(): Promise<void> {
  const { id } = await service.api<{ id: number }>('dashboards/', { name: 'Eight tiles' })
  for (const [name, query] of Object.entries(TILES))
    await service.api('insights/', { name, query: { kind: 'InsightVizNode', source: query }, dashboards: [id] })
  const times: number[] = []
  for (let i = 0; i <= AGAIN; i++) {
    const began = performance.now()
    const { tiles } = await service.api<{ tiles: { insight: { result: unknown; is_cached: boolean } }[] }>(
      `dashboards/${id}/?refresh=blocking`,
    )
    times.push(performance.now() - began)
    if (tiles.filter(({ insight }) => insight.result && insight.is_cached === i > 0).length !== 8)
      throw new Error('the dashboard has not all of its tiles, or not from where they should be')
  }
  const [first, ...again] = times
  console.log(
    `a dashboard of 8 tiles: ${first?.toFixed(0)} ms the first time; again within a minute: median ${percentile(again, 0.5).toFixed(0)} ms, worst ${Math.max(...again).toFixed(0)} ms (goal 60)`,
  )
}
