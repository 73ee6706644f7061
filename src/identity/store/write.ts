import type { TransactionSql } from '../../engines/postgres/index.ts'
import { MINUTE } from '../../lib/durations.ts'
import { jsonText } from '../rules/storable.ts'
import type { ClickHouseCopies, CohortPersonRow, PersonOverrideRow } from '../rules/types.ts'
import { current, type IdState, idKey, type PersonState, type WorkingSet } from '../rules/working-set.ts'
import { deletedPersonRow, personRow } from './clickhouse-rows.ts'
import { IdentityConflict } from './conflict.ts'
import { confirmUuidFacts } from './load.ts'
import { moveToSurvivors } from './static-cohorts.ts'

/** How much higher the version of a deletion row is than the last version of the person. */
export const TOMBSTONE_STEP = 100

/** `last_seen_at` is indexed and not written for each event: it may lag behind by this much. */
const SEEN_EVERY_MS = 5 * MINUTE
const isSeenLater = (person: PersonState) => person.lastSeenAt - person.storedLastSeenAt >= SEEN_EVERY_MS

/**
 * Writes the changes of a batch, in one statement for each kind. Rows are locked in one order in every transaction:
 * persons by id, new persons by uuid, distinct ids by name, overrides by uuid; so two batches may wait for each other
 * but never deadlock.
 *
 * Reading without locks is safe because every person that changes, is deleted, or gets a distinct id is locked first
 * and must still have the version that was read; every new row must really be new, and the facts about the uuids of new
 * ids must still hold. Otherwise IdentityConflict. An event that changes nothing locks nothing: it counts as of the
 * time it was read, and changes of its person since then count as later. That is a valid order of the events, because
 * order is guaranteed within one distinct id only.
 */
export async function write(tx: TransactionSql, set: WorkingSet, now: Date): Promise<Omit<ClickHouseCopies, 'groups'>> {
  const ids = new Map<PersonState, number>()
  for (const person of set.persons) if (person.id !== null) ids.set(person, person.id)
  const stored = set.persons.filter((person) => person.id !== null)
  const touched = stored.filter((person) => person.touched)
  const changed = touched.filter((person) => !person.mergedInto && person.version !== person.storedVersion)
  const gone = touched.filter((person) => person.mergedInto)
  const seen = stored.filter(
    (person) => !person.mergedInto && person.version === person.storedVersion && isSeenLater(person),
  )
  const created = set.persons.filter((person) => person.id === null && !person.mergedInto)
  // The same text for Postgres and for ClickHouse.
  const texts: PropertyTexts = new Map([...created, ...changed].map((person) => [person, jsonText(person.properties)]))

  await lockPersons(tx, touched, seen)
  await insertPersons(tx, created, texts, ids)
  await updatePersons(tx, changed, texts)
  await updateLastSeen(tx, seen)
  const cohort_people = await removeMerged(tx, gone, ids)
  await writeDistinctIds(tx, set, ids, now)
  await confirmUuidFacts(tx, set, newIds(set, gone))
  const person_overrides = await writeOverrides(tx, set)
  await writeMerges(tx, set)
  return {
    persons: [
      ...Array.from(texts, ([person, text]) => personRow(person, text)),
      ...gone.map((person) => deletedPersonRow(person.project, person.uuid, person.createdAt, tombstone(person))),
    ],
    cohort_people,
    person_overrides,
  }
}

/** Ids without a row that get one now, except those whose person the batch itself has deleted. */
function newIds(set: WorkingSet, gone: readonly PersonState[]): IdState[] {
  const ended = new Set(gone.map((person) => idKey(person.project, person.uuid)))
  return [...set.ids.values()].filter(
    (id) =>
      id.stored !== 'owned' &&
      (id.person !== null || (id.stored === 'unknown' && id.usedPersonless)) &&
      !ended.has(idKey(id.project, id.uuid)),
  )
}

