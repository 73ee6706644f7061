import { backoffMs } from '../../lib/backoff.ts'
import type { Logger } from '../../lib/logger.ts'
import { pause } from '../../lib/pause.ts'
import type { LogReader } from '../../log/index.ts'

/** Runs a partition, and restarts it after any error, until the signal is aborted. */
export async function keepRunning(
  partition: string,
  { log, signal, reader }: { readonly log: Logger; readonly signal: AbortSignal; readonly reader: LogReader },
  run: () => Promise<void>,
): Promise<void> {
  for (let attempt = 0; !signal.aborted; attempt++) {
    try {
      await run()
    } catch (error) {
      if (signal.aborted) break
      log.warn({ partition, err: error }, 'the partition starts over from what Postgres says')
      await pause(backoffMs(attempt, { firstMs: 200, longestMs: 5_000 }), signal)
    }
  }
  void reader.leave?.(partition)
}
