/** What is stored of somebody at this moment, by the statements that SDKs are answered by. */
import type { Statements } from '../../engines/postgres/index.ts'
import type { JsonObject } from '../../lib/json.ts'
import { withoutNul } from '../../lib/without-nul.ts'
import type { ProjectFlags, StoredSubject } from '../rules/definition.ts'
import {
  groupKeyOf,
  groupsAsked,
  loadGroups,
  loadHashKeys,
  loadPersons,
  NO_KEYS,
  personKeyOf,
} from './load-subjects.ts'

export interface Asked {
  readonly distinctId: string
  /** Type of group -> key of the group. */
  readonly groups: JsonObject
}

/** Whether a person is in each of these cohorts, as the engine answers it. */
export type AskMemberships = (personUuid: string, cohorts: readonly number[]) => Promise<ReadonlyMap<number, boolean>>

export async function readSubject(
  sql: Statements,
  project: ProjectFlags,
  { distinctId, groups }: Asked,
  askMemberships: AskMemberships,
): Promise<StoredSubject> {
  const { projectId, needs } = project
  const key = personKeyOf(projectId, withoutNul(distinctId))
  const person = (await loadPersons(sql, [key])).get(key) ?? null
  const hashKeys = (await loadHashKeys(sql, [key])).get(key) ?? NO_KEYS
  const asked = groupsAsked(project, groups).map(
    ([index, group]) => [index, groupKeyOf(projectId, index, group)] as const,
  )
  const found =
    asked.length > 0
      ? await loadGroups(
          sql,
          asked.map(([, group]) => group),
        )
      : new Map()
  const memberships =
    person !== null && needs.behaviouralCohorts.length > 0
      ? await askMemberships(person.uuid, needs.behaviouralCohorts)
      : new Map<number, boolean>()
  return {
    person,
    groups: new Map(asked.map(([index, group]) => [index, found.get(group)?.properties ?? {}])),
    hashKeys,
    staticCohorts: person?.cohorts ?? new Set(),
    isIn: (cohort) => ({ member: memberships.get(cohort) ?? false, ageMs: 0 }),
  }
}