const tombstone = (person: PersonState): number => person.version + TOMBSTONE_STEP
const byUuid = (a: PersonState, b: PersonState) => a.project - b.project || (a.uuid < b.uuid ? -1 : 1)

async function lockPersons(tx: TransactionSql, touched: PersonState[], seen: PersonState[]): Promise<void> {
  if (touched.length + seen.length === 0) return
  const wanted = [...new Set([...touched, ...seen].map((person) => person.id as number))]
  const locked = await tx<{ id: number; version: number }[]>`
    SELECT id, version FROM persons WHERE id = ANY(${wanted}::bigint[]) ORDER BY id FOR UPDATE`
  const versions = new Map(locked.map((row) => [row.id, row.version]))
  for (const person of touched)
    if (versions.get(person.id as number) !== person.storedVersion)
      throw new IdentityConflict(`person ${person.uuid} changed meanwhile`)
}

type PropertyTexts = ReadonlyMap<PersonState, string>

async function insertPersons(
  tx: TransactionSql,
  created: PersonState[],
  texts: PropertyTexts,
  ids: Map<PersonState, number>,
): Promise<void> {
  if (created.length === 0) return
  const sorted = created.toSorted(byUuid)
  const rows = await tx<{ id: number; project_id: number; uuid: string }[]>`
    INSERT INTO persons (project_id, uuid, properties, created_at, version, is_identified, last_seen_at)
    SELECT project_id, uuid, properties::jsonb, to_timestamp(created_at / 1000), version, is_identified = 1,
           to_timestamp(nullif(last_seen_at, 0) / 1000)
    FROM unnest(
      ${sorted.map((person) => person.project)}::int[],
      ${sorted.map((person) => person.uuid)}::uuid[],
      ${sorted.map((person) => texts.get(person) as string)}::text[],
      ${sorted.map((person) => person.createdAt)}::float8[],
      ${sorted.map((person) => person.version)}::bigint[],
      ${sorted.map((person) => Number(person.isIdentified))}::int[],
      ${sorted.map((person) => person.lastSeenAt)}::float8[]
    ) AS new (project_id, uuid, properties, created_at, version, is_identified, last_seen_at)
    ON CONFLICT (project_id, uuid) DO NOTHING
    RETURNING id, project_id, uuid`
  expectAll(rows.length, sorted.length, 'a person was created meanwhile')
  const found = new Map(rows.map((row) => [idKey(row.project_id, row.uuid), row.id]))
  for (const person of sorted) ids.set(person, found.get(idKey(person.project, person.uuid)) as number)
}

async function updatePersons(tx: TransactionSql, changed: PersonState[], texts: PropertyTexts): Promise<void> {
  if (changed.length === 0) return
  await tx`
    UPDATE persons SET properties = new.properties::jsonb, created_at = to_timestamp(new.created_at / 1000), version = new.version,
      is_identified = new.is_identified = 1, last_seen_at = to_timestamp(nullif(new.last_seen_at, 0) / 1000)
    FROM unnest(
      ${changed.map((person) => person.id)}::bigint[],
      ${changed.map((person) => texts.get(person) as string)}::text[],
      ${changed.map((person) => person.createdAt)}::float8[],
      ${changed.map((person) => person.version)}::bigint[],
      ${changed.map((person) => Number(person.isIdentified))}::int[],
      ${changed.map((person) => (isSeenLater(person) ? person.lastSeenAt : person.storedLastSeenAt))}::float8[]
    ) AS new (id, properties, created_at, version, is_identified, last_seen_at)
    WHERE persons.id = new.id`
}

/** Only moves forward, changes no version, and never conflicts. */
async function updateLastSeen(tx: TransactionSql, seen: PersonState[]): Promise<void> {
  if (seen.length === 0) return
  await tx`
    UPDATE persons SET last_seen_at = greatest(persons.last_seen_at, to_timestamp(new.last_seen_at / 1000))
    FROM unnest(${seen.map((person) => person.id)}::bigint[], ${seen.map((person) => person.lastSeenAt)}::float8[])
         AS new (id, last_seen_at)
    WHERE persons.id = new.id`
}

