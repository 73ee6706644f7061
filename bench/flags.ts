import { fork } from 'node:child_process'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Burst, burst, percentile, post } from './support/raw-client.ts'
import { microsEach, RunningService, TOKEN } from './support/running-service.ts'

/**
 * `/flags/?v=2` with 50 flags and stored persons, against a bare node:http server that parses the same JSON, in turns in the same
 * run; then at half of what it can do, for the latency. First one person, then many of whom each has to be read again and again.
 */
const ROUNDS = 4
const SECONDS = 3
const FLAGS = 50
const PERSONS = 1_000

const service = new RunningService()
const bare = fork(path.join('bench', 'support', 'bare-server.mjs'))
const barePort = await new Promise<number>((resolve) => bare.once('message', (port) => resolve(port as number)))

const requests = Array.from({ length: PERSONS }, (_, n) =>
  post(
    '/flags/?v=2',
    JSON.stringify({
      token: TOKEN,
      distinct_id: `person-${n}`,
      groups: {},
      person_properties: { $browser: 'Firefox', $current_url: `https://example.com/${n}` },
      group_properties: {},
      geoip_disable: true,
    }),
  ),
)
const rate = ({ requests: count, seconds }: Burst) => count / seconds
const whole = (value: number) => Math.round(value).toLocaleString('en')

try {
  await service.start()
  await prepare()
  await measure('one stored person', () => requests[0] as Buffer)
  await measure(`${whole(PERSONS)} stored persons`, (n) => requests[n % requests.length] as Buffer)
} finally {
  bare.disconnect()
  service.child?.kill('SIGTERM')
  await delay(3_000)
  service.remove()
}

async function measure(who: string, turn: (n: number) => Buffer): Promise<void> {
  const best = { bare: 0, ours: 0 }
  for (let round = 0; round < ROUNDS; round++) {
    const least = await burst(barePort, turn, { connections: 64, seconds: SECONDS })
    const before = service.cpu()
    const ours = await burst(service.port, turn, { connections: 64, seconds: SECONDS })
    best.bare = Math.max(best.bare, rate(least))
    best.ours = Math.max(best.ours, rate(ours))
    console.log(
      `  round ${round + 1}: ${whole(rate(ours))} requests/s, bare ${whole(rate(least))}/s, failures ${ours.failures}; ` +
        `CPU microseconds a request: ${microsEach(before, service.cpu(), ours.requests)}`,
    )
  }
  const calm = { connections: 64, seconds: 10, perSecond: best.ours / 2 }
  // What the machine itself holds up, the bare server meets too.
  const bareHalf = await burst(barePort, turn, calm)
  const half = await burst(service.port, turn, calm)
  console.log(
    `${FLAGS} flags, ${who}: ${whole(best.ours)} requests/s, bare node:http ${whole(best.bare)}/s, ` +
      `ratio ${(best.ours / best.bare).toFixed(2)}; at half of that p50 ${percentile(half.latenciesMs, 0.5).toFixed(1)} ms, ` +
      `p99 ${percentile(half.latenciesMs, 0.99).toFixed(1)} ms (bare ${percentile(bareHalf.latenciesMs, 0.99).toFixed(1)} ms), failures ${half.failures}`,
  )
}

/** A third by rollout, a third by a property of the person, a third with variants. */
function filtersOf(n: number) {
  const properties = n % 3 === 1 ? [{ key: 'plan', type: 'person', operator: 'exact', value: ['pro', 'team'] }] : []
  const variants = [
    { key: 'control', rollout_percentage: 50 },
    { key: 'test', rollout_percentage: 50 },
  ]
  return {
    groups: [{ properties, rollout_percentage: n % 3 === 1 ? 100 : 60 }],
    ...(n % 3 === 2 && { multivariate: { variants } }),
  }
}

async function prepare(): Promise<void> {
  for (let n = 0; n < FLAGS; n++) await service.api('feature_flags/', { key: `flag-${n}`, filters: filtersOf(n) })
  const batch = Array.from({ length: PERSONS }, (_, n) => ({
    event: 'signed up',
    distinct_id: `person-${n}`,
    properties: { $set: { plan: ['free', 'pro', 'team'][n % 3], email: `person-${n}@example.com`, age: n % 90 } },
  }))
  const sent = await fetch(`http://127.0.0.1:${service.port}/batch/`, {
    method: 'POST',
    body: JSON.stringify({ api_key: TOKEN, batch }),
  })
  if (!sent.ok) throw new Error(await sent.text())
  await service.drained()
  const answer = await fetch(`http://127.0.0.1:${service.port}/flags/?v=2`, {
    method: 'POST',
    body: JSON.stringify({ token: TOKEN, distinct_id: 'person-0' }),
  })
  console.log(`an answer has ${whole((await answer.arrayBuffer()).byteLength)} bytes, one of the bare server 15`)
}
