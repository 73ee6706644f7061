import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { StallWatch } from './stall.ts'

/** What an operator watches. Names say the unit; labels stay few. */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry, prefix: 'footfall_' })
  return {
    registry,
    countCaptured: capturedCounter(registers),
    refused: new Counter({
      name: 'footfall_refused_requests_total',
      help: 'Capture requests that got an error',
      labelNames: ['code'],
      registers,
    }),
    heldBack: new Counter({
      name: 'footfall_held_back_total',
      help: 'Requests that were refused or let go for the sake of others, by reason',
      labelNames: ['reason'],
      registers,
    }),
    stored: new Counter({
      name: 'footfall_stored_events_total',
      help: 'Events decided by the pipeline',
      labelNames: ['partition'],
      registers,
    }),
    warnings: new Counter({
      name: 'footfall_warnings_total',
      help: 'Events dropped, mended or refused something, by reason',
      labelNames: ['reason'],
      registers,
    }),
    deadLetters: new Counter({
      name: 'footfall_dead_letters_total',
      help: 'Events that could not be processed and are kept aside',
      registers,
    }),
    lag: new Histogram({
      name: 'footfall_pipeline_lag_seconds',
      help: 'Age of the oldest event of a batch when it was decided',
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 300],
      registers,
    }),
    stall: new StallWatch(),
    answers: new Histogram({
      name: 'footfall_api_answer_seconds',
      help: 'How long the management API took to answer, by resource and status',
      labelNames: ['resource', 'status'],
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      registers,
    }),
    gauge: (name: string, help: string, read: () => number | Promise<number>) =>
      new Gauge({
        name: `footfall_${name}`,
        help,
        registers,
        async collect() {
          this.set(await read())
        },
      }),
  }
}

/** Counts by hand and tells when asked: every request passes here, and a counter with labels looks its label up by text. */
function capturedCounter(registers: Registry[]): (path: string, events: number, bytes: number) => void {
  const eventsByPath = new Map<string, number>()
  let allBytes = 0
  new Counter({
    name: 'footfall_captured_events_total',
    help: 'Events made durable in the log',
    labelNames: ['path'],
    registers,
    collect() {
      this.reset()
      for (const [path, events] of eventsByPath) this.inc({ path }, events)
    },
  })
  new Counter({
    name: 'footfall_captured_bytes_total',
    help: 'Bytes of accepted capture requests, as sent',
    registers,
    collect() {
      this.reset()
      this.inc(allBytes)
    },
  })
  return (path, events, bytes) => {
    eventsByPath.set(path, (eventsByPath.get(path) ?? 0) + events)
    allBytes += bytes
  }
}

export type Metrics = ReturnType<typeof createMetrics>
