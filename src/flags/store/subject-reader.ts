/** Reads what is stored about somebody who asks for flags: one indexed read, shared and kept for a second. */
import type { Sql } from '../../engines/postgres/index.ts'
import { type Json, type JsonObject, parseStoredJson } from '../../lib/json.ts'
import type { ProjectFlags, StoredSubject } from '../rules/definition.ts'
import { BatchedCache } from './batched-cache.ts'
import type { BehaviourCohorts } from './behaviour-cohorts.ts'
import { type HashKeys, readHashKeys, writeHashKeys } from './hash-keys.ts'

/** How old a stored person may be that flags are decided by. */
const FRESH_MS = 1000

interface StoredPerson {
  readonly uuid: string
  readonly properties: JsonObject
  readonly createdAt: number
  readonly cohorts: ReadonlySet<number>
  readonly bytes: number
}

interface StoredGroup {
  readonly properties: JsonObject
  readonly bytes: number
}

export interface Asker {
  readonly distinctId: string
  readonly anonDistinctId?: string | undefined
  readonly groups: Readonly<Record<string, Json>>
}

const NOBODY: StoredPerson = { uuid: '', properties: {}, createdAt: 0, cohorts: new Set(), bytes: 0 }
const NO_GROUP: StoredGroup = { properties: {}, bytes: 0 }
const NO_KEYS: HashKeys = new Map()
const NO_GROUPS: ReadonlyMap<number, JsonObject> = new Map()

export class SubjectReader {
  readonly #sql: Sql
  readonly #behaviour: BehaviourCohorts
  readonly #persons: BatchedCache<StoredPerson>
  readonly #groups: BatchedCache<StoredGroup>
  readonly #hashKeys: BatchedCache<HashKeys>

  constructor(sql: Sql, behaviour: BehaviourCohorts, { freshMs = FRESH_MS }: { readonly freshMs?: number } = {}) {
    this.#sql = sql
    this.#behaviour = behaviour
    this.#persons = new BatchedCache<StoredPerson>({
      load: (keys) => loadPersons(sql, keys),
      missing: NOBODY,
      freshMs,
      bytesOf: ({ bytes }) => bytes,
    })
    this.#groups = new BatchedCache<StoredGroup>({
      load: (keys) => loadGroups(sql, keys),
      missing: NO_GROUP,
      freshMs,
      bytesOf: ({ bytes }) => bytes,
    })
    this.#hashKeys = new BatchedCache<HashKeys>({
      load: (keys) => loadHashKeys(sql, keys),
      missing: NO_KEYS,
      freshMs,
      bytesOf: ({ size }) => size * 200,
    })
  }

  /**
   * What these flags need; null when it cannot be read now. Without a promise when all of it is known. A visitor who
   * has just been identified gets hash keys stored before the answer.
   */
  read(project: ProjectFlags, asker: Asker): StoredSubject | null | Promise<StoredSubject | null> {
    const { needs, projectId } = project
    const person = needs.person || needs.staticCohorts ? this.#persons.get(`${projectId}:${asker.distinctId}`) : NOBODY
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
    { projectId, needs, groupTypes }: ProjectFlags,
    { groups }: Asker,
  ): ReadonlyMap<number, JsonObject> | null | Promise<ReadonlyMap<number, JsonObject> | null> {
    const asked: [number, StoredGroup | null | Promise<StoredGroup | null>][] = []
    for (const index of needs.groupTypes) {
      const type = groupTypes.get(index)
      const key = type !== undefined && Object.hasOwn(groups, type) ? groups[type] : undefined
      if ((typeof key === 'string' && key !== '') || typeof key === 'number')
        asked.push([index, this.#groups.get(`${projectId}:${index}:${key}`)])
    }
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
    if (anon === undefined || anon === distinctId) return this.#hashKeys.get(`${project.projectId}:${distinctId}`)
    return this.#keepExperience(project, distinctId, anon)
  }

  /** For every flag that the person has none for: what decided while it was anonymous. */
  async #keepExperience(
    { projectId, flags }: ProjectFlags,
    distinctId: string,
    anon: string,
  ): Promise<HashKeys | null> {
    const [own, before] = await Promise.all([
      this.#hashKeys.get(`${projectId}:${distinctId}`),
      this.#hashKeys.get(`${projectId}:${anon}`),
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
    this.#hashKeys.forget(`${projectId}:${distinctId}`)
    return this.#hashKeys.get(`${projectId}:${distinctId}`)
  }
}

const splitKey = (key: string): { project: number; id: string } => {
  const at = key.indexOf(':')
  return { project: Number(key.slice(0, at)), id: key.slice(at + 1) }
}

interface PersonRow {
  readonly n: number
  readonly uuid: string
  readonly properties: string
  readonly created_at: Date
  readonly cohorts: readonly number[]
}

async function loadPersons(sql: Sql, keys: readonly string[]): Promise<Map<string, StoredPerson>> {
  const ids = keys.map(splitKey)
  const rows = await sql<PersonRow[]>`
    SELECT asked.n, p.uuid, p.properties::text AS properties, p.created_at,
      ARRAY(SELECT cohort_id FROM cohort_people WHERE person_id = p.id) AS cohorts
    FROM unnest(${ids.map(({ project }) => project)}::int[], ${ids.map(({ id }) => id)}::text[])
      WITH ORDINALITY AS asked (project_id, distinct_id, n)
    JOIN person_distinct_ids d ON d.project_id = asked.project_id AND d.distinct_id = asked.distinct_id
    JOIN persons p ON p.id = d.person_id`
  return new Map(
    rows.map((row) => [
      keys[Number(row.n) - 1] as string,
      {
        uuid: row.uuid,
        properties: parseStoredJson(row.properties) as JsonObject,
        createdAt: row.created_at.getTime(),
        cohorts: new Set(row.cohorts),
        bytes: row.properties.length * 3,
      },
    ]),
  )
}

async function loadGroups(sql: Sql, keys: readonly string[]): Promise<Map<string, StoredGroup>> {
  const asked = keys.map((key) => {
    const { project, id } = splitKey(key)
    const { project: index, id: group } = splitKey(id)
    return { project, index, group }
  })
  const rows = await sql<{ n: number; properties: string }[]>`
    SELECT asked.n, g.properties::text AS properties
    FROM unnest(${asked.map(({ project }) => project)}::int[], ${asked.map(({ index }) => index)}::int[],
      ${asked.map(({ group }) => group)}::text[]) WITH ORDINALITY AS asked (project_id, index, group_key, n)
    JOIN groups g ON g.project_id = asked.project_id AND g.group_type_index = asked.index AND g.group_key = asked.group_key`
  return new Map(
    rows.map(({ n, properties }) => [
      keys[Number(n) - 1] as string,
      { properties: parseStoredJson(properties) as JsonObject, bytes: properties.length * 3 },
    ]),
  )
}

async function loadHashKeys(sql: Sql, keys: readonly string[]): Promise<Map<string, HashKeys>> {
  const found = await readHashKeys(sql, keys.map(splitKey))
  return new Map(keys.map((key, at) => [key, found[at] ?? NO_KEYS]))
}
