/** What is stored of somebody, as far as the flags of a project need it. */
import type { Statements } from '../../engines/postgres/index.ts'
import type { JsonObject } from '../../lib/json.ts'
import type { ProjectFlags, StoredSubject } from '../rules/definition.ts'

export interface Asked {
  readonly distinctId: string
  /** Type of group -> key of the group. */
  readonly groups: JsonObject
}

/** Whether a person is in each of these cohorts, as the engine answers it. */
export type AskMemberships = (personUuid: string, cohorts: readonly number[]) => Promise<ReadonlyMap<number, boolean>>

export async function readSubject(
  sql: Statements,
  { projectId, needs, groupTypes }: ProjectFlags,
  { distinctId, groups }: Asked,
  askMemberships: AskMemberships,
): Promise<StoredSubject> {
  const [person] = await sql<{ id: number; uuid: string; properties: JsonObject; created_at: Date }[]>`
    SELECT p.id, p.uuid, p.properties, p.created_at FROM person_distinct_ids d JOIN persons p ON p.id = d.person_id
    WHERE d.project_id = ${projectId} AND d.distinct_id = ${distinctId.replaceAll('\0', '\uFFFD')}`
  const hashKeys = person
    ? await sql<{ flag_key: string; hash_key: string }[]>`
        SELECT DISTINCT ON (h.flag_key) h.flag_key, h.hash_key FROM feature_flag_hash_keys h
        JOIN person_distinct_ids d ON d.project_id = h.project_id AND d.distinct_id = h.distinct_id
        WHERE h.project_id = ${projectId} AND d.person_id = ${person.id} ORDER BY h.flag_key, h.created_at`
    : []
  const inCohorts = person
    ? await sql<{ cohort_id: number }[]>`SELECT cohort_id FROM cohort_people WHERE person_id = ${person.id}`
    : []
  const memberships =
    person && needs.behaviouralCohorts.length > 0
      ? await askMemberships(person.uuid, needs.behaviouralCohorts)
      : new Map<number, boolean>()
  return {
    person: person
      ? { uuid: person.uuid, properties: person.properties, createdAt: person.created_at.getTime() }
      : null,
    groups: await readGroups(sql, projectId, groupTypes, groups),
    hashKeys: new Map(hashKeys.map(({ flag_key, hash_key }) => [flag_key, hash_key])),
    staticCohorts: new Set(inCohorts.map(({ cohort_id }) => cohort_id)),
    isIn: (cohort) => ({ member: memberships.get(cohort) ?? false, ageMs: 0 }),
  }
}

async function readGroups(
  sql: Statements,
  projectId: number,
  types: ReadonlyMap<number, string>,
  groups: JsonObject,
): Promise<ReadonlyMap<number, JsonObject>> {
  const found = new Map<number, JsonObject>()
  for (const [index, type] of types) {
    const key = groups[type]
    if (typeof key !== 'string' && typeof key !== 'number') continue
    const [group] = await sql<{ properties: JsonObject }[]>`
      SELECT properties FROM groups
      WHERE project_id = ${projectId} AND group_type_index = ${index} AND group_key = ${String(key)}`
    if (group) found.set(index, group.properties)
  }
  return found
}
