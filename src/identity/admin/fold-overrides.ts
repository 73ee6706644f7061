import {
  type ClickHouse,
  sql as ch,
  type Fragment,
  type MutationWatch,
  mutate,
  str,
  strings,
  uint,
  uuids,
} from '../../engines/clickhouse/index.ts'
import { enqueue, flushQueue } from '../../engines/outbox.ts'
import { inTransaction, type Sql } from '../../engines/postgres/index.ts'
import { pause } from '../../lib/pause.ts'
import { getOrAdd } from '../definitions/tally.ts'
import type { PersonOverrideRow } from '../rules/types.ts'

/**
 * Rewrites the events of merged persons to the survivor, so that queries need no override for them any more.
 *
 *   chosen     overrides are marked `folding`: from now on their old uuids are not used again
 *   quiet      all transactions that began before the mark have ended, and their rows are in ClickHouse: no more events
 *              get an old uuid
 *   rewritten  mutations for each project have moved the events, the points of heatmaps and the persons of sessions
 *   dropped    overrides that have not changed since are deleted in Postgres; the same transaction enqueues the
 *              deletion for ClickHouse
 *
 * A crash at any point leaves valid overrides, marked or not; the next run begins with `chosen` again, and rewriting
 * twice is harmless. A merge that arrives meanwhile changes the override's version, so it is not dropped but folded
 * again by the next run.
 */
interface FoldOptions {
  readonly sql: Sql
  readonly clickhouse: ClickHouse
  /** The most overrides of one run: they are part of the mutation's text. */
  readonly limit?: number
  /** How long to wait for `quiet` before leaving it to the next run. */
  readonly waitMs?: number
  readonly watch?: MutationWatch
}

interface FoldResult {
  readonly folded: number
  readonly moved: number
  /** True when something was left for the next run. */
  readonly more: boolean
}

interface Override {
  readonly project: number
  readonly oldUuid: string
  readonly uuid: string
  readonly version: number
}

const QUEUE = 'identity'
const LOCK = 0x0f01d
const POLL_MS = 50

export async function foldOverrides({
  sql,
  clickhouse,
  limit = 2_000,
  waitMs = 30_000,
  watch = {},
}: FoldOptions): Promise<FoldResult> {
  const session = await sql.reserve()
  try {
    const [lock] = await session<[{ mine: boolean }]>`SELECT pg_try_advisory_lock(${LOCK}) AS mine`
    if (!lock.mine) return { folded: 0, moved: 0, more: true }
    try {
      await flushQueue({ sql, clickhouse: inserter(clickhouse), queue: QUEUE })
      const moved = await moveEvents({ sql, clickhouse, watch }, waitMs)
      const folded = moved === null ? null : await fold({ sql, clickhouse, watch }, limit, waitMs)
      return { folded: folded ?? 0, moved: moved ?? 0, more: moved === null || folded === null || folded === limit }
    } finally {
      await session`SELECT pg_advisory_unlock(${LOCK})`
    }
  } finally {
    session.release()
  }
}

interface Context {
  readonly sql: Sql
  readonly clickhouse: ClickHouse
  readonly watch: MutationWatch
}

async function fold(context: Context, limit: number, waitMs: number): Promise<number | null> {
  const { sql, clickhouse, watch } = context
  const chosen = await sql<Override[]>`
    UPDATE person_overrides o SET folding = true
    FROM (SELECT project_id, old_person_uuid FROM person_overrides ORDER BY folding DESC, project_id, created_at LIMIT ${limit}) c
    WHERE o.project_id = c.project_id AND o.old_person_uuid = c.old_person_uuid
    RETURNING o.project_id AS project, o.old_person_uuid AS "oldUuid", o.person_uuid AS uuid, o.version`
  if (chosen.length === 0) return 0
  if (!(await quiet(sql, waitMs, watch.signal))) return null
  for (const [project, overrides] of groupedBy(chosen, ({ project }) => project)) {
    const from = overrides.map(({ oldUuid }) => oldUuid)
    const to = overrides.map(({ uuid }) => uuid)
    await rewrite(
      context,
      ch`toString(person_id)`,
      from,
      to,
      ch`project_id = ${uint(project)} AND toString(person_id) IN ${strings(from)}`,
    )
    await rewriteSessions(context, project, { from, to }, ch`1`)
  }
  const dropped = await inTransaction(
    sql,
    async (tx) => {
      const rows = await tx<PersonOverrideRow[]>`
        DELETE FROM person_overrides o
        USING unnest(${chosen.map((o) => o.project)}::int[], ${chosen.map((o) => o.oldUuid)}::uuid[], ${chosen.map((o) => o.version)}::bigint[])
              AS c (project_id, uuid, version)
        WHERE o.project_id = c.project_id AND o.old_person_uuid = c.uuid AND o.version = c.version
        RETURNING o.project_id, o.old_person_uuid AS old_person_id, o.person_uuid AS person_id, 1 AS is_deleted,
                  nextval('person_override_versions') AS version`
      await tx`UPDATE person_overrides SET folding = false WHERE folding`
      const last = Math.max(...rows.map(({ version }) => version))
      if (rows.length > 0)
        await enqueue(tx, QUEUE, [{ table: 'person_overrides', token: `fold:${last}`, rows: ndjson(rows) }])
      return rows.length
    },
    { idempotent: true },
  )
  await flushQueue({ sql, clickhouse: inserter(clickhouse), queue: QUEUE })
  return dropped
}

