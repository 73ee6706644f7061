import type { ClickHouse } from '../../engines/clickhouse/index.ts'
import { SECOND } from '../../lib/durations.ts'
import type { Logger } from '../../lib/logger.ts'
import { pause } from '../../lib/pause.ts'

/**
 * The server and this process start in any order, and it may be restarting just now: it is waited for, but not for
 * ever. Whoever asks it next gets the error of one that still does not answer.
 */
export async function untilAnswers(
  clickhouse: Pick<ClickHouse, 'ping'>,
  log: Logger,
  { withinMs = 30 * SECOND, everyMs = 200 }: { readonly withinMs?: number; readonly everyMs?: number } = {},
): Promise<void> {
  const end = Date.now() + withinMs
  for (let attempt = 0; !(await clickhouse.ping()) && Date.now() < end; attempt++) {
    if (attempt === 0) log.warn('the start waits for ClickHouse, which does not answer')
    await pause(everyMs)
  }
}
