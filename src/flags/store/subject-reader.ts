/** Reads what is stored about somebody who asks for flags: one indexed read, shared and kept for a second. */
import type { Sql } from '../../engines/postgres/index.ts'
import type { Json, JsonObject } from '../../lib/json.ts'
import type { ProjectFlags, StoredSubject } from '../rules/definition.ts'
import { BatchedCache } from './batched-cache.ts'
import type { BehaviourCohorts } from './behaviour-cohorts.ts'
import { type HashKeys, writeHashKeys } from './hash-keys.ts'
import {
  groupKeyOf,
  groupsAsked,
  loadGroups,
  loadHashKeys,
  loadPersons,
  NO_GROUP,
  NO_KEYS,
  NOBODY,
  personKeyOf,
  type StoredGroup,
  type StoredPerson,
} from './load-subjects.ts'

/** How old a stored person may be that flags are decided by. */
const FRESH_MS = 1000

export interface Asker {
  readonly distinctId: string
  readonly anonDistinctId?: string | undefined
  readonly groups: Readonly<Record<string, Json>>
}

const NO_GROUPS: ReadonlyMap<number, JsonObject> = new Map()

export class SubjectReader {
  readonly #sql: Sql
  readonly #behaviour: BehaviourCohorts
  readonly #persons: BatchedCache<StoredPerson>
  readonly #groups: BatchedCache<StoredGroup>
  readonly #hashKeys: BatchedCache<HashKeys>

  constructor(
    sql: Sql,
    behaviour: BehaviourCohorts,
    { freshMs = FRESH_MS, patienceMs }: { readonly freshMs?: number; readonly patienceMs?: number } = {},
  ) {
    const times = { freshMs, ...(patienceMs === undefined ? {} : { patienceMs }) }
    this.#sql = sql
    this.#behaviour = behaviour
    this.#persons = new BatchedCache<StoredPerson>({
      load: (keys) => loadPersons(sql, keys),
      missing: NOBODY,
      ...times,
      bytesOf: ({ bytes }) => bytes,
    })
    this.#groups = new BatchedCache<StoredGroup>({
      load: (keys) => loadGroups(sql, keys),
      missing: NO_GROUP,
      ...times,
      bytesOf: ({ bytes }) => bytes,
    })
    this.#hashKeys = new BatchedCache<HashKeys>({
      load: (keys) => loadHashKeys(sql, keys),
      missing: NO_KEYS,
      ...times,
      bytesOf: ({ size }) => size * 200,
    })
  }

  /**
   * What these flags need; null when it cannot be read now. Without a promise when all of it is known. A visitor who
   * has just been identified gets hash keys stored before the answer.
   */
  read(project: ProjectFlags, asker: Asker): StoredSubject | null | Promise<StoredSubject | null> {
    const { needs, projectId } = project
    const person =
      needs.person || needs.staticCohorts ? this.#persons.get(personKeyOf(projectId, asker.distinctId)) : NOBODY
    const groups = needs.groupTypes.length > 0 ? this.#readGroups(project, asker) : NO_GROUPS
    const keys = needs.hashKeys ? this.#readHashKeys(project, asker) : NO_KEYS
    const behaviour = needs.behaviouralCohorts.length > 0 ? this.#behaviour.ready(project) : null
    if (person instanceof Promise || groups instanceof Promise || keys instanceof Promise || behaviour !== null)
      return Promise.all([person, groups, keys, behaviour]).then(([a, b, c]) => this.#subject(project, a, b, c))
    return this.#subject(project, person, groups, keys)
  }

  #subject(
    { projectId }: ProjectFlags,
    person: StoredPerson | null,
    groups: ReadonlyMap<number, JsonObject> | null,
    hashKeys: HashKeys | null,
  ): StoredSubject | null {
    if (person === null || groups === null || hashKeys === null) return null
    const { uuid } = person
    return {
      person: uuid === '' ? null : person,
      groups,
      hashKeys,
      staticCohorts: person.cohorts,
      isIn: (cohort) => this.#behaviour.isIn(projectId, cohort, uuid),
    }
  }

  #readGroups(
    project: ProjectFlags,
    { groups }: Asker,
  ): ReadonlyMap<number, JsonObject> | null | Promise<ReadonlyMap<number, JsonObject> | null> {
    const asked = groupsAsked(project, groups).map(
      ([index, key]): [number, StoredGroup | null | Promise<StoredGroup | null>] => [
        index,
        this.#groups.get(groupKeyOf(project.projectId, index, key)),
      ],
    )
    if (asked.length === 0) return NO_GROUPS
    return Promise.all(asked.map(async ([index, group]) => [index, await group] as const)).then((found) => {
      const known = new Map<number, JsonObject>()
      for (const [index, group] of found) {
        if (group === null) return null
        known.set(index, group.properties)
      }
      return known
    })
  }

  #readHashKeys(project: ProjectFlags, asker: Asker): HashKeys | null | Promise<HashKeys | null> {
    const { distinctId, anonDistinctId: anon } = asker
    if (anon === undefined || anon === distinctId) return this.#hashKeys.get(personKeyOf(project.projectId, distinctId))
    return this.#keepExperience(project, distinctId, anon)
  }

  /** For every flag that the person has none for: what decided while it was anonymous. */
  async #keepExperience(
    { projectId, flags }: ProjectFlags,
    distinctId: string,
    anon: string,
  ): Promise<HashKeys | null> {
    const [own, before] = await Promise.all([
      this.#hashKeys.get(personKeyOf(projectId, distinctId)),
      this.#hashKeys.get(personKeyOf(projectId, anon)),
    ])
    if (own === null || before === null) return null
    const missing = flags
      .filter(({ stored }) => stored.active && stored.ensure_experience_continuity && !own.has(stored.key))
      .map(({ stored }) => [stored.key, before.get(stored.key) ?? anon] as const)
    if (missing.length === 0) return own
    try {
      await writeHashKeys(this.#sql, { project: projectId, id: distinctId }, new Map(missing))
    } catch {
      return null
    }
    // Another request may have been first: what is stored counts.
    this.#hashKeys.forget(personKeyOf(projectId, distinctId))
    return this.#hashKeys.get(personKeyOf(projectId, distinctId))
  }
}
