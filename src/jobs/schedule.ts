import type { MutationProgress, MutationWatch } from '../engines/clickhouse/index.ts'
import type { Sql } from '../engines/postgres/index.ts'
import type { Logger } from '../lib/logger.ts'
import { pause } from '../lib/pause.ts'
import { withoutNul } from '../lib/without-nul.ts'
import type { When } from './when.ts'

/**
 * A durable schedule. Each job has a row that says when it runs next; each process with the role checks it once a
 * second.
 *
 *   waiting   `next_run_at` is in the future
 *   due       it has passed, perhaps long ago: a run that was missed while no process ran is made up for, once
 *   running   one process holds the job's lock (a Postgres session, so a crash frees it), and checks again whether the
 *             job is still due
 *   waiting   `next_run_at` is the first time after now; after a failure at most ten minutes later, so that an engine
 *             that was away on a Sunday morning does not cost a week. The error is logged and stored in the row
 *
 * A process that crashes while running leaves the job due; another process runs it. So a job must tolerate being run
 * again.
 */
export interface Job {
  readonly name: string
  readonly when: When
  /** Also runs at the first start, without waiting for its time. */
  readonly atOnce?: boolean
  /** Waits for changes in ClickHouse, which may take hours. */
  readonly isLong?: boolean
  /** `watch` shows in the job's row how far its changes in ClickHouse are. */
  run(signal: AbortSignal, now: Date, watch: MutationWatch): Promise<void>
}

export interface Schedule {
  stop(): Promise<void>
}

/** The current time. By default Postgres' clock, because processes on different machines must agree. */
export type Clock = () => Promise<Date>

const LOOK_EVERY_MS = 1_000
/**
 * Each run holds a connection for its lock. After a downtime all jobs are due, and they must leave connections for the
 * work.
 */
const AT_ONCE = 4
/** The others must not wait for hours. */
const LONG_AT_ONCE = 2
const AGAIN_AFTER_FAILURE_MS = 600_000
const LOCK_AGAIN_MS = 200

const clockOf =
  (sql: Sql): Clock =>
  async () => {
    const [row] = await sql<[{ now: Date }]>`SELECT now() AS now`
    return row.now
  }

export async function startSchedule(
  sql: Sql,
  jobs: readonly Job[],
  log: Logger,
  clock: Clock = clockOf(sql),
): Promise<Schedule> {
  const now = await clock()
  for (const { name, when, atOnce } of jobs)
    await sql`
      INSERT INTO scheduled_jobs (name, next_run_at) VALUES (${name}, ${atOnce ? now : when(now)}) ON CONFLICT DO NOTHING`
  const stopping = new AbortController()
  const running = lookRepeatedly({ sql, log, clock, signal: stopping.signal }, jobs)
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}

interface Context {
  readonly sql: Sql
  readonly log: Logger
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Jobs run concurrently, so that a long one does not delay the others. */
async function lookRepeatedly(context: Context, jobs: readonly Job[]): Promise<void> {
  const { log, signal } = context
  const running = new Map<string, Promise<void>>()
  const longOnes = () => jobs.filter(({ name, isLong }) => isLong && running.has(name)).length
  while (!signal.aborted) {
    try {
      const due = new Set((await dueJobs(context)).map(({ name }) => name))
      for (const job of jobs) {
        if (!due.has(job.name) || running.has(job.name) || running.size >= AT_ONCE) continue
        if (job.isLong && longOnes() >= LONG_AT_ONCE) continue
        const run = runOnce(context, job)
          .catch((error: Error) => log.warn({ job: job.name, error: error.message }, 'a job could not be run'))
          .finally(() => running.delete(job.name))
        running.set(job.name, run)
      }
    } catch (error) {
      log.warn({ error: (error as Error).message }, 'the schedule could not be read')
    }
    await pause(LOOK_EVERY_MS, signal)
  }
  await Promise.all(running.values())
}

const dueJobs = async ({ sql, clock }: Context, name: string | null = null) => sql<{ name: string }[]>`
  SELECT name FROM scheduled_jobs WHERE next_run_at <= ${await clock()} AND (${name}::text IS NULL OR name = ${name})`

async function runOnce(context: Context, job: Job): Promise<void> {
  const { sql, log, clock, signal } = context
  await withJobLock(sql, job.name, { wait: false }, async () => {
    // Another process may have run it between our check and our lock.
    if ((await dueJobs(context, job.name)).length === 0) return
    await sql`UPDATE scheduled_jobs SET last_started_at = now() WHERE name = ${job.name}`
    let failure: string | null = null
    try {
      await job.run(signal, await clock(), { signal, onProgress: (progress) => show(sql, job.name, progress) })
    } catch (error) {
      failure = withoutNul((error as Error).message)
      if (!signal.aborted) log.error({ err: error, job: job.name }, 'a job failed')
    }
    if (signal.aborted) return
    const now = await clock()
    const again = failure === null ? Number.POSITIVE_INFINITY : now.getTime() + AGAIN_AFTER_FAILURE_MS
    const next = new Date(Math.min(job.when(now).getTime(), again))
    await sql`
      UPDATE scheduled_jobs SET next_run_at = ${next}, last_finished_at = now(), last_error = ${failure}, progress = NULL
      WHERE name = ${job.name}`
  })
}

const show = async (sql: Sql, job: string, progress: MutationProgress): Promise<void> => {
  await sql`UPDATE scheduled_jobs SET progress = ${JSON.stringify(progress)}::text::jsonb WHERE name = ${job}`
}

/** Runs in one process at a time. Returns undefined when another process has the lock and we do not wait, or no longer. */
export async function withJobLock<T>(
  sql: Sql,
  name: string,
  { wait, signal }: { readonly wait: boolean; readonly signal?: AbortSignal | undefined },
  work: () => Promise<T>,
): Promise<T | undefined> {
  const session = await sql.reserve()
  try {
    // Asked for again and again: a statement that waits for it would not end with the signal.
    for (;;) {
      const [lock] = await session<[{ mine: boolean }]>`SELECT pg_try_advisory_lock(hashtext(${`job ${name}`})) AS mine`
      if (lock.mine) break
      if (!wait || signal?.aborted) return undefined
      await pause(LOCK_AGAIN_MS, signal)
    }
    try {
      return await work()
    } finally {
      await session`SELECT pg_advisory_unlock(hashtext(${`job ${name}`}))`
    }
  } finally {
    session.release()
  }
}
