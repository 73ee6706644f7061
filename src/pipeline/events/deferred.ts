import type { Sql, TransactionSql } from '../../engines/postgres/index.ts'
import { type IdentityEvent, mergeRequest, normalise, storableId } from '../../identity/index.ts'
import { type JsonObject, stringifyJson } from '../../lib/json.ts'
import { uuidV7 } from '../../lib/uuid.ts'
import { type Changes, foldChanges, isNothing, NOTHING } from './fold-changes.ts'

/**
 * Person updates of a spike are deferred: folded into one row for each distinct id, in order of arrival, and applied
 * when the spike is over. They are applied earlier when an event needs them that is not deferred itself: an event of
 * the same person, under any of its distinct ids and in any partition, or one that merges the person. Later changes
 * must win, and a merge must see the person as its own events left it.
 *
 * Rows are locked in order of project and distinct id, and before any person, so that there are no deadlocks.
 */
interface DeferredUpdate extends Changes {
  readonly project: number
  readonly distinctId: string
  readonly lastEventAt: number
}

/** An event of the batch (with its index), or a deferred update that is applied now but not stored as an event. */
export interface OrderedEvent {
  readonly event: IdentityEvent
  readonly index: number | null
}

interface DistinctIdKey {
  readonly project: number
  readonly distinctId: string
}

/**
 * The events of a batch in order, with deferred updates before the events that need them, and the updates that stay
 * deferred. `persons` says to which person each distinct id belongs.
 */
export function orderEvents(
  events: readonly IdentityEvent[],
  earlier: readonly DeferredUpdate[],
  persons: Iterable<readonly [id: string, person: string]> = [],
): { order: OrderedEvent[]; left: DeferredUpdate[] } {
  if (earlier.length === 0 && !events.some(isDeferred))
    return { order: events.map((event, index) => ({ event, index })), left: [] }
  const left = new Map(earlier.map((row) => [keyOf(row), row]))
  const related = new RelatedPersons(persons)
  const order: OrderedEvent[] = []
  for (const [index, event] of events.entries()) {
    if (isDeferred(event)) fold(left, event)
    else
      for (const id of related.unite(concerned(event).map(keyOf))) {
        const row = left.get(id)
        if (row) order.push({ event: asEvent(row), index: null })
        left.delete(id)
      }
    order.push({ event, index })
  }
  return { order, left: [...left.values()] }
}

const isDeferred = ({ personProcessing }: IdentityEvent): boolean => personProcessing === 'deferred'

/** Which distinct ids belong to one person: as stored in Postgres, and after the merges of the batch. */
class RelatedPersons {
  readonly #of = new Map<string, Set<string>>()

  constructor(persons: Iterable<readonly [id: string, person: string]>) {
    const known = new Map<string, Set<string>>()
    for (const [id, person] of persons) {
      const ids = known.get(person) ?? new Set()
      known.set(person, ids.add(id))
      this.#of.set(id, ids)
    }
  }

  /** From now on these ids belong to one person. Returns all ids of that person. */
  unite(ids: readonly string[]): ReadonlySet<string> {
    const [first = '', ...others] = ids
    const all = this.#of.get(first) ?? new Set([first])
    this.#of.set(first, all)
    for (const other of others) {
      const theirs = this.#of.get(other) ?? new Set([other])
      if (theirs !== all) for (const id of theirs) this.#of.set(id, all.add(id))
    }
    return all
  }
}

const keyOf = ({ project, distinctId }: DistinctIdKey): string => `${project}:${distinctId}`

/** The distinct ids whose updates must be applied before this event: its own, and the one it merges with. */
function concerned(event: IdentityEvent): DistinctIdKey[] {
  const { project } = event
  const own = { project, distinctId: storableId(event.distinctId) }
  if (event.personProcessing === 'deferred') return [own]
  const merge = mergeRequest(event)
  return merge ? [own, ...[merge.into, merge.other].map((id) => ({ project, distinctId: id }))] : [own]
}

function fold(left: Map<string, DeferredUpdate>, event: IdentityEvent): void {
  const normalised = normalise({ ...event, personProcessing: 'full' })
  const changes = 'changes' in normalised ? normalised.changes : NOTHING
  const whose = { project: event.project, distinctId: storableId(event.distinctId) }
  const row = left.get(keyOf(whose))
  const folded = foldChanges(row ?? NOTHING, changes)
  if (isNothing(folded)) return
  const lastEventAt = Math.max(row?.lastEventAt ?? 0, event.timestamp)
  left.set(keyOf(whose), { ...whose, ...folded, lastEventAt })
}

