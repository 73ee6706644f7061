/**
 * How many partitions of the log take live events. The number is kept in Postgres, so that all processes agree; the
 * setting FOOTFALL_PARTITIONS makes it grow.
 *
 * A distinct id moves to another partition when the number grows, and its order must stay. So the number grows only
 * when no process writes by the old one, and the ends of the partitions at that moment are written down: the pipeline
 * applies everything before those ends first (`pipeline/cluster/growth.ts`).
 */
import { availableParallelism } from 'node:os'
import { inTransaction, type Sql, type TransactionSql } from '../../engines/postgres/index.ts'
import { every } from '../../lib/every.ts'
import type { Logger } from '../../lib/logger.ts'
import { type LogStatus, livePartitions } from '../../log/index.ts'
import { ConfigError } from './config.ts'

/** What version 0.1 always had. */
const FIRST_COUNT = 2
const MOST_BY_DEFAULT = 16
const WRITER_IS_GONE_AFTER = '30 seconds'
const SEEN_EVERY_MS = 5_000

/** The number of live partitions that are needed to open the log: those it has, and those it may get. */
export async function partitionsToOpen(sql: Sql, wanted: number | undefined): Promise<number> {
  const stored = await storedCount(sql)
  if (wanted !== undefined && wanted < stored)
    throw new ConfigError(
      `FOOTFALL_PARTITIONS: the log has ${stored} partitions and cannot have fewer (got ${wanted}), because events of one person would then be in two of them, out of order. Set ${stored} or more, or leave it out.`,
    )
  return Math.max(stored, wanted ?? 0)
}

interface SettleOptions {
  readonly wanted: number | undefined
  /** The ends of the partitions, asked for when nobody else writes any more. */
  partitionsNow(): Promise<LogStatus['partitions']>
  /** This process among several that may write to the log; null when the log is its own. */
  readonly writer: string | null
  readonly log: Logger
}

/** The number that this process writes by, from now on: grown to what is wanted, if nobody writes by the old one. */
export const settlePartitions = (sql: Sql, { wanted, partitionsNow, writer, log }: SettleOptions): Promise<number> =>
  inTransaction(sql, async (tx) => {
    await tx`SELECT pg_advisory_xact_lock(hashtext('footfall log partitions'))`
    const stored = await storedCount(tx)
    await tx`INSERT INTO log_growths (generation, live_partitions) VALUES (0, ${stored}) ON CONFLICT DO NOTHING`
    const others = await otherWriters(tx, writer)
    const grows = wanted !== undefined && wanted > stored && others === 0
    if (grows) await grow(tx, stored, wanted, await partitionsNow())
    else if (wanted !== undefined && wanted > stored)
      log.warn(
        { wanted, partitions: stored, others },
        'the log keeps its number of partitions while other processes write to it: stop all that have the role capture, then start them with FOOTFALL_PARTITIONS',
      )
    const settled = grows ? wanted : stored
    if (writer !== null)
      await tx`
        INSERT INTO log_writers (id, live_partitions) VALUES (${writer}, ${settled})
        ON CONFLICT (id) DO UPDATE SET live_partitions = excluded.live_partitions, seen_at = now()`
    return settled
  })

/** A new installation has as many as the machine has cores; one of version 0.1 has two. */
async function storedCount(sql: Sql | TransactionSql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    SELECT live_partitions AS count FROM log_growths ORDER BY generation DESC LIMIT 1`
  if (row) return row.count
  const [used] = await sql`SELECT 1 FROM pipeline_positions LIMIT 1`
  return used ? FIRST_COUNT : Math.min(MOST_BY_DEFAULT, Math.max(FIRST_COUNT, availableParallelism()))
}

async function otherWriters(tx: TransactionSql, writer: string | null): Promise<number> {
  const [row] = await tx<[{ others: number }]>`
    SELECT count(*) AS others FROM log_writers
    WHERE id <> ${writer ?? ''} AND seen_at > now() - ${WRITER_IS_GONE_AFTER}::interval`
  return row.others
}

/**
 * Runners that are at work do not know of the ends: they lose their leases, and look again when they get them back.
 */
async function grow(tx: TransactionSql, from: number, to: number, partitions: LogStatus['partitions']): Promise<void> {
  const ends = Object.fromEntries(livePartitions(from).map((name) => [name, partitions[name]?.end ?? 0]))
  await tx`
    INSERT INTO log_growths (generation, live_partitions, ends)
    SELECT max(generation) + 1, ${to}, ${JSON.stringify(ends)}::text::jsonb FROM log_growths`
  await tx`UPDATE partition_leases SET owner = NULL, epoch = epoch + 1`
  await tx`DELETE FROM log_writers`
}

interface PresenceOptions {
  readonly writer: string
  readonly count: number
  readonly log: Logger
  onOutdated(): void
  readonly everyMs?: number
}

interface WriterPresence {
  stop(): Promise<void>
}

/**
 * Says every few seconds that this process writes to the log. One that was away for so long that the number has grown
 * meanwhile must not go on by the old one.
 */
export function keepPresent(
  sql: Sql,
  { writer, count, log, onOutdated, everyMs = SEEN_EVERY_MS }: PresenceOptions,
): WriterPresence {
  const say = async () => {
    const [row] = await sql<{ count: number }[]>`
      WITH said AS (
        INSERT INTO log_writers (id, live_partitions) VALUES (${writer}, ${count})
        ON CONFLICT (id) DO UPDATE SET seen_at = now())
      SELECT live_partitions AS count FROM log_growths ORDER BY generation DESC LIMIT 1`
    if (row && row.count !== count) onOutdated()
  }
  const stopSaying = every(everyMs, () =>
    say().catch((error: Error) => log.warn({ error: error.message }, 'Postgres was not told that this process writes')),
  )
  return {
    async stop() {
      await stopSaying()
      await sql`DELETE FROM log_writers WHERE id = ${writer}`.catch(() => {})
    },
  }
}
