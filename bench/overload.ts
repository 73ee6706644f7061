import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { burst, percentile, post } from './support/raw-client.ts'
import { RunningService, TOKEN } from './support/running-service.ts'
import { sampleEvent } from './support/sample-events.ts'

/**
 * `npm run bench overload`: measures how many events a second the service stores end to end, then offers ten times as many for a minute,
 * without waiting for answers. Prints what was answered, the memory while it lasted, how long the rest took, and whether every
 * acknowledged event is there. An honest client sends one small event at a time meanwhile; its latencies are printed too.
 */
const SECONDS = Number(process.argv[2] ?? 60)
const TIMES = 10
const BATCH = 500
const CONNECTIONS = 400
const ALMOST_NOTHING = 1024 * 1024
const service = new RunningService()

try {
  await service.start()
  const sustainable = await sustainableRate()
  const perSecond = (sustainable * TIMES) / BATCH
  console.log(`sustainable: ${n(sustainable)} events/s end to end; offering ${n(perSecond * BATCH)}/s for ${SECONDS} s`)
  const idle = memory()
  const honest = honestClient()
  const { answers, acknowledged, highest } = await offer(perSecond)
  console.log(`answers: ${[...answers].map(([status, count]) => `${status}: ${n(count)}`).join(', ')}`)
  console.log(`memory: ${n(idle)} MB before, ${n(highest)} MB at most`)
  const began = performance.now()
  // The honest client goes on sending: there is always something to read.
  await service.drained(ALMOST_NOTHING)
  console.log(`all stored ${((performance.now() - began) / 1000).toFixed(0)} s after the end`)
  const { sent, failed, latencies } = await honest.stop()
  await service.drained()
  console.log(
    `honest client: ${sent} single events, ${failed} refused; p50 ${percentile(latencies, 0.5).toFixed(0)} ms, ` +
      `p99 ${percentile(latencies, 0.99).toFixed(0)} ms, slowest ${Math.max(...latencies).toFixed(0)} ms`,
  )
  await compare(acknowledged)
  await delay(30_000)
  console.log(`memory half a minute later: ${n(memory())} MB`)
  await service.stop()
} finally {
  service.child?.kill('SIGKILL')
  service.remove()
}

/** Ten seconds of batches, each sent when the last was answered, until all of them are stored. */
async function sustainableRate(): Promise<number> {
  const bodies = Array.from({ length: 20 }, () => post('/batch/', batch('warm-up').body))
  const began = performance.now()
  const sent = await burst(service.port, (turn) => bodies[turn % bodies.length] as Buffer, {
    connections: 8,
    seconds: 10,
  })
  await service.drained()
  return ((sent.requests - sent.failures) * BATCH) / ((performance.now() - began) / 1000)
}

/** The events carry no uuid, so the same bodies may be sent again and again, each time as new events. */
function batch(event: string): { body: string } {
  const events = Array.from({ length: BATCH }, (_, i) => ({ ...sampleEvent(i), event, timestamp: undefined }))
  return { body: JSON.stringify({ api_key: TOKEN, batch: events }) }
}

interface Offered {
  readonly answers: Map<string, number>
  readonly acknowledged: number
  readonly highest: number
}

/** As many requests a second as told, whether the earlier ones were answered or not; beyond so many open connections they count as unsent. */
async function offer(perSecond: number): Promise<Offered> {
  const { body } = batch('overload')
  const answers = new Map<string, number>()
  const count = (what: string) => answers.set(what, (answers.get(what) ?? 0) + 1)
  const open = new Set<Promise<void>>()
  let acknowledged = 0
  let highest = 0
  let offered = 0
  const send = async () => {
    try {
      const answer = await fetch(`http://127.0.0.1:${service.port}/batch/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      await answer.arrayBuffer()
      if (answer.status === 200) acknowledged += BATCH
      count(String(answer.status))
    } catch {
      count('connection lost')
    }
  }
  const began = performance.now()
  for (let elapsed = 0; elapsed < SECONDS * 1000; elapsed = performance.now() - began) {
    for (; offered < (elapsed / 1000) * perSecond; offered++) {
      if (open.size >= CONNECTIONS) {
        count('not sent, too many open')
        continue
      }
      const sending: Promise<void> = send().finally(() => open.delete(sending))
      open.add(sending)
    }
    highest = Math.max(highest, memory())
    await delay(20)
  }
  await Promise.all(open)
  return { answers, acknowledged, highest: Math.max(highest, memory()) }
}

/** One small event after another, twenty a second, from the same machine. */
function honestClient() {
  const latencies: number[] = []
  let failed = 0
  let isOver = false
  const run = (async () => {
    while (!isOver) {
      const began = performance.now()
      const body = JSON.stringify({ api_key: TOKEN, event: 'honest', distinct_id: randomUUID() })
      const answer = await fetch(`http://127.0.0.1:${service.port}/i/v0/e/`, { method: 'POST', body }).catch(() => null)
      if (answer?.status !== 200) failed += 1
      await answer?.arrayBuffer()
      latencies.push(performance.now() - began)
      await delay(50)
    }
  })()
  return {
    async stop() {
      isOver = true
      await run
      return { sent: latencies.length, failed, latencies }
    },
  }
}

/** Resident memory of the service, its threads and engines, in MB. */
function memory(): number {
  return service.tree().reduce((sum, { rss }) => sum + rss, 0) / 1024 / 1024
}

async function compare(acknowledged: number): Promise<void> {
  const query = "SELECT count() FROM events WHERE event = 'overload'"
  const { results } = await service.api<{ results: number[][] }>('query/', {
    query: { kind: 'HogQLQuery', query },
    refresh: 'force_blocking',
  })
  console.log(`acknowledged ${n(acknowledged)} events; stored ${n(Number(results[0]?.[0] ?? 0))}`)
}

function n(value: number): string {
  return Math.round(value).toLocaleString('en')
}
