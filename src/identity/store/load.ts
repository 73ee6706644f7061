import type { TransactionSql } from '../../engines/postgres/index.ts'
import { type JsonObject, parseStoredJson } from '../../lib/json.ts'
import { mergeRequest } from '../rules/merge-rules.ts'
import type { NormalisedEvent } from '../rules/normalise.ts'
import { IdState, idKey, type PersonState, type UuidFacts, WorkingSet } from '../rules/working-set.ts'
import { IdentityConflict } from './conflict.ts'

interface Wanted {
  readonly project: number
  readonly distinctId: string
  /** Whether an event may give it a person, so that the history of its uuid matters. */
  mayCreate: boolean
}

interface IdRow {
  n: number
  person_id: number | null
  position: number
  uuid: string | null
  properties: string
  created_at: number
  version: number
  is_identified: boolean
  last_seen_at: number | null
}

/** Reads what the events of a batch need: one statement for known ids, a second one when some have no person yet. */
export async function loadWorkingSet(tx: TransactionSql, events: readonly NormalisedEvent[]): Promise<WorkingSet> {
  const wanted = [...wantedIds(events).values()]
  if (wanted.length === 0) return new WorkingSet([], new Map())
  const rows = await tx<IdRow[]>`
    SELECT k.n::int AS n, d.person_id, d.position, p.uuid, p.properties::text AS properties, p.version, p.is_identified,
           (extract(epoch FROM p.created_at) * 1000)::float8 AS created_at,
           (extract(epoch FROM p.last_seen_at) * 1000)::float8 AS last_seen_at
    FROM unnest(${wanted.map((id) => id.project)}::int[], ${wanted.map((id) => id.distinctId)}::text[])
         WITH ORDINALITY AS k (project_id, distinct_id, n)
    JOIN person_distinct_ids d ON d.project_id = k.project_id AND d.distinct_id = k.distinct_id
    LEFT JOIN persons p ON p.id = d.person_id`
  const found = new Map<number, IdRow>(rows.map((row) => [row.n - 1, row]))
  const persons = new Map<number, PersonState>()
  const ids = wanted.map((id, n) => idState(id, found.get(n), persons))
  const facts = await loadUuidFacts(
    tx,
    ids.filter((id, n) => (!id.person && wanted[n]?.mayCreate) || id.stored === 'unknown'),
  )
  return new WorkingSet(ids, facts)
}

function wantedIds(events: readonly NormalisedEvent[]): Map<string, Wanted> {
  const wanted = new Map<string, Wanted>()
  const want = (project: number, distinctId: string, mayCreate: boolean) => {
    const key = idKey(project, distinctId)
    const known = wanted.get(key)
    if (!known) wanted.set(key, { project, distinctId, mayCreate })
    else if (mayCreate) known.mayCreate = true
  }
  for (const event of events) {
    want(event.project, event.distinctId, event.personProcessing === 'full')
    const merge = event.personProcessing === 'full' ? mergeRequest(event) : null
    if (!merge) continue
    want(event.project, merge.into, true)
    want(event.project, merge.other, true)
  }
  return wanted
}

function idState(id: Wanted, row: IdRow | undefined, persons: Map<number, PersonState>): IdState {
  let person: PersonState | null = null
  if (row?.person_id) {
    person = persons.get(row.person_id) ?? personState(id.project, row)
    persons.set(row.person_id, person)
  }
  const stored = row ? (person ? 'owned' : 'personless') : 'unknown'
  const { project, distinctId } = id
  return new IdState({ project, distinctId, person, stored, position: row?.position ?? null })
}

function personState(project: number, row: IdRow): PersonState {
  const lastSeenAt = row.last_seen_at ?? 0
  return {
    project,
    uuid: row.uuid as string,
    id: row.person_id,
    properties: parseStoredJson(row.properties) as JsonObject,
    propertyBytes: Buffer.byteLength(row.properties),
    createdAt: row.created_at,
    version: row.version,
    storedVersion: row.version,
    isIdentified: row.is_identified,
    lastSeenAt,
    storedLastSeenAt: lastSeenAt,
    touched: false,
    mergedInto: null,
    uuidUsed: true,
  }
}

/**
 * A uuid is derived from its distinct id, so a new person may have the uuid of an older one. Such facts are read just
 * after the ids: an id that has a row by now was used in between.
 */
async function loadUuidFacts(tx: TransactionSql, ids: readonly IdState[]): Promise<Map<string, UuidFacts>> {
  const facts = new Map<string, UuidFacts>()
  for (const row of await readUuidFacts(tx, ids)) {
    const id = ids[row.n - 1] as IdState
    if (row.used && id.stored === 'unknown') throw new IdentityConflict('a distinct id was used meanwhile')
    facts.set(idKey(id.project, id.distinctId), {
      taken: row.taken,
      tombstoneVersion: row.tombstone,
      overridden: row.overridden,
    })
  }
  return facts
}

/**
 * Called when the rows of a batch are written, so that no other transaction can use these uuids: the facts must be the
 * same as when they were read. Another person may have had such an id, and lost it, in between.
 */
export async function confirmUuidFacts(tx: TransactionSql, set: WorkingSet, ids: readonly IdState[]): Promise<void> {
  const rows = new Map((await readUuidFacts(tx, ids)).map((row) => [row.n - 1, row]))
  for (const [n, id] of ids.entries()) {
    const { tombstoneVersion, overridden } = set.facts(id)
    const row = rows.get(n)
    if ((row?.tombstone ?? null) !== tombstoneVersion || (row?.overridden ?? false) !== overridden)
      throw new IdentityConflict('a person came and went meanwhile')
  }
}

interface UuidFactsRow {
  n: number
  used: boolean
  taken: boolean
  tombstone: number | null
  overridden: boolean
}

async function readUuidFacts(tx: TransactionSql, ids: readonly IdState[]): Promise<UuidFactsRow[]> {
  if (ids.length === 0) return []
  return await tx<UuidFactsRow[]>`
    SELECT k.n::int AS n, d.distinct_id IS NOT NULL AS used, p.id IS NOT NULL OR coalesce(o.folding, false) AS taken,
           t.version AS tombstone, o.version IS NOT NULL AS overridden
    FROM unnest(${ids.map((id) => id.project)}::int[], ${ids.map((id) => id.distinctId)}::text[],
                ${ids.map((id) => id.uuid)}::uuid[])
         WITH ORDINALITY AS k (project_id, distinct_id, uuid, n)
    LEFT JOIN person_distinct_ids d ON d.project_id = k.project_id AND d.distinct_id = k.distinct_id
    LEFT JOIN persons p ON p.project_id = k.project_id AND p.uuid = k.uuid
    LEFT JOIN person_tombstones t ON t.project_id = k.project_id AND t.uuid = k.uuid
    LEFT JOIN person_overrides o ON o.project_id = k.project_id AND o.old_person_uuid = k.uuid
    WHERE d.distinct_id IS NOT NULL OR p.id IS NOT NULL OR t.version IS NOT NULL OR o.version IS NOT NULL`
}