/** Reads and locks the deferred updates of the persons of these events, and the persons of the distinct ids. */
export async function readDeferred(
  tx: TransactionSql,
  events: readonly IdentityEvent[],
): Promise<{ earlier: DeferredUpdate[]; persons: [id: string, person: string][] }> {
  const [any] = await tx`SELECT 1 FROM deferred_person_updates LIMIT 1`
  if (!any && !events.some(isDeferred)) return { earlier: [], persons: [] }
  const whose = [...new Map(events.flatMap(concerned).map((id) => [keyOf(id), id])).values()]
  const named = tx`
    named AS (SELECT * FROM unnest(${whose.map(({ project }) => project)}::int[], ${whose.map(({ distinctId }) => distinctId)}::text[])
              AS n (project_id, distinct_id))`
  const rows = await tx<StoredUpdate[]>`
    WITH ${named}, concerned AS (
      SELECT project_id, distinct_id FROM named UNION
      SELECT theirs.project_id, theirs.distinct_id
      FROM named JOIN person_distinct_ids ours USING (project_id, distinct_id)
      JOIN person_distinct_ids theirs ON theirs.person_id = ours.person_id AND theirs.project_id = ours.project_id
      JOIN deferred_person_updates d ON d.project_id = theirs.project_id AND d.distinct_id = theirs.distinct_id)
    SELECT ${columns(tx)}
    FROM deferred_person_updates d JOIN concerned USING (project_id, distinct_id)
    ORDER BY d.project_id, d.distinct_id FOR UPDATE OF d`
  const earlier = rows.map(updateOf)
  const ids = [...whose, ...earlier]
  const known = await tx<(DistinctIdKey & { person: string })[]>`
    SELECT project_id AS project, distinct_id AS "distinctId", person_id::text AS person FROM person_distinct_ids
    JOIN unnest(${ids.map(({ project }) => project)}::int[], ${ids.map(({ distinctId }) => distinctId)}::text[])
         AS n (project_id, distinct_id) USING (project_id, distinct_id) WHERE person_id IS NOT NULL`
  return { earlier, persons: known.map((row) => [keyOf(row), row.person]) }
}

/** Deletes the updates that have been applied, and writes those that stay deferred. */
export async function saveDeferred(
  tx: TransactionSql,
  earlier: readonly DeferredUpdate[],
  left: readonly DeferredUpdate[],
): Promise<void> {
  const kept = new Set(left.map(keyOf))
  const applied = earlier.filter((row) => !kept.has(keyOf(row)))
  if (applied.length > 0)
    await tx`
      DELETE FROM deferred_person_updates d
      USING unnest(${applied.map(({ project }) => project)}::int[], ${applied.map(({ distinctId }) => distinctId)}::text[])
            AS k (project_id, distinct_id)
      WHERE d.project_id = k.project_id AND d.distinct_id = k.distinct_id`
  if (left.length === 0) return
  await tx`
    INSERT INTO deferred_person_updates (project_id, distinct_id, set, set_once, unset, last_event_at)
    SELECT project, "distinctId", set, "setOnce", ARRAY(SELECT jsonb_array_elements_text(unset)), to_timestamp("lastEventAt" / 1000)
    FROM jsonb_to_recordset(${stringifyJson(left)}::text::jsonb)
      AS t(project int, "distinctId" text, set jsonb, "setOnce" jsonb, unset jsonb, "lastEventAt" double precision)
    ORDER BY project, "distinctId"
    ON CONFLICT (project_id, distinct_id) DO UPDATE SET set = excluded.set, set_once = excluded.set_once, unset = excluded.unset,
      last_event_at = excluded.last_event_at, updated_at = now()`
}

/**
 * Takes deferred updates that have not changed for a while, as `$set` events that are applied but not stored. Skips
 * locked rows, so it never waits.
 */
export async function takeQuietUpdates(tx: TransactionSql, limit: number): Promise<IdentityEvent[]> {
  const rows = await tx<StoredUpdate[]>`
    DELETE FROM deferred_person_updates d WHERE ctid IN (
      SELECT ctid FROM deferred_person_updates WHERE updated_at < now() - ${QUIET_FOR}::interval
      ORDER BY updated_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    RETURNING ${columns(tx)}`
  return rows.map(updateOf).map(asEvent)
}

/** The one that is due first waits for an hour: it could not be applied. */
export async function postponeOldestUpdate(sql: Sql): Promise<void> {
  await sql`
    UPDATE deferred_person_updates SET updated_at = now() + interval '1 hour' WHERE ctid IN (
      SELECT ctid FROM deferred_person_updates WHERE updated_at < now() - ${QUIET_FOR}::interval
      ORDER BY updated_at LIMIT 1 FOR UPDATE SKIP LOCKED)`
}

const QUIET_FOR = '2 seconds'

interface StoredUpdate extends DistinctIdKey {
  readonly set: JsonObject
  readonly set_once: JsonObject
  readonly unset: string[]
  readonly lastEventAt: number
}

const columns = (tx: TransactionSql) => tx`
  d.project_id AS project, d.distinct_id AS "distinctId", d.set, d.set_once, d.unset,
  extract(epoch FROM d.last_event_at)::float8 * 1000 AS "lastEventAt"`

const updateOf = ({ set_once, ...row }: StoredUpdate): DeferredUpdate => ({ ...row, setOnce: set_once })

const asEvent = (row: DeferredUpdate): IdentityEvent => ({
  project: row.project,
  uuid: uuidV7(),
  event: '$set',
  distinctId: row.distinctId,
  timestamp: row.lastEventAt,
  properties: { $set: row.set, $set_once: row.setOnce, $unset: [...row.unset] },
  personProcessing: 'full',
})