async function removeMerged(
  tx: TransactionSql,
  gone: PersonState[],
  ids: Map<PersonState, number>,
): Promise<CohortPersonRow[]> {
  if (gone.length === 0) return []
  const merged = gone.map((person) => person.id as number)
  const survivors = gone.map((person) => ids.get(current(person)) as number)
  await tx`
    UPDATE person_distinct_ids d SET person_id = m.survivor
    FROM unnest(${merged}::bigint[], ${survivors}::bigint[]) AS m (person_id, survivor)
    WHERE d.person_id = m.person_id`
  const memberships = await moveToSurvivors(tx, merged, survivors)
  await tx`DELETE FROM persons WHERE id = ANY(${merged}::bigint[])`
  const sorted = gone.toSorted(byUuid)
  await tx`
    INSERT INTO person_tombstones (project_id, uuid, version)
    SELECT * FROM unnest(${sorted.map((person) => person.project)}::int[], ${sorted.map((person) => person.uuid)}::uuid[],
                         ${sorted.map(tombstone)}::bigint[])
    ON CONFLICT (project_id, uuid) DO UPDATE SET version = excluded.version, deleted_at = excluded.deleted_at`
  return memberships
}

const byName = (a: IdState, b: IdState) =>
  a.project - b.project || (a.distinctId < b.distinctId ? -1 : a.distinctId > b.distinctId ? 1 : 0)

async function writeDistinctIds(
  tx: TransactionSql,
  set: WorkingSet,
  ids: Map<PersonState, number>,
  now: Date,
): Promise<void> {
  const start = now.getTime() * 1_000
  const chosen = (wanted: (id: IdState) => boolean) => [...set.ids.values()].filter(wanted).sort(byName)
  const position = (id: IdState) => (id.promoted ? -start : start + (id.attachedAs ?? 0))
  const owner = (id: IdState) => (id.person ? (ids.get(current(id.person)) as number) : null)
  const fresh = chosen((id) => id.stored === 'unknown' && (id.person !== null || id.usedPersonless))
  if (fresh.length > 0) {
    const inserted = await tx`
      INSERT INTO person_distinct_ids (project_id, distinct_id, person_id, position)
      SELECT * FROM unnest(${fresh.map((id) => id.project)}::int[], ${fresh.map((id) => id.distinctId)}::text[],
                           ${fresh.map(owner)}::bigint[], ${fresh.map(position)}::bigint[])
      ON CONFLICT (project_id, distinct_id) DO NOTHING`
    expectAll(inserted.count, fresh.length, 'a distinct id was used meanwhile')
  }
  const claimed = chosen((id) => id.stored === 'personless' && id.person !== null)
  if (claimed.length > 0) {
    const updated = await tx`
      UPDATE person_distinct_ids d SET person_id = new.person_id, position = new.position
      FROM unnest(${claimed.map((id) => id.project)}::int[], ${claimed.map((id) => id.distinctId)}::text[],
                  ${claimed.map(owner)}::bigint[], ${claimed.map(position)}::bigint[])
           AS new (project_id, distinct_id, person_id, position)
      WHERE d.project_id = new.project_id AND d.distinct_id = new.distinct_id AND d.person_id IS NULL`
    expectAll(updated.count, claimed.length, 'a distinct id got a person meanwhile')
  }
  const promoted = chosen((id) => id.stored === 'owned' && id.promoted)
  if (promoted.length > 0)
    await tx`
      UPDATE person_distinct_ids d SET position = ${-start}
      FROM unnest(${promoted.map((id) => id.project)}::int[], ${promoted.map((id) => id.distinctId)}::text[]) AS new (project_id, distinct_id)
      WHERE d.project_id = new.project_id AND d.distinct_id = new.distinct_id`
}

