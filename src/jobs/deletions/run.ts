import {
  type ClickHouse,
  type MutationProgress,
  type MutationWatch,
  untilAborted,
} from '../../engines/clickhouse/index.ts'
import type { Sql } from '../../engines/postgres/index.ts'
import type { Logger } from '../../lib/logger.ts'
import { withoutNul } from '../../lib/without-nul.ts'
import { countRecordingsOf, eraseRecordingsOf } from '../../recordings/index.ts'
import { withJobLock } from '../schedule.ts'
import { idHash } from './id-hash.ts'
import { countMarked, eraseMarked, erasePoints, markEvents } from './marked-events.ts'
import { type Deletion, openDeletions, receiptsWithTraces, recentReceipts } from './queue.ts'
import { forgetSamples, type SampledNames, sampledNames } from './samples.ts'
import { eraseTraces } from './traces.ts'

/**
 * The weekly run: erases the data of open requests and turns each request into its receipt.
 *
 *   open     events are counted, erased, and counted again; recordings likewise; then all other data of the person
 *            (traces.ts, samples.ts)
 *   done     the receipt says how many events were erased, and `verified` that none is left. If some are left, the
 *            request stays open, with the reason in `error`, and the next run tries again
 *
 * While ClickHouse erases, the requests say how far it is (`progress`); when it cannot, they have its reason (`error`).
 * A crash leaves the request open, and ClickHouse goes on: the next run waits for what the last one has started.
 * Erasing twice does no harm, but the second run no longer counts what the first one
 * erased, so the count is stored before erasing and only grows.
 */
export interface DeletionRun {
  readonly sql: Sql
  readonly clickhouse: ClickHouse
  readonly log: Logger
  readonly watch?: MutationWatch
}

export const DELETIONS_JOB = 'deletions'
const BATCH = 200
/** After so many requests that failed, the engine is taken to be in trouble: each costs it a change of its tables. */
const MOST_FAILURES = 20

interface DeletionsRun {
  /** Requests that are complete. */
  readonly done: readonly number[]
  /** Requests that are not complete and stay open. */
  readonly failed: readonly number[]
}

/** Runs what is due, or everything that is open. */
export async function runDeletions(
  context: DeletionRun,
  dueBy: Date | null,
  signal?: AbortSignal,
): Promise<DeletionsRun> {
  const done: number[] = []
  const failed = new Set<number>()
  for (let size = BATCH; !signal?.aborted; ) {
    const batch = await openDeletions(context.sql, { dueBy, limit: size, except: [...failed] })
    if (batch.length === 0) break
    const finished = new Set<number>()
    try {
      for (const id of await runBatchVisibly(context, batch)) finished.add(id)
    } catch (error) {
      // An engine that is away is away for all of them. Otherwise one request must not hold up those beside it and behind it.
      if (signal?.aborted || failed.size >= MOST_FAILURES || !(await context.clickhouse.ping())) throw error
      if (batch.length > 1) {
        size = Math.ceil(batch.length / 2)
        continue
      }
      context.log.warn({ err: error, deletions: batch.map(({ id }) => id) }, 'a deletion failed, and the others go on')
    }
    size = Math.min(BATCH, size * 2)
    for (const { id } of batch) {
      if (finished.has(id)) done.push(id)
      else failed.add(id)
    }
  }
  if (!signal?.aborted) await sweepUp(context)
  if (!signal?.aborted) await catchUp(context)
  // PostgreSQL's statistics hold common values of columns, which may be of the erased person.
  if (done.length > 0)
    await context.sql`
      ANALYZE persons, person_distinct_ids, person_merges, property_definitions, event_properties, ingestion_warning_samples,
        activity_log, deletions`
  // Cached results may include erased events: insights/result-cache.ts checks this number.
  await context.sql`SELECT nextval('clickhouse_outbox_id_seq')`
  return { done, failed: [...failed] }
}

/** The same under the job's lock, for `footfall deletions run`. */
export async function runDeletionsNow(
  { clickhouse, ...context }: DeletionRun,
  signal: AbortSignal,
): Promise<readonly number[] | undefined> {
  const bound = { ...context, clickhouse: untilAborted(signal, clickhouse), watch: { signal } }
  const run = () => runDeletions(bound, null, signal)
  return (await withJobLock(context.sql, DELETIONS_JOB, { wait: true, signal }, run))?.done
}

/**
 * An event received before a request may not have been stored yet when the request ran: events that arrived since are
 * erased too.
 */
async function sweepUp({ sql, clickhouse, log, watch = {} }: DeletionRun): Promise<void> {
  for (const receipts of (await recentReceipts(sql)).values()) {
    const { project } = receipts[0] as Deletion
    const marked = markEvents(project, receipts, await idsElsewhere(sql, project, receipts))
    await erasePoints(clickhouse, marked, watch)
    const late = await countMarked(clickhouse, marked)
    if (late.size === 0) continue
    const names = await sampledNames(clickhouse, marked.where)
    await eraseMarked(clickhouse, marked, watch)
    await forgetSamples(sql, project, names)
    for (const receipt of receipts.filter(({ id }) => late.has(id)))
      await eraseTraces({ sql, clickhouse, watch }, project, receipt)
    for (const [id, events] of late)
      await sql`UPDATE deletions SET events_deleted = events_deleted + ${events} WHERE id = ${id}`
    log.info({ project, deletions: [...late.keys()] }, 'events that had arrived after their deletion were removed')
  }
}

