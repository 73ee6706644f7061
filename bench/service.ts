import { fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Burst, burst, percentile, post } from './support/raw-client.ts'
import { cpuOf, microsEach, RunningService, TOKEN } from './support/running-service.ts'
import { sampleEvent } from './support/sample-events.ts'

/**
 * The whole service against a bare node:http server, measured in turns in the same run. Rounds alternate, the best of each counts:
 * what disturbs a round on a shared machine only ever makes it slower.
 */
const ROUNDS = 4
const SECONDS = 3
/** `npm run bench service batches` measures one part only. */
const only = process.argv[2]
const BATCH = 500

const service = new RunningService()
const bare = fork(path.join('bench', 'support', 'bare-server.mjs'))
const barePort = await new Promise<number>((resolve) => bare.once('message', (port) => resolve(port as number)))

try {
  await service.start()
  console.log(`first start, with empty data: ready after ${Math.round(service.readyMs)} ms`)
  for (const [name, part] of Object.entries({ idle, single: singleEvents, batches, visibility })) {
    if (only === undefined || only === name) await part()
  }
  await service.stop()
  await service.start()
  console.log(`second start, with data: ready after ${Math.round(service.readyMs)} ms`)
  await service.stop()
} finally {
  bare.disconnect()
  service.child?.kill('SIGKILL')
  service.remove()
}

async function idle(): Promise<void> {
  // Long enough for connections to the database to be closed again.
  await delay(40_000)
  const tree = service.tree()
  const shares = tree.map(({ pid }) => shareOf(pid))
  for (const [i, { rss, command }] of tree.entries())
    console.log(`  ${mb(rss).padStart(7)} ${mb(shares[i] ?? 0).padStart(7)}  ${command.slice(0, 90)}`)
  const resident = mb(tree.reduce((sum, { rss }) => sum + rss, 0))
  const proportional = mb(shares.reduce((sum, share) => sum + share, 0))
  console.log(
    `idle memory of the process tree: ${resident} where each counts the pages that it shares, ${proportional} where they share them`,
  )
}

/** A process's bytes in memory, pages that several have divided among them; none if it ended while we looked. */
function shareOf(pid: number): number {
  try {
    const kilobytes = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]
    return Number(kilobytes) * 1024
  } catch {
    return 0
  }
}

async function singleEvents(): Promise<void> {
  const requests = Array.from({ length: 2_000 }, (_, i) =>
    post('/i/v0/e/', JSON.stringify({ api_key: TOKEN, ...sampleEvent(i) })),
  )
  const turn = (i: number) => requests[i % requests.length] as Buffer
  const best = { bare: 0, ours: 0 }
  let ours: Burst | null = null
  for (let round = 0; round < ROUNDS; round++) {
    const idle = cpuOf(bare.pid)
    const least = await burst(barePort, turn, { connections: 64, seconds: SECONDS })
    const bareMicros = ((cpuOf(bare.pid) - idle) / least.requests) * 1e6
    best.bare = Math.max(best.bare, rate(least))
    const before = service.cpu()
    const measured = await burst(service.port, turn, { connections: 64, seconds: SECONDS })
    const during = service.cpu()
    if (rate(measured) > best.ours) ours = measured
    best.ours = Math.max(best.ours, rate(measured))
    await service.drained()
    console.log(
      `  round ${round + 1}: ${n(rate(measured))} durable requests/s, bare ${n(rate(least))}/s; CPU microseconds a request: bare ${bareMicros.toFixed(0)}, client ${measured.clientMicros.toFixed(0)}, ` +
        `${microsEach(before, during, measured.requests)} while it lasted; ${microsEach(before, service.cpu(), measured.requests)} until all was stored`,
    )
  }
  console.log(
    `single events: ${n(best.ours)} durable requests/s, bare node:http ${n(best.bare)}/s, ratio ${(best.ours / best.bare).toFixed(2)}; ` +
      `p50 ${percentile(ours?.latenciesMs ?? [], 0.5).toFixed(1)} ms, p99 ${percentile(ours?.latenciesMs ?? [], 0.99).toFixed(1)} ms, failures ${ours?.failures}`,
  )
}

async function batches(): Promise<void> {
  const bodies = Array.from({ length: 40 }, (_, b) =>
    JSON.stringify({
      api_key: TOKEN,
      batch: Array.from({ length: BATCH }, (_, i) => sampleEvent(b * BATCH + i)),
    }),
  )
  const requests = bodies.map((body) => post('/batch/', body))
  console.log(`batches of ${BATCH}: ${Math.round(Buffer.byteLength(bodies[0] as string) / BATCH)} bytes an event`)
  let best = 0
  for (let round = 0; round < ROUNDS; round++) {
    const before = service.cpu()
    const began = performance.now()
    const sent = await burst(service.port, (i) => requests[i % requests.length] as Buffer, {
      connections: 8,
      seconds: SECONDS,
    })
    const { capture, pipeline } = service.cpu()
    const acknowledged = capture + pipeline - before.capture - before.pipeline
    const events = sent.requests * BATCH
    await service.drained()
    const endToEnd = events / ((performance.now() - began) / 1000)
    best = Math.max(best, endToEnd)
    console.log(
      `  round ${round + 1}: ${n(events / sent.seconds)} durable events/s acknowledged (${n(events / acknowledged)} for each CPU second of the service), ` +
        `${n(endToEnd)} events/s end to end into ClickHouse, failures ${sent.failures}; ` +
        `CPU microseconds an event: ${microsEach(before, service.cpu(), events)}`,
    )
  }
  console.log(`end to end, best round: ${n(best)} events/s`)
}

async function visibility(): Promise<void> {
  const times: number[] = []
  for (let i = 0; i < 10; i++) {
    times.push(await service.untilCounted())
    await delay(300)
  }
  console.log(
    `an event is in a trend after ${Math.round(percentile(times, 0.5))} ms (median of ${times.length}, slowest ${Math.round(Math.max(...times))} ms)`,
  )
}

function rate({ requests, seconds }: Burst): number {
  return requests / seconds
}
function mb(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MB`
}
function n(value: number): string {
  return Math.round(value).toLocaleString('en')
}
