import { rm } from 'node:fs/promises'
import path from 'node:path'
import { type ClickHouse, type ClickHouseServer, isUnavailable, untilAborted } from '../engines/clickhouse/index.ts'
import type { PostgresServer, Sql, Statements } from '../engines/postgres/index.ts'
import type { Logger } from '../lib/logger.ts'
import { pause } from '../lib/pause.ts'
import { type LogReaderHandle, type PinnedLog, pinSegments } from '../log/index.ts'
import type { PipelineThread } from '../pipeline/index.ts'
import { dropClones, makeClones, tablesOf } from './clickhouse-tables.ts'
import { copyLog } from './copy-log.ts'

/**
 * A consistent moment of a running service, over both engines and the log, held until it is released.
 *
 *   paused     the pipeline (of all processes) has finished its batches: its rows are in ClickHouse, its positions in
 *              Postgres, its outbox is empty
 *              -> held     a snapshot of Postgres, then clones of ClickHouse's tables, then hard links to the log's
 *                          segments, or a copy of what waits in NATS
 *              -> paused   ClickHouse did not take the last rows, or ended: the pipeline continues, and we try again
 *              -> nothing  the signal was aborted: what is there of the moment is dropped
 *   held       the pipeline runs again; the backup reads the moment, however long that takes
 *              -> released snapshot, clones and links are dropped
 *
 * An event that capture acknowledged before `paused` is in the log, and the log is pinned last: so the event is in the
 * moment, either as a row or as a record above the positions, and never as both. Postgres comes before ClickHouse
 * because users and jobs keep deleting: a deletion in between is still pending in the snapshot and runs again; in the
 * other order Postgres would call it done while ClickHouse still has the rows.
 */
export interface Moment {
  readonly at: string
  /** The id of the exported Postgres snapshot. */
  readonly snapshot: string
  readonly postgres: PostgresServer
  readonly clickhouse: ClickHouseServer
  readonly tables: readonly string[]
  readonly log: PinnedLog
}

interface HeldMoment {
  readonly moment: Moment
  release(): Promise<void>
}

interface MomentDeps {
  readonly sql: Sql
  readonly ch: ClickHouse
  readonly postgres: PostgresServer
  readonly clickhouse: ClickHouseServer
  /** Runs its work while no pipeline applies anything. */
  readonly whilePaused: PipelineThread['whilePaused']
  readonly reader: LogReaderHandle
  /** The data folder. */
  readonly data: string
  readonly log: Logger
  /** Ends what leads to the moment; a moment that is held stays until it is released. */
  readonly signal: AbortSignal
}

/** One backup at a time, of all processes on the database. An arbitrary number. */
const LOCK = '7381240360083975277'
const TRIES = 5
const AGAIN_AFTER_MS = 1_000

export async function holdMoment(deps: MomentDeps): Promise<HeldMoment> {
  const { log, signal, whilePaused } = deps
  for (let attempt = 1; ; attempt++) {
    try {
      signal.throwIfAborted()
      return await whilePaused(() => hold(deps))
    } catch (error) {
      if (!(error instanceof StillOwed || isUnavailable(error)) || attempt === TRIES || signal.aborted) throw error
      log.warn({ attempt, error: error.message }, 'a backup tries again')
      await pause(AGAIN_AFTER_MS, signal)
    }
  }
}

/** Removes what a crash left behind while a moment was held. */
export async function forgetMoments({ ch, data }: Pick<MomentDeps, 'ch' | 'data'>): Promise<void> {
  await dropClones(ch)
  await rm(pinnedFolder(data), { recursive: true, force: true })
  await rm(copyFolder(data), { recursive: true, force: true })
}

class StillOwed extends Error {}

const pinnedFolder = (data: string) => path.join(data, 'log-of-backup')
const copyFolder = (data: string) => path.join(data, 'log-of-backup-copied')

async function hold(deps: MomentDeps): Promise<HeldMoment> {
  const { sql, postgres, clickhouse, reader, data, signal } = deps
  const ch = untilAborted(signal, deps.ch)
  await refuseUnsettled(sql)
  const snapshot = await exportSnapshot(sql)
  const release = async () => {
    await snapshot.end()
    await forgetMoments(deps)
  }
  try {
    await forgetMoments(deps)
    const tables = await tablesOf(ch)
    await makeClones(ch, tables)
    const pinned = pinnedFolder(data)
    const log =
      'shared' in reader
        ? await pinSegments(reader, pinned)
        : await copyLog(reader, snapshot.positions, { dir: copyFolder(data), pinned, signal })
    await refuseMoved(sql, snapshot.moved)
    signal.throwIfAborted()
    const moment = { at: snapshot.at, snapshot: snapshot.id, postgres, clickhouse, tables, log }
    return { moment, release }
  } catch (error) {
    await release().catch(() => {})
    throw error
  }
}

/** Other queues of the outbox hold only copies of tables in Postgres, which a restore makes again. */
async function refuseUnsettled(sql: Sql): Promise<void> {
  const [row] = await sql<[{ owed: number; begun: number }]>`
    SELECT (SELECT count(*) FROM clickhouse_outbox WHERE lane IN (SELECT partition FROM pipeline_positions)) AS owed,
           (SELECT count(*) FROM pipeline_positions WHERE intended IS NOT NULL) AS begun`
  if (row.owed + row.begun > 0)
    throw new StillOwed(
      'ClickHouse has not taken the rows that were decided last: is it reachable and not full? `footfall doctor` says more.',
    )
}

async function refuseMoved(sql: Sql, before: string): Promise<void> {
  if (JSON.stringify(await positionsOf(sql)) !== before)
    throw new Error('Another process runs the pipeline on the same PostgreSQL: run the backup with its data folder.')
}

const positionsOf = (sql: Statements) => sql<{ partition: string; position: number; intended: number | null }[]>`
  SELECT partition, position, intended FROM pipeline_positions ORDER BY partition`

interface Snapshot {
  readonly id: string
  readonly at: string
  /** Up to where each partition is applied. */
  readonly positions: Readonly<Record<string, number>>
  /** The same and more, to compare. */
  readonly moved: string
  end(): Promise<void>
}

/** Other sessions can use the snapshot of this transaction as long as it lasts. */
function exportSnapshot(sql: Sql): Promise<Snapshot> {
  return new Promise((resolve, reject) => {
    let end = () => {}
    const ended = new Promise<void>((done) => {
      end = done
    })
    const transaction = sql.begin(async (tx) => {
      await tx`SET LOCAL idle_in_transaction_session_timeout = 0`
      const [lock] = await tx<[{ isOurs: boolean }]>`SELECT pg_try_advisory_xact_lock(${LOCK}::bigint) AS "isOurs"`
      if (!lock.isOurs) throw new Error('Another process is making a backup: wait until it is done.')
      const [{ id, at }] = await tx<[{ id: string; at: Date }]>`SELECT pg_export_snapshot() AS id, now() AS at`
      const rows = await positionsOf(tx)
      resolve({
        id,
        at: at.toISOString(),
        positions: Object.fromEntries(rows.map(({ partition, position }) => [partition, position])),
        moved: JSON.stringify(rows),
        end: async () => {
          end()
          await transaction.catch(() => {})
        },
      })
      await ended
    }, 'snapshot')
    transaction.catch(reject)
  })
}
