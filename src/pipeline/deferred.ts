import type { TransactionSql } from '../engines/postgres/index.ts'
import { type IdentityEvent, normalise } from '../identity/index.ts'
import { isObject, type Json, type JsonObject, stringifyJson } from '../lib/json.ts'
import { uuidV7 } from '../lib/uuid.ts'

/**
 * What the events of a spike want to change is folded into one row a distinct id, in the order in which they came, and applied when the
 * spike is over, or before the next event of that distinct id that is not put off: what came later must win.
 */
interface PutOff {
  readonly project: number
  readonly distinctId: string
  set: JsonObject
  set_once: JsonObject
  unset: string[]
  lastEventAt: number
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

/** The events of a batch with earlier changes in their places, and what stays put off. */
export function inOrder(
  events: readonly IdentityEvent[],
  earlier: readonly PutOff[],
): { order: InOrder[]; left: PutOff[] } {
  const left = new Map(earlier.map((row) => [keyOf(row), row]))
  const order: InOrder[] = []
  for (const [index, event] of events.entries()) {
    if (event.personProcessing === 'deferred') fold(left, event)
    else
      for (const key of left.size > 0 ? concerned(event).map(keyOf) : []) {
        const row = left.get(key)
        if (row) order.push({ event: asEvent(row), index: null })
        left.delete(key)
      }
    order.push({ event, index })
  }
  return { order, left: [...left.values()] }
}

const keyOf = ({ project, distinctId }: WhoseChanges): string => `${project}:${distinctId}`

/** Whose changes must be applied before this event: those of its own distinct id, and of the one it merges with. */
function concerned({ project, distinctId, properties }: IdentityEvent): WhoseChanges[] {
  const others = [properties.$anon_distinct_id, properties.alias].filter((id) => typeof id === 'string')
  return [distinctId, ...others].map((id) => ({ project, distinctId: id }))
}

function fold(left: Map<string, PutOff>, event: IdentityEvent): void {
  const { properties } = normalise(event) as { properties?: JsonObject }
  const { $set, $set_once, $unset } = properties ?? {}
  const { project, distinctId } = event
  const row = left.get(keyOf(event)) ?? { project, distinctId, set: {}, set_once: {}, unset: [], lastEventAt: 0 }
  if (isObject($set)) row.set = { ...row.set, ...$set }
  if (isObject($set_once)) row.set_once = { ...$set_once, ...row.set_once }
  row.unset = [...new Set([...row.unset.filter((name) => !isObject($set) || !(name in $set)), ...namesIn($unset)])]
  row.lastEventAt = Math.max(row.lastEventAt, event.timestamp)
  if (row.unset.length + Object.keys(row.set).length + Object.keys(row.set_once).length > 0) left.set(keyOf(event), row)
}

function namesIn(unset: Json | undefined): string[] {
  if (Array.isArray(unset)) return unset.filter((name) => typeof name === 'string')
  return unset !== undefined && isObject(unset) ? Object.keys(unset) : []
}

export async function putOff(tx: TransactionSql, rows: readonly PutOff[]): Promise<void> {
  if (rows.length === 0) return
  const text = stringifyJson(rows).replace(/\\u0000|\\ud[89a-f][0-9a-f]{2}/gi, '\\ufffd')
  await tx`
    INSERT INTO deferred_person_updates AS old (project_id, distinct_id, set, set_once, unset, last_event_at)
    SELECT project, "distinctId", set, set_once, ARRAY(SELECT jsonb_array_elements_text(unset)), to_timestamp("lastEventAt" / 1000)
    FROM jsonb_to_recordset(${text}::text::jsonb)
      AS t(project int, "distinctId" text, set jsonb, set_once jsonb, unset jsonb, "lastEventAt" double precision)
    ORDER BY project, "distinctId"
    ON CONFLICT (project_id, distinct_id) DO UPDATE SET
      set = old.set || excluded.set, set_once = excluded.set_once || old.set_once,
      unset = ARRAY(SELECT DISTINCT name FROM unnest(old.unset || excluded.unset) AS name WHERE NOT excluded.set ? name OR name = ANY(excluded.unset)),
      last_event_at = greatest(old.last_event_at, excluded.last_event_at), updated_at = now()`
}

/** Takes what was put off for those whom the events concern. `none` when nothing at all is put off, for anybody. */
export async function takeUpFor(
  tx: TransactionSql,
  events: readonly IdentityEvent[],
): Promise<{ earlier: PutOff[]; none: boolean }> {
  const [any] = await tx`SELECT 1 FROM deferred_person_updates LIMIT 1`
  if (!any) return { earlier: [], none: true }
  const whose = events.filter(({ personProcessing }) => personProcessing !== 'deferred').flatMap(concerned)
  const earlier = await tx<PutOff[]>`
    DELETE FROM deferred_person_updates d
    USING (SELECT DISTINCT * FROM unnest(${whose.map(({ project }) => project)}::int[], ${whose.map(({ distinctId }) => storable(distinctId))}::text[])
           AS t (project, distinct_id)) k
    WHERE d.project_id = k.project AND d.distinct_id = k.distinct_id
    RETURNING d.project_id AS project, d.distinct_id AS "distinctId", set, set_once, unset, extract(epoch FROM last_event_at)::float8 * 1000 AS "lastEventAt"`
  return { earlier, none: false }
}

/** Takes what was put off and has been quiet for a while, as `$set` events that are applied but not stored. */
export async function takeUpQuiet(tx: TransactionSql, quietForSeconds = 2, limit = 500): Promise<IdentityEvent[]> {
  const rows = await tx<PutOff[]>`
    DELETE FROM deferred_person_updates WHERE ctid IN (
      SELECT ctid FROM deferred_person_updates WHERE updated_at < now() - make_interval(secs => ${quietForSeconds})
      LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    RETURNING project_id AS project, distinct_id AS "distinctId", set, set_once, unset, extract(epoch FROM last_event_at)::float8 * 1000 AS "lastEventAt"`
  return rows.map(asEvent)
}

const asEvent = (row: PutOff): IdentityEvent => ({
  project: row.project,
  uuid: uuidV7(),
  event: '$set',
  distinctId: row.distinctId,
  timestamp: row.lastEventAt,
  properties: { $set: row.set, $set_once: row.set_once, $unset: row.unset },
  personProcessing: 'full',
})

const storable = (id: string): string => id.replaceAll('\0', '\uFFFD').toWellFormed()
