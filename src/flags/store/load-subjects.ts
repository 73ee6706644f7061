/** The statements that read what is stored about people and groups, for many of them at once. */
import type { Statements } from '../../engines/postgres/index.ts'
import { type Json, type JsonObject, parseStoredJson } from '../../lib/json.ts'
import type { ProjectFlags } from '../rules/definition.ts'
import { type HashKeys, readHashKeys } from './hash-keys.ts'

export interface StoredPerson {
  readonly uuid: string
  readonly properties: JsonObject
  readonly createdAt: number
  readonly cohorts: ReadonlySet<number>
  readonly bytes: number
}

export interface StoredGroup {
  readonly properties: JsonObject
  readonly bytes: number
}

export const NOBODY: StoredPerson = { uuid: '', properties: {}, createdAt: 0, cohorts: new Set(), bytes: 0 }
export const NO_GROUP: StoredGroup = { properties: {}, bytes: 0 }
export const NO_KEYS: HashKeys = new Map()

/** Keys name one person or group of one project. */
export const personKeyOf = (project: number, distinctId: string): string => `${project}:${distinctId}`
export const groupKeyOf = (project: number, index: number, key: string | number): string => `${project}:${index}:${key}`

/** The groups that somebody asks for, as far as flags need them. */
export function groupsAsked(
  { needs, groupTypes }: ProjectFlags,
  groups: Readonly<Record<string, Json>>,
): [index: number, key: string | number][] {
  return needs.groupTypes.flatMap((index): [number, string | number][] => {
    const type = groupTypes.get(index)
    const key = type !== undefined && Object.hasOwn(groups, type) ? groups[type] : undefined
    return (typeof key === 'string' && key !== '') || typeof key === 'number' ? [[index, key]] : []
  })
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

export async function loadPersons(sql: Statements, keys: readonly string[]): Promise<Map<string, StoredPerson>> {
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

export async function loadGroups(sql: Statements, keys: readonly string[]): Promise<Map<string, StoredGroup>> {
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

export async function loadHashKeys(sql: Statements, keys: readonly string[]): Promise<Map<string, HashKeys>> {
  const found = await readHashKeys(sql, keys.map(splitKey))
  return new Map(keys.map((key, at) => [key, found[at] ?? NO_KEYS]))
}
