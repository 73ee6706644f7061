import { propertyTexts } from '../../engines/clickhouse/index.ts'
import type { TransactionSql } from '../../engines/postgres/index.ts'
import { isObject, type JsonObject } from '../../lib/json.ts'
import { groupOf } from '../rules/group-of.ts'
import { GroupSet, type GroupState, hasGroups } from '../rules/group-rules.ts'
import type { NormalisedEvent } from '../rules/normalise.ts'
import { jsonText, storableText } from '../rules/storable.ts'
import type { GroupRow } from '../rules/types.ts'
import { clickhouseTime } from './clickhouse-rows.ts'
import { IdentityConflict } from './conflict.ts'

interface KnownType {
  readonly project: number
  readonly type: string
  readonly index: number
}

/**
 * Group types never change once they are committed, and there are five at most: types that were read once need not be
 * read again. A project that was deleted and created again has a new id, so the cache never becomes stale.
 */
const typesByProject = new Map<number, readonly KnownType[]>()

/** Reads the groups of a batch. No statement when it names none, or only known types. */
export async function loadGroups(tx: TransactionSql, events: readonly NormalisedEvent[]): Promise<GroupSet> {
  const naming = events.filter(hasGroups)
  if (naming.length === 0) return new GroupSet([], [])
  const types = await typesOf(tx, naming)
  const index = new Map(types.map((known) => [`${known.project}:${known.type}`, known.index]))
  const wanted = naming.flatMap((event) => {
    const group = groupOf(event)
    const typeIndex = group ? index.get(`${event.project}:${group.type}`) : undefined
    return group && typeIndex !== undefined ? [{ project: event.project, typeIndex, key: group.key }] : []
  })
  if (wanted.length === 0) return new GroupSet(types, [])
  const groups = await tx<(Omit<GroupState, 'createdAt'> & { createdAt: number })[]>`
    SELECT DISTINCT ON (g.project_id, g.group_type_index, g.group_key) g.project_id AS project, g.group_type_index AS "typeIndex",
           g.group_key AS key, g.properties, (extract(epoch FROM g.created_at) * 1000)::float8 AS "createdAt", g.version, g.version AS "storedVersion"
    FROM unnest(${wanted.map((w) => w.project)}::int[], ${wanted.map((w) => w.typeIndex)}::int[], ${wanted.map((w) => w.key)}::text[])
         AS k (project_id, group_type_index, group_key)
    JOIN groups g ON g.project_id = k.project_id AND g.group_type_index = k.group_type_index AND g.group_key = k.group_key`
  return new GroupSet(types, groups)
}

async function typesOf(tx: TransactionSql, naming: readonly NormalisedEvent[]): Promise<KnownType[]> {
  const projects = new Map<number, Set<string>>()
  for (const event of naming) {
    const names = projects.get(event.project) ?? new Set()
    projects.set(event.project, names)
    if (isObject(event.properties.$groups))
      for (const name of Object.keys(event.properties.$groups)) names.add(storableText(name))
    const group = groupOf(event)
    if (group) names.add(group.type)
  }
  const missing = [...projects].filter(([project, names]) => {
    const known = typesByProject.get(project) ?? []
    return known.length < 5 && [...names].some((name) => !known.some(({ type }) => type === name))
  })
  if (missing.length > 0) {
    const rows = await tx<KnownType[]>`
      SELECT project_id AS project, group_type AS type, group_type_index AS index FROM group_types
      WHERE project_id = ANY(${missing.map(([project]) => project)}::int[])`
    for (const [project] of missing)
      typesByProject.set(
        project,
        rows.filter((row) => row.project === project),
      )
  }
  return [...projects.keys()].flatMap((project) => typesByProject.get(project) ?? [])
}

export async function writeGroups(tx: TransactionSql, set: GroupSet): Promise<GroupRow[]> {
  if (set.newTypes.length > 0) {
    const types = set.newTypes.toSorted((a, b) => a.project - b.project || a.index - b.index)
    const added = await tx`
      INSERT INTO group_types (project_id, group_type, group_type_index)
      SELECT * FROM unnest(${types.map((t) => t.project)}::int[], ${types.map((t) => t.type)}::text[], ${types.map((t) => t.index)}::smallint[])
      ON CONFLICT DO NOTHING`
    expectAll(added.count, types.length)
  }
  const all = [...set.groups.values()].toSorted(
    (a, b) => a.project - b.project || a.typeIndex - b.typeIndex || (a.key < b.key ? -1 : 1),
  )
  const created = all.filter((group) => group.storedVersion === null)
  const changed = all.filter((group) => group.storedVersion !== null && group.storedVersion !== group.version)
  if (created.length > 0) {
    const added = await tx`
      INSERT INTO groups (project_id, group_type_index, group_key, properties, created_at, version)
      SELECT project_id, group_type_index, group_key, properties::jsonb, to_timestamp(created_at / 1000), version
      FROM unnest(${created.map((g) => g.project)}::int[], ${created.map((g) => g.typeIndex)}::smallint[], ${created.map((g) => g.key)}::text[],
                  ${created.map((g) => jsonText(g.properties))}::text[], ${created.map((g) => g.createdAt)}::float8[], ${created.map((g) => g.version)}::bigint[])
           AS new (project_id, group_type_index, group_key, properties, created_at, version)
      ON CONFLICT DO NOTHING`
    expectAll(added.count, created.length)
  }
  if (changed.length > 0) {
    await tx`
      SELECT 1 FROM groups g JOIN unnest(${changed.map((g) => g.project)}::int[], ${changed.map((g) => g.typeIndex)}::int[], ${changed.map((g) => g.key)}::text[])
        AS k (project_id, group_type_index, group_key) USING (project_id, group_type_index, group_key)
      ORDER BY g.project_id, g.group_type_index, g.group_key FOR UPDATE OF g`
    const updated = await tx`
      UPDATE groups g SET properties = new.properties::jsonb, version = new.version
      FROM unnest(${changed.map((g) => g.project)}::int[], ${changed.map((g) => g.typeIndex)}::int[], ${changed.map((g) => g.key)}::text[],
                  ${changed.map((g) => jsonText(g.properties))}::text[], ${changed.map((g) => g.version)}::bigint[], ${changed.map((g) => g.storedVersion)}::bigint[])
           AS new (project_id, group_type_index, group_key, properties, version, stored_version)
      WHERE g.project_id = new.project_id AND g.group_type_index = new.group_type_index AND g.group_key = new.group_key
        AND g.version = new.stored_version`
    expectAll(updated.count, changed.length)
  }
  return [...created, ...changed].map(groupRow)
}

const groupRow = (group: GroupState): GroupRow => ({
  project_id: group.project,
  group_type_index: group.typeIndex,
  group_key: group.key,
  created_at: clickhouseTime(group.createdAt),
  properties: jsonText(group.properties as JsonObject),
  props: propertyTexts(group.properties as JsonObject),
  version: group.version,
})

function expectAll(count: number, expected: number): void {
  if (count !== expected) throw new IdentityConflict('a group changed meanwhile')
}