/** After a split: events move with the distinct id to the person that has it now. */
async function moveEvents(context: Context, waitMs: number): Promise<number | null> {
  const { sql, watch } = context
  const moves = await sql<{ id: number; project: number; distinctId: string; from: string[]; owner: string | null }[]>`
    SELECT m.id, m.project_id AS project, m.distinct_id AS "distinctId", m.from_person_uuids AS from, p.uuid AS owner
    FROM person_event_moves m
    LEFT JOIN person_distinct_ids d ON d.project_id = m.project_id AND d.distinct_id = m.distinct_id
    LEFT JOIN persons p ON p.id = d.person_id
    ORDER BY m.id LIMIT 1000`
  if (moves.length === 0) return 0
  if (!(await quiet(sql, waitMs, watch.signal))) return null
  for (const split of groupedBy(moves, (move) => `${move.project} ${move.from.join()}`).values()) {
    const owned = split.filter(({ owner }) => owner !== null)
    const [first] = owned
    if (!first) continue
    const ids = owned.map(({ distinctId }) => distinctId)
    const owners = owned.map(({ owner }) => owner as string)
    const where = ch`project_id = ${uint(first.project)} AND distinct_id IN ${strings(ids)} AND toString(person_id) IN ${strings(first.from)}`
    await rewrite(context, ch`distinct_id`, ids, owners, where)
    for (const [at, id] of ids.entries()) {
      const to = first.from.map(() => owners[at] as string)
      await rewriteSessions(context, first.project, { from: first.from, to }, ch`distinct_id.value = ${str(id)}`)
    }
  }
  await sql`DELETE FROM person_event_moves WHERE id = ANY(${moves.map(({ id }) => id)}::bigint[])`
  return moves.length
}

async function rewrite(
  { clickhouse, watch }: Context,
  key: Fragment,
  from: string[],
  to: string[],
  where: Fragment,
): Promise<void> {
  const person = ch`toUUID(transform(${key}, ${strings(from)}, ${strings(to)}, toString(person_id)))`
  for (const table of ['events', 'heatmaps'])
    await mutate(clickhouse, { table, change: ch`UPDATE person_id = ${person}`, where }, watch)
}

/** Sessions hold the persons of their events; of a session with events of two distinct ids, the first decides. */
async function rewriteSessions(
  { clickhouse, watch }: Context,
  project: number,
  { from, to }: { readonly from: string[]; readonly to: string[] },
  where: Fragment,
): Promise<void> {
  await mutate(
    clickhouse,
    {
      table: 'sessions',
      change: ch`UPDATE persons = arrayDistinct(arrayMap(
        person -> toUUID(transform(toString(person), ${strings(from)}, ${strings(to)}, toString(person))), persons))`,
      where: ch`project_id = ${uint(project)} AND hasAny(persons, ${uuids(from)}) AND ${where}`,
    },
    watch,
  )
}

/**
 * Runs what copies persons of events to another table. Folding waits meanwhile, or it could drop an override after the
 * old person was read and before it was written.
 */
export async function withoutFolding<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  const session = await sql.reserve()
  try {
    await session`SELECT pg_advisory_lock(${LOCK})`
    try {
      return await work()
    } finally {
      await session`SELECT pg_advisory_unlock(${LOCK})`
    }
  } finally {
    session.release()
  }
}

/**
 * Whether every transaction that may not have seen the mark has ended and its rows are in ClickHouse. Transactions that
 * have only read so far count too: a batch decides the persons of its events long before it writes.
 */
async function quiet(sql: Sql, waitMs: number, signal?: AbortSignal): Promise<boolean> {
  const [mark] = await sql<[{ at: string }]>`SELECT clock_timestamp()::text AS at`
  for (let waited = 0; waited <= waitMs && !signal?.aborted; waited += POLL_MS) {
    const [row] = await sql<[{ busy: boolean }]>`
      SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
                     AND backend_type = 'client backend' AND xact_start <= ${mark.at}::text::timestamptz)
          OR EXISTS (SELECT FROM clickhouse_outbox WHERE created_at <= ${mark.at}::text::timestamptz) AS busy`
    if (!row.busy) return true
    await pause(POLL_MS, signal)
  }
  return false
}

const ndjson = (rows: readonly object[]): Buffer => Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))

const inserter = (clickhouse: ClickHouse) => ({
  insert: async (table: string, rows: Buffer, options: { readonly token: string }) => {
    await clickhouse.insert(table, rows, options)
  },
})

function groupedBy<K, T>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const item of items) getOrAdd(groups, keyOf(item), () => []).push(item)
  return groups
}
