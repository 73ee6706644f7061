import type { TransactionSql } from '../../engines/postgres/index.ts'
import { isUuid } from '../../lib/uuid.ts'
import type { ClickHouseCopies } from '../rules/types.ts'
import { deletedPersonRow } from '../store/clickhouse-rows.ts'
import { IdentityConflict } from '../store/conflict.ts'
import { type Person, type PersonRecord, personColumns, personOf } from '../store/persons.ts'
import { leaveAllCohorts } from '../store/static-cohorts.ts'
import { TOMBSTONE_STEP } from '../store/write.ts'

export interface DeletedPerson extends Person {
  /** All of them; the API shows at most a thousand of a person. */
  readonly everyDistinctId: readonly string[]
  /** Other uuids under which ClickHouse may have events of this person: those of persons merged into it. */
  readonly formerUuids: readonly string[]
}

export type PersonChoice =
  | { readonly uuids: readonly string[] }
  | { readonly ids: readonly number[] }
  | { readonly distinctIds: readonly string[] }

/**
 * Deletes persons and their distinct ids. Their events stay until their deletion is requested too.
 * Throws IdentityConflict when a merge or a split came first; then roll back and run it again.
 */
export async function deletePersons(
  tx: TransactionSql,
  project: number,
  choice: PersonChoice,
): Promise<{ deleted: DeletedPerson[]; rows: Pick<ClickHouseCopies, 'persons' | 'cohort_people'> }> {
  await forgetPutOff(tx, project, choice)
  const ids = await lockChosen(tx, project, choice)
  if (ids.length === 0) return { deleted: [], rows: { persons: [], cohort_people: [] } }
  const deleted = await everythingAbout(tx, project, ids)
  const cohort_people = await leaveAllCohorts(tx, ids)
  await tx`
    DELETE FROM feature_flag_hash_keys WHERE project_id = ${project} AND distinct_id IN (
      SELECT distinct_id FROM person_distinct_ids WHERE person_id = ANY(${ids}::bigint[]))`
  await tx`DELETE FROM person_distinct_ids WHERE person_id = ANY(${ids}::bigint[])`
  await tx`DELETE FROM persons WHERE id = ANY(${ids}::bigint[])`
  await tx`
    INSERT INTO person_tombstones (project_id, uuid, version)
    SELECT ${project}::int, * FROM unnest(${deleted.map(({ uuid }) => uuid)}::uuid[], ${deleted.map(tombstone)}::bigint[])
    ON CONFLICT (project_id, uuid) DO UPDATE SET version = excluded.version, deleted_at = excluded.deleted_at`
  const persons = deleted.map((person) =>
    deletedPersonRow(project, person.uuid, person.createdAt.getTime(), tombstone(person)),
  )
  return { deleted, rows: { persons, cohort_people } }
}

const tombstone = (person: Person): number => person.version + TOMBSTONE_STEP

/**
 * Deferred updates must not bring a deleted person back. Before any person is locked, in the same order as the
 * pipeline.
 */
async function forgetPutOff(tx: TransactionSql, project: number, choice: PersonChoice): Promise<void> {
  await tx`
    DELETE FROM deferred_person_updates WHERE project_id = ${project} AND distinct_id IN (
      SELECT distinct_id FROM deferred_person_updates WHERE project_id = ${project} AND distinct_id IN (
        SELECT distinct_id FROM person_distinct_ids WHERE project_id = ${project} AND person_id IN (
          SELECT id FROM persons WHERE project_id = ${project} AND ${chosen(tx, project, choice)}))
      ORDER BY distinct_id FOR UPDATE)`
}

async function lockChosen(tx: TransactionSql, project: number, choice: PersonChoice): Promise<number[]> {
  const locked = await tx<{ id: number }[]>`
    SELECT id FROM persons WHERE project_id = ${project} AND ${chosen(tx, project, choice)} ORDER BY id FOR UPDATE`
  // While we waited for the lock the ids may have been given to another person.
  const meant = await tx<{ id: number }[]>`
    SELECT id FROM persons WHERE project_id = ${project} AND ${chosen(tx, project, choice)} ORDER BY id`
  const ids = locked.map(({ id }) => id)
  if (meant.map(({ id }) => id).join() !== ids.join())
    throw new IdentityConflict('the persons to delete changed meanwhile')
  return ids
}

function chosen(tx: TransactionSql, project: number, choice: PersonChoice) {
  if ('uuids' in choice) return tx`uuid = ANY(${choice.uuids.filter(isUuid)}::uuid[])`
  if ('ids' in choice) return tx`id = ANY(${choice.ids as number[]}::bigint[])`
  return tx`id IN (SELECT person_id FROM person_distinct_ids
                   WHERE project_id = ${project} AND distinct_id = ANY(${choice.distinctIds as string[]}::text[]))`
}

async function everythingAbout(tx: TransactionSql, project: number, ids: number[]): Promise<DeletedPerson[]> {
  const found = await tx<(PersonRecord & { everyDistinctId: string[]; formerUuids: string[] })[]>`
    SELECT ${personColumns(tx)},
           ARRAY(SELECT distinct_id FROM person_distinct_ids WHERE person_id = p.id) AS "everyDistinctId",
           ARRAY(SELECT old_person_uuid FROM person_overrides WHERE project_id = ${project} AND person_uuid = p.uuid) AS "formerUuids"
    FROM persons p WHERE p.id = ANY(${ids}::bigint[]) ORDER BY p.id`
  return found.map(({ everyDistinctId, formerUuids, ...record }) => ({
    ...personOf(record),
    everyDistinctId,
    formerUuids,
  }))
}
