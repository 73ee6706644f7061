import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { type Client, HeldBack } from '../../lib/held-back.ts'
import { SumsByName } from '../../lib/sums-by-name.ts'
import { StallWatch } from './stall.ts'

/** The metrics. Names say the unit; there are few labels. */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry, prefix: 'footfall_' })
  const heldBack = new HeldBack()
  return {
    registry,
    countCaptured: capturedCounter(registers),
    refused: new Counter({
      name: 'footfall_refused_requests_total',
      help: 'Capture requests that got an error',
      labelNames: ['code'],
      registers,
    }),
    flagAnswers: new Histogram({
      name: 'footfall_flag_answer_seconds',
      help: 'How long requests for feature flags took to answer, from the first byte',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
      registers,
    }),
    partialFlagAnswers: new Counter({
      name: 'footfall_flag_answers_partial_total',
      help: 'Answers in which some feature flag could not be decided (errorsWhileComputingFlags)',
      registers,
    }),
    heldBack,
    countHeldBack: heldBackCounter(registers, heldBack),
    stored: new Counter({
      name: 'footfall_stored_events_total',
      help: 'Events decided by the pipeline',
      labelNames: ['partition'],
      registers,
    }),
    warnings: new Counter({
      name: 'footfall_warnings_total',
      help: 'Warnings about events that were dropped or changed, by reason',
      labelNames: ['reason'],
      registers,
    }),
    deadLetters: new Counter({
      name: 'footfall_dead_letters_total',
      help: 'Events that could not be processed and are kept as dead letters',
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

/**
 * The metric has no label for the client: `/metrics` is open to those who must not know who asks what. The list goes to
 * admins. Counts in a map of our own, which is read at a scrape: an attacker decides how often this is called.
 */
function heldBackCounter(registers: Registry[], list: HeldBack): (reason: string, client: Client) => void {
  const byReason = new SumsByName<string>()
  new Counter({
    name: 'footfall_held_back_total',
    help: 'Requests that were slowed down, refused or dropped to protect others, by reason',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset()
      for (const reason of byReason.names()) this.inc({ reason }, byReason.of(reason))
    },
  })
  return (reason, client) => {
    byReason.add(reason, 1)
    list.count(reason, client)
  }
}

/**
 * Counts in a map of our own, which is read at a scrape: this is the hot path, and a prom-client counter with labels is
 * slower.
 */
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
