import type { TransactionSql } from '../../engines/postgres/index.ts'
import { type IdentityEvent, mergeRequest, normalise, storableId } from '../../identity/index.ts'
import { type JsonObject, stringifyJson } from '../../lib/json.ts'
import { uuidV7 } from '../../lib/uuid.ts'
import { type Changes, foldChanges, isNothing, NOTHING } from './fold-changes.ts'

/**
 * What the events of a spike want to change is folded into one row a distinct id, in the order in which they came, and applied when the
 * spike is over, or before the next event that is not put off and that it matters to: one of the same person, under whichever of its
 * distinct ids and in whichever partition it arrives, or one that merges it with another. What came later must win; a merge must find the
 * person as its own events left it.
 *
 * Rows are locked in order of project and distinct id, and before any person: so nobody waits in a circle.
 */
interface PutOff extends Changes {
  readonly project: number
  readonly distinctId: string
  readonly lastEventAt: number
}

/** An event of the batch (with its place in it), or changes that were put off and are applied now, but not stored. */
export interface InOrder {
  readonly event: IdentityEvent
  readonly index: number | null
}

interface WhoseChanges {
  readonly project: number
  readonly distinctId: string
}

/** The events of a batch with earlier changes in their places, and what stays put off. `persons`: whose distinct ids are. */
export function inOrder(
  events: readonly IdentityEvent[],
  earlier: readonly PutOff[],
  persons: Iterable<readonly [id: string, person: string]> = [],
): { order: InOrder[]; left: PutOff[] } {
  if (earlier.length === 0 && !events.some(isDeferred))
    return { order: events.map((event, index) => ({ event, index })), left: [] }
  const left = new Map(earlier.map((row) => [keyOf(row), row]))
  const kin = new Kin(persons)
  const order: InOrder[] = []
  for (const [index, event] of events.entries()) {
    if (isDeferred(event)) fold(left, event)
    else
      for (const id of kin.unite(concerned(event).map(keyOf))) {
        const row = left.get(id)
        if (row) order.push({ event: asEvent(row), index: null })
        left.delete(id)
      }
    order.push({ event, index })
  }
  return { order, left: [...left.values()] }
}

const isDeferred = ({ personProcessing }: IdentityEvent): boolean => personProcessing === 'deferred'

/** Which distinct ids are of one person: as Postgres knows it, and as the merges of the batch make it. */
class Kin {
  readonly #of = new Map<string, Set<string>>()

  constructor(persons: Iterable<readonly [id: string, person: string]>) {
    const known = new Map<string, Set<string>>()
    for (const [id, person] of persons) {
      const ids = known.get(person) ?? new Set()
      known.set(person, ids.add(id))
      this.#of.set(id, ids)
    }
  }

