import { forgetOldAudit } from '../accounts/index.ts'
import { type ClickHouse, type MutationWatch, untilAborted } from '../engines/clickhouse/index.ts'
import { flushQueue } from '../engines/outbox.ts'
import type { Sql } from '../engines/postgres/index.ts'
import { forgetUnusedHashKeys, noteUsage, runScheduledChanges } from '../flags/index.ts'
import { foldOverrides } from '../identity/index.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../lib/durations.ts'
import type { Logger } from '../lib/logger.ts'
import { applyDeferredUpdates } from '../pipeline/index.ts'
import { expireRecordings, refreshPlaylists } from '../recordings/index.ts'
import { DELETIONS_JOB, type DeletionRun, runDeletions } from './deletions/run.ts'
import { eraseDeletedProjects } from './erase-projects.ts'
import { fillSessions } from './fill-sessions.ts'
import { removeOldEvents } from './retention.ts'
import { type Clock, type Job, type Schedule, startSchedule } from './schedule.ts'
import { every, nextSundayAtFive } from './when.ts'

interface JobsContext extends DeletionRun {
  readonly sql: Sql
  readonly clickhouse: ClickHouse
  readonly log: Logger
  /** Queues of the outbox that no pipeline flushes. */
  readonly queues: readonly string[]
  readonly clock?: Clock
}

/** What a job works with. Whatever it asks of this ClickHouse ends when the job is to stop. */
interface JobTools extends Omit<JobsContext, 'clock'> {
  readonly signal: AbortSignal
  readonly now: Date
  readonly watch: MutationWatch
}

type JobWithTools = Omit<Job, 'run'> & { run(tools: JobTools): Promise<void> }

/** All jobs and their schedules. */
export const startJobs = ({ clock, ...context }: JobsContext): Promise<Schedule> =>
  startSchedule(
    context.sql,
    JOBS.map((job) => handOut(job, context)),
    context.log,
    clock,
  )

const handOut = (job: JobWithTools, context: Omit<JobsContext, 'clock'>): Job => ({
  ...job,
  run: (signal, now, watch) =>
    job.run({ ...context, clickhouse: untilAborted(signal, context.clickhouse), signal, now, watch }),
})

const JOBS: readonly JobWithTools[] = [
  {
    name: DELETIONS_JOB,
    isLong: true,
    when: nextSundayAtFive,
    run: async (tools) => {
      const { done, failed } = await runDeletions(tools, tools.now, tools.signal)
      if (done.length > 0) tools.log.info({ deletions: done.length }, 'the weekly deletions are done')
      if (failed.length > 0) throw new Error(`deletions ${failed.join(', ')} are not complete`)
    },
  },
  {
    name: 'apply deferred person updates',
    when: every(5 * SECOND),
    run: async (tools) => {
      await applyDeferredUpdates(tools, tools.signal)
    },
  },
  {
    name: 'fold overrides',
    isLong: true,
    when: every(10 * MINUTE),
    run: async (tools) => {
      for (let more = true; more && !tools.signal.aborted; ) ({ more } = await foldOverrides(tools))
    },
  },
  {
    name: 'send what the outbox owes',
    when: every(15 * SECOND),
    atOnce: true,
    run: async ({ sql, clickhouse, queues, signal }) => {
      for (const queue of queues)
        await flushQueue({
          sql,
          queue,
          clickhouse: {
            insert: async (table, rows, options) => {
              // Between two of many: they stay in the outbox.
              signal.throwIfAborted()
              await clickhouse.insert(table, rows, options)
            },
          },
        })
    },
  },
  {
    name: 'fill sessions',
    isLong: true,
    when: every(MINUTE),
    atOnce: true,
    run: async (tools) => {
      const sessions = await fillSessions(tools, tools.signal)
      if (sessions) tools.log.info({ sessions }, 'sessions of earlier versions were added')
    },
  },
  {
    name: 'remove old events',
    isLong: true,
    when: every(DAY),
    run: async (tools) => {
      for (const [project, events] of await removeOldEvents(tools, tools.now))
        tools.log.info({ project, events }, 'events older than the project keeps them were removed')
    },
  },
  {
    name: 'erase deleted projects',
    isLong: true,
    when: every(MINUTE),
    run: async (tools) => {
      const projects = await eraseDeletedProjects(tools)
      if (projects.length > 0) tools.log.info({ projects }, 'what deleted projects had left was erased')
    },
  },
  {
    name: 'playlists',
    when: every(MINUTE),
    atOnce: true,
    run: async (tools) => {
      await refreshPlaylists(tools, tools.signal)
    },
  },
  {
    name: 'scheduled changes of flags',
    when: every(5 * SECOND),
    run: async ({ sql, log, now }) => {
      const made = await runScheduledChanges({ sql, log }, now)
      if (made > 0) log.info({ changes: made }, 'scheduled changes of flags were made')
    },
  },
  {
    name: 'when flags were called',
    when: every(30 * SECOND),
    run: noteUsage,
  },
  {
    name: 'remove old recordings',
    isLong: true,
    when: every(DAY),
    run: async (tools) => {
      const projects = await expireRecordings(tools, tools.now)
      if (projects.length > 0) tools.log.info({ projects }, 'recordings older than the project keeps them were removed')
    },
  },
  {
    name: 'forget what has expired',
    when: every(HOUR),
    run: async ({ sql }) => {
      await sql`DELETE FROM web_sessions WHERE expires_at < now()`
      await sql`DELETE FROM async_queries WHERE expires_at < now()`
      await sql`DELETE FROM recording_shares WHERE expires_at < now() - interval '30 days'`
      await sql`DELETE FROM sign_in_links WHERE expires_at < now() - interval '30 days'`
      await sql`DELETE FROM sign_in_addresses WHERE last_at < now() - interval '30 days'`
      await sql`DELETE FROM live_batches WHERE created_at < now() - interval '1 minute'`
      await forgetUnusedHashKeys(sql)
      await forgetOldAudit(sql)
    },
  },
]
