import type { Sql } from '../../engines/postgres/index.ts'
import { SECOND } from '../../lib/durations.ts'
import { every } from '../../lib/every.ts'
import { pause } from '../../lib/pause.ts'

/**
 * Runs `work` while no process runs a partition of the log. A row in Postgres asks all of them to leave their partitions
 * (`ownership.ts`); each finishes the batch it is at. Then the epochs are raised, so that a process which was suspended
 * meanwhile and wakes up applies nothing. Events wait in the log. Should this process die, the row expires.
 */
const PAUSE_MS = 20 * SECOND
const RENEW_MS = 5 * SECOND
const LOOK_MS = 200
/** A batch takes seconds, an owner that is gone as long as its lease. */
const LEAVE_WITHIN_MS = 60 * SECOND

export async function whileAllPaused<T>(
  sql: Sql,
  { holder, signal }: { readonly holder: string; readonly signal: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  const ask = () => sql`
    INSERT INTO pipeline_pauses (holder, expires_at) VALUES (${holder}, now() + ${`${PAUSE_MS} milliseconds`}::interval)
    ON CONFLICT (holder) DO UPDATE SET expires_at = excluded.expires_at`
  await ask()
  const stopRenewing = every(RENEW_MS, () => ask().catch(() => {}))
  try {
    await untilAllLeft(sql, signal)
    return await work()
  } finally {
    await stopRenewing()
    await sql`DELETE FROM pipeline_pauses WHERE holder = ${holder}`
  }
}

async function untilAllLeft(sql: Sql, signal: AbortSignal): Promise<void> {
  const end = Date.now() + LEAVE_WITHIN_MS
  for (;;) {
    const [row] = await sql<[{ running: number }]>`
      SELECT count(*) AS running FROM partition_leases WHERE owner IS NOT NULL AND expires_at > now()`
    if (row.running === 0) break
    if (Date.now() > end)
      throw new Error(
        `${row.running} partitions of the log are still being worked on: is a process of an older version running?`,
      )
    await pause(LOOK_MS, signal)
    signal.throwIfAborted()
  }
  await sql`UPDATE partition_leases SET owner = NULL, epoch = epoch + 1`
}
