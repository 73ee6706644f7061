import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** What an operator watches. Names say the unit; labels stay few. */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry, prefix: 'footfall_' })
  return {
    registry,
    captured: new Counter({
      name: 'footfall_captured_events_total',
      help: 'Events made durable in the log',
      labelNames: ['path'],
      registers,
    }),
    capturedBytes: new Counter({
      name: 'footfall_captured_bytes_total',
      help: 'Bytes of accepted capture requests, as sent',
      registers,
    }),
    refused: new Counter({
      name: 'footfall_refused_requests_total',
      help: 'Capture requests that got an error',
      labelNames: ['code'],
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
    gauge: (name: string, help: string, read: () => number) =>
      new Gauge({
        name: `footfall_${name}`,
        help,
        registers,
        collect() {
          this.set(read())
        },
      }),
  }
}

export type Metrics = ReturnType<typeof createMetrics>