async function writeOverrides(tx: TransactionSql, set: WorkingSet): Promise<PersonOverrideRow[]> {
  const rows: PersonOverrideRow[] = []
  const ended = [...set.overrides.values()].filter((override) => override.person === null)
  if (ended.length > 0)
    rows.push(
      ...(await tx<PersonOverrideRow[]>`
        DELETE FROM person_overrides o
        USING unnest(${ended.map((o) => o.project)}::int[], ${ended.map((o) => o.oldUuid)}::uuid[]) AS e (project_id, uuid)
        WHERE o.project_id = e.project_id AND o.old_person_uuid = e.uuid
        RETURNING o.project_id, old_person_uuid AS old_person_id, person_uuid AS person_id, 1 AS is_deleted,
                  nextval('person_override_versions') AS version`),
    )
  const begun = [...set.overrides.values()]
    .flatMap(({ project, oldUuid, person }) => (person ? [{ project, oldUuid, uuid: current(person).uuid }] : []))
    .filter(({ oldUuid, uuid }) => oldUuid !== uuid)
    .toSorted((a, b) => a.project - b.project || (a.oldUuid < b.oldUuid ? -1 : 1))
  if (begun.length === 0) return rows
  const projects = begun.map((o) => o.project)
  const from = begun.map((o) => o.oldUuid)
  const to = begun.map((o) => o.uuid)
  // Overrides never form a chain: an override to a uuid that now has one itself is changed to lead there directly. That
  // uuid need not be a person at the moment; it may be one that was deleted and created again within this batch.
  rows.push(
    ...(await tx<PersonOverrideRow[]>`
      UPDATE person_overrides o SET person_uuid = m.survivor, version = nextval('person_override_versions'), created_at = clock_timestamp()
      FROM unnest(${projects}::int[], ${from}::uuid[], ${to}::uuid[]) AS m (project_id, uuid, survivor)
      WHERE o.project_id = m.project_id AND o.person_uuid = m.uuid AND o.old_person_uuid <> m.survivor
      RETURNING o.project_id, old_person_uuid AS old_person_id, person_uuid AS person_id, 0 AS is_deleted, version`),
    ...(await tx<PersonOverrideRow[]>`
      INSERT INTO person_overrides (project_id, old_person_uuid, person_uuid)
      SELECT * FROM unnest(${projects}::int[], ${from}::uuid[], ${to}::uuid[])
      ON CONFLICT (project_id, old_person_uuid) DO UPDATE SET person_uuid = excluded.person_uuid,
        version = nextval('person_override_versions'), created_at = clock_timestamp()
      RETURNING project_id, old_person_uuid AS old_person_id, person_uuid AS person_id, 0 AS is_deleted, version`),
  )
  return rows
}

async function writeMerges(tx: TransactionSql, set: WorkingSet): Promise<void> {
  const { merges } = set
  if (merges.length === 0) return
  await tx`
    INSERT INTO person_merges (project_id, person_uuid, merged_person_uuid, distinct_id, other_distinct_id, event, event_uuid, event_timestamp)
    SELECT project_id, person_uuid, merged, distinct_id, other, event, event_uuid, to_timestamp(ms / 1000)
    FROM unnest(
      ${merges.map((m) => m.project)}::int[],
      ${merges.map((m) => m.survivor.uuid)}::uuid[],
      ${merges.map((m) => m.mergedUuid)}::uuid[],
      ${merges.map((m) => m.distinctId)}::text[],
      ${merges.map((m) => m.otherDistinctId)}::text[],
      ${merges.map((m) => m.event)}::text[],
      ${merges.map((m) => m.eventUuid)}::text[],
      ${merges.map((m) => m.timestamp)}::float8[]
    ) AS new (project_id, person_uuid, merged, distinct_id, other, event, event_uuid, ms)`
}

function expectAll(count: number, expected: number, what: string): void {
  if (count !== expected) throw new IdentityConflict(what)
}
