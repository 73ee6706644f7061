import type { TransactionSql } from '../../engines/postgres/index.ts'
import type { CohortPersonRow } from '../rules/types.ts'

/**
 * The members of static cohorts. They are stored in Postgres and change in the transaction that changes a person; the
 * returned rows are for the copy in ClickHouse.
 */
export async function joinCohort(
  tx: TransactionSql,
  cohort: { readonly id: number; readonly project_id: number },
  choice: { readonly uuids: readonly string[] } | { readonly distinctIds: readonly string[] },
): Promise<CohortPersonRow[]> {
  const meant =
    'uuids' in choice
      ? tx`SELECT id FROM persons WHERE project_id = ${cohort.project_id} AND uuid = ANY(${choice.uuids as string[]}::uuid[])`
      : tx`SELECT person_id FROM person_distinct_ids
           WHERE project_id = ${cohort.project_id} AND distinct_id = ANY(${choice.distinctIds as string[]}::text[]) AND person_id IS NOT NULL`
  return tx<CohortPersonRow[]>`
    WITH chosen AS MATERIALIZED (SELECT id, uuid FROM persons WHERE id IN (${meant}) ORDER BY id FOR KEY SHARE),
    joined AS (
      INSERT INTO cohort_people (cohort_id, person_id) SELECT ${cohort.id}, id FROM chosen ON CONFLICT DO NOTHING RETURNING person_id)
    SELECT ${cohort.project_id}::int AS project_id, ${cohort.id}::int AS cohort_id, uuid AS person_id, 0 AS is_deleted,
           nextval('cohort_people_versions') AS version
    FROM joined JOIN chosen ON chosen.id = joined.person_id`
}

export const leaveCohort = (
  tx: TransactionSql,
  cohort: { readonly id: number; readonly project_id: number },
  uuids: readonly string[],
): Promise<CohortPersonRow[]> =>
  tx<CohortPersonRow[]>`
    DELETE FROM cohort_people m USING persons p
    WHERE m.cohort_id = ${cohort.id} AND p.id = m.person_id AND p.project_id = ${cohort.project_id}
      AND p.uuid = ANY(${uuids as string[]}::uuid[])
    RETURNING p.project_id, m.cohort_id, p.uuid AS person_id, 1 AS is_deleted, nextval('cohort_people_versions') AS version`

/** For persons that are being deleted. */
export const leaveAllCohorts = (tx: TransactionSql, ids: readonly number[]): Promise<CohortPersonRow[]> =>
  tx<CohortPersonRow[]>`
    DELETE FROM cohort_people m USING persons p
    WHERE m.person_id = ANY(${ids as number[]}::bigint[]) AND p.id = m.person_id
    RETURNING p.project_id, m.cohort_id, p.uuid AS person_id, 1 AS is_deleted, nextval('cohort_people_versions') AS version`

/** The survivor of a merge joins the cohorts of the merged persons. Must run before these are deleted. */
export async function moveToSurvivors(
  tx: TransactionSql,
  merged: readonly number[],
  survivors: readonly number[],
): Promise<CohortPersonRow[]> {
  const left = await leaveAllCohorts(tx, merged)
  if (left.length === 0) return []
  const joined = await tx<CohortPersonRow[]>`
    WITH moved AS (
      SELECT DISTINCT l.cohort_id, s.id AS person_id, s.project_id, s.uuid
      FROM unnest(${left.map((row) => row.project_id)}::int[], ${left.map((row) => row.cohort_id)}::int[], ${left.map((row) => row.person_id)}::uuid[])
           AS l (project_id, cohort_id, uuid)
      JOIN persons p ON p.project_id = l.project_id AND p.uuid = l.uuid
      JOIN unnest(${merged as number[]}::bigint[], ${survivors as number[]}::bigint[]) AS m (id, survivor) ON m.id = p.id
      JOIN persons s ON s.id = m.survivor),
    joined AS (INSERT INTO cohort_people (cohort_id, person_id) SELECT cohort_id, person_id FROM moved ON CONFLICT DO NOTHING RETURNING *)
    SELECT project_id, cohort_id, uuid AS person_id, 0 AS is_deleted, nextval('cohort_people_versions') AS version
    FROM joined JOIN moved USING (cohort_id, person_id)`
  return [...left, ...joined]
}
