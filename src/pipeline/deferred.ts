import type { TransactionSql } from '../engines/postgres/index.ts'
import type { IdentityEvent } from '../identity/index.ts'
import { isObject, type JsonObject, stringifyJson } from '../lib/json.ts'
import { uuidV7 } from '../lib/uuid.ts'
import type { EventDraft } from './step.ts'

interface Folded {
  readonly project: number
  readonly distinctId: string
  set: JsonObject
  set_once: JsonObject
  unset: string[]
  lastEventAt: number
}

/** Folds what the events of a spike want to change into one row a distinct id, in the order in which they came. */
export async function putOff(tx: TransactionSql, drafts: readonly EventDraft[]): Promise<void> {
  const folded = new Map<string, Folded>()
  for (const draft of drafts) {
    const { $set, $set_once, $unset } = draft.properties
    const key = `${draft.project.id}:${draft.distinctId}`
    const row = folded.get(key) ?? {
      project: draft.project.id,
      distinctId: draft.distinctId,
      set: {},
      set_once: {},
      unset: [],
      lastEventAt: 0,
    }
    if (isObject($set)) row.set = { ...row.set, ...$set }
    if (isObject($set_once)) row.set_once = { ...$set_once, ...row.set_once }
    const unset = Array.isArray($unset)
      ? $unset.filter((name) => typeof name === 'string')
      : isObject($unset)
        ? Object.keys($unset)
        : []
    row.unset = [...new Set([...row.unset.filter((name) => !isObject($set) || !(name in $set)), ...unset])]
    row.lastEventAt = Math.max(row.lastEventAt, draft.timestamp)
    folded.set(key, row)
  }
  const rows = [...folded.values()].filter(
    ({ set, set_once, unset }) => unset.length + Object.keys(set).length + Object.keys(set_once).length > 0,
  )
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

/** Takes what was put off and has been quiet for a while, as `$set` events that are applied but not stored. */
export async function takeUp(tx: TransactionSql, quietForSeconds = 2, limit = 500): Promise<IdentityEvent[]> {
  const rows = await tx<
    {
      project_id: number
      distinct_id: string
      set: JsonObject
      set_once: JsonObject
      unset: string[]
      last_event_at: Date
    }[]
  >`
    DELETE FROM deferred_person_updates WHERE ctid IN (
      SELECT ctid FROM deferred_person_updates WHERE updated_at < now() - make_interval(secs => ${quietForSeconds})
      LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    RETURNING project_id, distinct_id, set, set_once, unset, last_event_at`
  return rows.map((row) => ({
    project: row.project_id,
    uuid: uuidV7(),
    event: '$set',
    distinctId: row.distinct_id,
    timestamp: row.last_event_at.getTime(),
    properties: { $set: row.set, $set_once: row.set_once, $unset: row.unset },
    personProcessing: 'full' as const,
  }))
}
