import { forgetOldAudit } from '../accounts/index.ts'
import type { ClickHouse } from '../engines/clickhouse/index.ts'
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

/** All jobs and their schedules. */
export const startJobs = (context: JobsContext): Promise<Schedule> =>
  startSchedule(context.sql, jobsOf(context), context.log, context.clock)

function jobsOf(context: JobsContext): Job[] {
  const { sql, clickhouse, log, queues } = context
  return [
    {
      name: DELETIONS_JOB,
      isLong: true,
      when: nextSundayAtFive,
      run: async (signal, now, watch) => {
        const { done, failed } = await runDeletions({ ...context, watch }, now, signal)
        if (done.length > 0) log.info({ deletions: done.length }, 'the weekly deletions are done')
        if (failed.length > 0) throw new Error(`deletions ${failed.join(', ')} are not complete`)
      },
    },
    {
      name: 'apply deferred person updates',
      when: every(5 * SECOND),
      run: async (signal) => {
        await applyDeferredUpdates(context, signal)
      },
    },
    {
      name: 'fold overrides',
      isLong: true,
      when: every(10 * MINUTE),
      run: async (signal, _, watch) => {
        for (let more = true; more && !signal.aborted; ) ({ more } = await foldOverrides({ sql, clickhouse, watch }))
      },
    },
    {
      name: 'send what the outbox owes',
      when: every(15 * SECOND),
      atOnce: true,
      run: async () => {
        for (const queue of queues)
          await flushQueue({
            sql,
            queue,
            clickhouse: {
              insert: async (table, rows, options) => {
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
      run: async (signal) => {
        const sessions = await fillSessions(context, signal)
        if (sessions) log.info({ sessions }, 'sessions of earlier versions were added')
      },
    },
    {
      name: 'remove old events',
      isLong: true,
      when: every(DAY),
      run: async (_, now, watch) => {
        for (const [project, events] of await removeOldEvents({ ...context, watch }, now))
          log.info({ project, events }, 'events older than the project keeps them were removed')
      },
    },
    {
      name: 'erase deleted projects',
      isLong: true,
      when: every(MINUTE),
      run: async (_signal, _now, watch) => {
        const projects = await eraseDeletedProjects({ ...context, watch })
        if (projects.length > 0) log.info({ projects }, 'what deleted projects had left was erased')
      },
    },
    {
      name: 'playlists',
      when: every(MINUTE),
      atOnce: true,
      run: async (signal) => {
        await refreshPlaylists(context, signal)
      },
    },
    {
      name: 'scheduled changes of flags',
      when: every(5 * SECOND),
      run: async (_, now) => {
        const made = await runScheduledChanges({ sql, log }, now)
        if (made > 0) log.info({ changes: made }, 'scheduled changes of flags were made')
      },
    },
    {
      name: 'when flags were called',
      when: every(30 * SECOND),
      run: () => noteUsage({ sql, clickhouse, log }),
    },
    {
      name: 'remove old recordings',
      isLong: true,
      when: every(DAY),
      run: async (_, now, watch) => {
        const projects = await expireRecordings({ ...context, watch }, now)
        if (projects.length > 0) log.info({ projects }, 'recordings older than the project keeps them were removed')
      },
    },
    {
      name: 'forget what has expired',
      when: every(HOUR),
      run: async () => {
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
}
