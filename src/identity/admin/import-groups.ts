import { propertyTexts } from '../../engines/clickhouse/index.ts'
import type { TransactionSql } from '../../engines/postgres/index.ts'
import type { JsonObject } from '../../lib/json.ts'
import { jsonText, storableObject } from '../rules/storable.ts'
import type { GroupRow } from '../rules/types.ts'
import { clickhouseTime } from '../store/clickhouse-rows.ts'

interface ImportedGroupType {
  readonly group_type: string
  readonly group_type_index: number
  readonly name_singular: string | null
  readonly name_plural: string | null
}

/** A group type keeps its index if that is free; otherwise its first event will get another. */
export async function importGroupTypes(
  tx: TransactionSql,
  project: number,
  types: readonly ImportedGroupType[],
): Promise<void> {
  for (const { group_type, group_type_index, name_singular, name_plural } of types)
    await tx`
      INSERT INTO group_types (project_id, group_type, group_type_index, name_singular, name_plural)
      VALUES (${project}, ${group_type}, ${group_type_index}, ${name_singular}, ${name_plural}) ON CONFLICT DO NOTHING`
}

interface ImportedGroup {
  readonly group_type: string
  readonly group_key: string
  readonly created_at: string
  readonly properties: JsonObject
}

interface StoredGroup {
  readonly group_type_index: number
  readonly group_key: string
  readonly created_at: number
  readonly properties: JsonObject
  readonly version: number
}

/**
 * Imports groups with their final properties. A group is skipped when its type has no index, because all five are
 * taken.
 */
export async function importGroups(
  tx: TransactionSql,
  project: number,
  groups: readonly ImportedGroup[],
): Promise<GroupRow[]> {
  const rows = await tx<StoredGroup[]>`
    INSERT INTO groups AS old (project_id, group_type_index, group_key, properties, created_at)
    SELECT ${project}, t.group_type_index, new.group_key, new.properties::jsonb, new.created_at::timestamptz
    FROM unnest(${groups.map(({ group_type }) => group_type)}::text[], ${groups.map(({ group_key }) => group_key)}::text[],
                ${groups.map(({ properties }) => jsonText(storableObject(properties)))}::text[], ${groups.map(({ created_at }) => created_at)}::text[])
         AS new (group_type, group_key, properties, created_at)
    JOIN group_types t ON t.project_id = ${project} AND t.group_type = new.group_type
    ORDER BY t.group_type_index, new.group_key
    ON CONFLICT (project_id, group_type_index, group_key) DO UPDATE
      SET properties = excluded.properties, created_at = least(old.created_at, excluded.created_at), version = old.version + 1
      WHERE old.properties <> excluded.properties OR old.created_at > excluded.created_at
    RETURNING group_type_index, group_key, properties, (extract(epoch FROM created_at) * 1000)::float8 AS created_at, version`
  return rows.map((group) => ({
    project_id: project,
    group_type_index: group.group_type_index,
    group_key: group.group_key,
    created_at: clickhouseTime(group.created_at),
    properties: jsonText(group.properties),
    props: propertyTexts(group.properties),
    version: group.version,
  }))
}
