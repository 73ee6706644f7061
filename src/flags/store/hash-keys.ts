/**
 * What rollouts are decided by for somebody who was anonymous before, so that flags with experience continuity do not
 * change their value. Rows are written once and never change; see the table for why they are kept by distinct id.
 */
import type { Sql, Statements } from '../../engines/postgres/index.ts'

/** Flag key -> hash key. */
export type HashKeys = ReadonlyMap<string, string>

export interface IdOfProject {
  readonly project: number
  readonly id: string
}

/** Of the id itself, and of all other ids of its person: for each flag the oldest. */
export async function readHashKeys(sql: Statements, ids: readonly IdOfProject[]): Promise<HashKeys[]> {
  const found = ids.map(() => new Map<string, string>())
  const rows = await sql<{ n: number; flag_key: string; hash_key: string }[]>`
    SELECT asked.n, kept.flag_key, kept.hash_key
    FROM unnest(${ids.map(({ project }) => project)}::int[], ${ids.map(({ id }) => id)}::text[])
      WITH ORDINALITY AS asked (project_id, distinct_id, n)
    CROSS JOIN LATERAL (
      SELECT DISTINCT ON (flag_key) flag_key, hash_key FROM feature_flag_hash_keys h
      WHERE h.project_id = asked.project_id AND h.distinct_id IN (
        SELECT asked.distinct_id
        UNION SELECT same.distinct_id FROM person_distinct_ids own
          JOIN person_distinct_ids same ON same.person_id = own.person_id
          WHERE own.project_id = asked.project_id AND own.distinct_id = asked.distinct_id)
      ORDER BY flag_key, created_at, distinct_id) kept`
  for (const { n, flag_key, hash_key } of rows) found[Number(n) - 1]?.set(flag_key, hash_key)
  return found
}

/** Those that are there already stay. */
export async function writeHashKeys(
  sql: Sql,
  { project, id }: IdOfProject,
  keys: ReadonlyMap<string, string>,
): Promise<void> {
  // In one order, so that two requests for the same id do not wait for each other in a circle.
  const sorted = [...keys].sort(([a], [b]) => (a < b ? -1 : 1))
  await sql`
    INSERT INTO feature_flag_hash_keys (project_id, distinct_id, flag_key, hash_key)
    SELECT ${project}, ${id}, * FROM unnest(${sorted.map(([key]) => key)}::text[], ${sorted.map(([, hash]) => hash)}::text[])
    ON CONFLICT DO NOTHING`
}

/**
 * Rows of ids that never became a person are of no use after a day: whoever sent them did not identify anybody. Called
 * by a job.
 */
export async function forgetUnusedHashKeys(sql: Sql): Promise<number> {
  const gone = await sql`
    DELETE FROM feature_flag_hash_keys h WHERE created_at < now() - interval '1 day' AND NOT EXISTS (
      SELECT FROM person_distinct_ids d
      WHERE d.project_id = h.project_id AND d.distinct_id = h.distinct_id AND d.person_id IS NOT NULL)`
  return gone.count
}