  /** From now on these are of one person. All ids of that person. */
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

const keyOf = ({ project, distinctId }: WhoseChanges): string => `${project}:${distinctId}`

/** Whose changes must be applied before this event: those of its own distinct id, and of the one it merges with. */
function concerned(event: IdentityEvent): WhoseChanges[] {
  const { project } = event
  const own = { project, distinctId: storableId(event.distinctId) }
  if (event.personProcessing === 'deferred') return [own]
  const merge = mergeRequest(event)
  return merge ? [own, ...[merge.into, merge.other].map((id) => ({ project, distinctId: id }))] : [own]
}

function fold(left: Map<string, PutOff>, event: IdentityEvent): void {
  const normalised = normalise({ ...event, personProcessing: 'full' })
  const changes = 'changes' in normalised ? normalised.changes : NOTHING
  const whose = { project: event.project, distinctId: storableId(event.distinctId) }
  const row = left.get(keyOf(whose))
  const folded = foldChanges(row ?? NOTHING, changes)
  if (isNothing(folded)) return
  const lastEventAt = Math.max(row?.lastEventAt ?? 0, event.timestamp)
  left.set(keyOf(whose), { ...whose, ...folded, lastEventAt })
}

/** What is put off for the persons whom the events concern, locked; and whose the distinct ids are. */
export async function readPutOff(
  tx: TransactionSql,
  events: readonly IdentityEvent[],
): Promise<{ earlier: PutOff[]; persons: [id: string, person: string][] }> {
  const [any] = await tx`SELECT 1 FROM deferred_person_updates LIMIT 1`
  if (!any && !events.some(isDeferred)) return { earlier: [], persons: [] }
  const whose = [...new Map(events.flatMap(concerned).map((id) => [keyOf(id), id])).values()]
  const named = tx`
    named AS (SELECT * FROM unnest(${whose.map(({ project }) => project)}::int[], ${whose.map(({ distinctId }) => distinctId)}::text[])
              AS n (project_id, distinct_id))`
  const rows = await tx<StoredPutOff[]>`
    WITH ${named}, concerned AS (
      SELECT project_id, distinct_id FROM named UNION
      SELECT theirs.project_id, theirs.distinct_id
      FROM named JOIN person_distinct_ids ours USING (project_id, distinct_id)
      JOIN person_distinct_ids theirs ON theirs.person_id = ours.person_id AND theirs.project_id = ours.project_id
      JOIN deferred_person_updates d ON d.project_id = theirs.project_id AND d.distinct_id = theirs.distinct_id)
    SELECT ${columns(tx)}
    FROM deferred_person_updates d JOIN concerned USING (project_id, distinct_id)
    ORDER BY d.project_id, d.distinct_id FOR UPDATE OF d`
  const earlier = rows.map(putOffOf)
  const ids = [...whose, ...earlier]
  const known = await tx<(WhoseChanges & { person: string })[]>`
    SELECT project_id AS project, distinct_id AS "distinctId", person_id::text AS person FROM person_distinct_ids
    JOIN unnest(${ids.map(({ project }) => project)}::int[], ${ids.map(({ distinctId }) => distinctId)}::text[])
         AS n (project_id, distinct_id) USING (project_id, distinct_id) WHERE person_id IS NOT NULL`
  return { earlier, persons: known.map((row) => [keyOf(row), row.person]) }
}

/** Keeps what is left of what was read, and what has come to it. */
export async function keepPutOff(
  tx: TransactionSql,
  earlier: readonly PutOff[],
  left: readonly PutOff[],
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

/** Takes what was put off and has been quiet for a while, as `$set` events that are applied but not stored. Waits for nobody. */
export async function takeUpQuiet(tx: TransactionSql, quietForSeconds = 2, limit = 500): Promise<IdentityEvent[]> {
  const rows = await tx<StoredPutOff[]>`
    DELETE FROM deferred_person_updates d WHERE ctid IN (
      SELECT ctid FROM deferred_person_updates WHERE updated_at < now() - make_interval(secs => ${quietForSeconds})
      LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    RETURNING ${columns(tx)}`
  return rows.map(putOffOf).map(asEvent)
}

interface StoredPutOff extends WhoseChanges {
  readonly set: JsonObject
  readonly set_once: JsonObject
  readonly unset: string[]
  readonly lastEventAt: number
}

const columns = (tx: TransactionSql) => tx`
  d.project_id AS project, d.distinct_id AS "distinctId", d.set, d.set_once, d.unset,
  extract(epoch FROM d.last_event_at)::float8 * 1000 AS "lastEventAt"`

const putOffOf = ({ set_once, ...row }: StoredPutOff): PutOff => ({ ...row, setOnce: set_once })

const asEvent = (row: PutOff): IdentityEvent => ({
  project: row.project,
  uuid: uuidV7(),
  event: '$set',
  distinctId: row.distinctId,
  timestamp: row.lastEventAt,
  properties: { $set: row.set, $set_once: row.setOnce, $unset: [...row.unset] },
  personProcessing: 'full',
})