/** Erases what earlier versions did not. */
async function catchUp({ sql, clickhouse, log, watch = {} }: DeletionRun): Promise<void> {
  for (let receipts = await receiptsWithTraces(sql); receipts.length > 0; receipts = await receiptsWithTraces(sql)) {
    for (const project of new Set(receipts.map(({ project }) => project))) await forgetSamples(sql, project, null)
    for (const receipt of receipts) {
      await eraseTraces({ sql, clickhouse, watch }, receipt.project, receipt)
      await sql`UPDATE deletions SET traces_erased_at = now() WHERE id = ${receipt.id}`
    }
    log.info({ deletions: receipts.length }, 'what earlier versions left of deleted persons was removed')
  }
}

/** The requests of the batch show what happens to them, and why it does not. */
async function runBatchVisibly(context: DeletionRun, batch: readonly Deletion[]): Promise<number[]> {
  const { sql, watch = {} } = context
  const ids = batch.map(({ id }) => id)
  const show = async (progress: MutationProgress) => {
    await sql`
      UPDATE deletions SET progress = ${JSON.stringify(progress)}::text::jsonb WHERE id = ANY(${ids}::bigint[]) AND status = 'pending'`
    await watch.onProgress?.(progress)
  }
  try {
    return await runBatch({ ...context, watch: { ...watch, onProgress: show } }, batch)
  } catch (error) {
    if (!watch.signal?.aborted)
      await sql`
        UPDATE deletions SET error = ${withoutNul((error as Error).message)} WHERE id = ANY(${ids}::bigint[]) AND status = 'pending'`
    throw error
  } finally {
    await sql`UPDATE deletions SET progress = NULL WHERE id = ANY(${ids}::bigint[])`
  }
}

async function runBatch(
  context: DeletionRun & { readonly watch: MutationWatch },
  batch: readonly Deletion[],
): Promise<number[]> {
  const { sql, clickhouse, log, watch } = context
  const project = (batch[0] as Deletion).project
  const withEvents = batch.filter(({ deleteEvents }) => deleteEvents)
  const { left, names } = withEvents.length > 0 ? await eraseEvents(context, project, withEvents) : NOTHING_ERASED
  const finished: number[] = []
  for (const deletion of batch) {
    // A request to erase events covers recordings too.
    const recordings = await eraseRecordingsOf(clickhouse, project, deletion.idHashes, deletion.requestedAt, watch)
    const remaining =
      (left.get(deletion.id) ?? 0) +
      (await countRecordingsOf(clickhouse, project, deletion.idHashes, deletion.requestedAt))
    if (deletion.deleteEvents) await eraseTraces(context, project, deletion)
    const [receipt] = await sql<{ id: number }[]>`
      UPDATE deletions SET ran_at = now(), verified = ${remaining === 0}, recordings_deleted = coalesce(recordings_deleted, 0) + ${recordings},
        events_deleted = coalesce(events_deleted, 0), traces_erased_at = ${deletion.deleteEvents ? sql`now()` : null}, status = ${remaining === 0 ? 'done' : 'pending'},
        error = ${remaining === 0 ? null : `${remaining} events or recordings were still there afterwards`}, progress = NULL
      WHERE id = ${deletion.id} AND requested_at = ${deletion.requestedAt} RETURNING id`
    if (receipt && remaining === 0) finished.push(deletion.id)
    log.info({ deletion: deletion.id, project, remaining }, 'a deletion ran')
  }
  // Again, because the pipeline may have written samples until it could see the receipt
  // (identity/definitions/store.ts).
  if (names !== null) await forgetSamples(sql, project, names)
  return finished
}

interface Erased {
  /** How many events and points of each request are left. */
  readonly left: Map<number, number>
  /** Properties of what was erased; null when nothing was. */
  readonly names: SampledNames | null
}

const NOTHING_ERASED: Erased = { left: new Map(), names: null }

async function eraseEvents(
  { sql, clickhouse, watch }: DeletionRun & { readonly watch: MutationWatch },
  project: number,
  deletions: readonly Deletion[],
): Promise<Erased> {
  const marked = markEvents(project, deletions, await idsElsewhere(sql, project, deletions))
  const points = await erasePoints(clickhouse, marked, watch)
  const before = await countMarked(clickhouse, marked)
  if (before.size === 0) return { left: points, names: null }
  for (const [id, events] of before)
    await sql`UPDATE deletions SET events_deleted = greatest(coalesce(events_deleted, 0), ${events}) WHERE id = ${id}`
  // Before the events, which name the properties: a crash in between must not leave samples that cannot be found any
  // more.
  const names = await sampledNames(clickhouse, marked.where)
  await forgetSamples(sql, project, names)
  await eraseMarked(clickhouse, marked, watch)
  const left = await countMarked(clickhouse, marked)
  for (const [id, count] of points) left.set(id, (left.get(id) ?? 0) + count)
  return { left, names }
}

async function idsElsewhere(sql: Sql, project: number, deletions: readonly Deletion[]): Promise<string[]> {
  const mine = new Set(deletions.flatMap(({ idHashes }) => idHashes))
  const moved = await sql<
    { id: string }[]
  >`SELECT DISTINCT distinct_id AS id FROM person_event_moves WHERE project_id = ${project}`
  return moved.map(({ id }) => idHash(id)).filter((hash) => !mine.has(hash))
}
