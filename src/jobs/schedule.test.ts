import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestPostgres, type TestPostgres } from '../../test/support/postgres.ts'
import { createLogger } from '../lib/logger.ts'
import { type Job, startSchedule, withJobLock } from './schedule.ts'
import { every } from './when.ts'

describe('the schedule', () => {
  let postgres: TestPostgres
  const log = createLogger('silent')
  beforeAll(async () => {
    postgres = await startTestPostgres()
  })
  afterAll(() => postgres?.stop())

  /** A job that says when it has run so often. */
  function counting(name: string, more: Partial<Job> = {}) {
    let runs = 0
    let tell: () => void = () => {}
    const ran = new Promise<void>((resolve) => {
      tell = resolve
    })
    const job: Job = {
      name,
      when: every(3_600_000),
      run: async () => {
        runs++
        tell()
      },
      ...more,
    }
    return { job, ran, runs: () => runs }
  }
  const row = async (name: string) =>
    (await postgres.sql`SELECT *, next_run_at > now() AS waiting FROM scheduled_jobs WHERE name = ${name}`)[0]
  const until = (look: () => Promise<boolean>) => expect.poll(look).toBe(true)

  it('leaves room for short jobs, however many long ones are due', async () => {
    let began = 0
    const long = ['one', 'two', 'three', 'four'].map((name): Job => {
      const run = async (signal: AbortSignal) => {
        began++
        if (!signal.aborted) await once(signal, 'abort')
      }
      return counting(`long ${name}`, { atOnce: true, isLong: true, run }).job
    })
    const short = counting('short', { atOnce: true })
    const schedule = await startSchedule(postgres.sql, [...long, short.job], log)
    await short.ran
    await expect.poll(() => began).toBe(2)
    await schedule.stop()
    expect(began).toBe(2)
  })

  it('makes up for a run that was missed, once, however many processes look', async () => {
    const { job, ran, runs } = counting('missed')
    await postgres.sql`INSERT INTO scheduled_jobs (name, next_run_at) VALUES ('missed', now() - interval '3 weeks')`
    const processes = await Promise.all([1, 2, 3].map(() => startSchedule(postgres.sql, [job], log)))
    await ran
    await until(async () => (await row('missed'))?.waiting === true)
    await Promise.all(processes.map((process) => process.stop()))
    expect(runs()).toBe(1)
    expect(await row('missed')).toMatchObject({ waiting: true, last_error: null })
  })

  it('waits for its time at first, unless told otherwise', async () => {
    const later = counting('later')
    const now = counting('now', { atOnce: true })
    const schedule = await startSchedule(postgres.sql, [later.job, now.job], log)
    await now.ran
    await schedule.stop()
    expect(later.runs()).toBe(0)
  })

  it('keeps the reason of a failure and goes on with the next time', async () => {
    const failing = counting('failing', {
      atOnce: true,
      run: async () => {
        throw new Error('no luck')
      },
    })
    const schedule = await startSchedule(postgres.sql, [failing.job], log)
    await until(async () => (await row('failing'))?.last_error === 'no luck')
    await schedule.stop()
    expect(await row('failing')).toMatchObject({ last_error: 'no luck', waiting: true })
  })

  it('leaves a job due when it is stopped in the middle', async () => {
    let started: () => void = () => {}
    const begun = new Promise<void>((resolve) => {
      started = resolve
    })
    const { job } = counting('cut', {
      atOnce: true,
      run: (signal) =>
        new Promise((_, reject) => {
          started()
          signal.addEventListener('abort', () => reject(new Error('cut')))
        }),
    })
    const schedule = await startSchedule(postgres.sql, [job], log)
    await begun
    await schedule.stop()
    expect((await row('cut'))?.waiting).toBe(false)
  })

  it('waits for a lock no longer than until the signal', async () => {
    const stop = new AbortController()
    await withJobLock(postgres.sql, 'held', { wait: true }, async () => {
      const waiting = withJobLock(postgres.sql, 'held', { wait: true, signal: stop.signal }, async () => 'mine')
      stop.abort()
      expect(await waiting).toBeUndefined()
    })
  })

  it('gives a lock to one at a time', async () => {
    let inside = 0
    let most = 0
    const work = async () => {
      most = Math.max(most, ++inside)
      await new Promise((resolve) => setTimeout(resolve, 5))
      inside--
    }
    await Promise.all(Array.from({ length: 4 }, () => withJobLock(postgres.sql, 'x', { wait: true }, work)))
    expect(most).toBe(1)
  })
})
