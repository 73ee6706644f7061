import { type ClickHouse, sql as ch, type Fragment } from '../../engines/clickhouse/index.ts'
import type { Sql } from '../../engines/postgres/index.ts'

/** Names of properties whose samples may come from events that are to be erased. */
export interface SampledNames {
  readonly ofEvents: readonly string[]
  readonly ofPersons: readonly string[]
}

/** Must be called before the events are erased: they name the properties. */
export async function sampledNames(clickhouse: ClickHouse, events: Fragment): Promise<SampledNames> {
  const { rows } = await clickhouse.query<{ own: string[]; person: string[] }>(ch`
    SELECT groupUniqArrayArray(JSONExtractKeys(properties)) AS own,
      arrayConcat(groupUniqArrayArray(JSONExtractKeys(person_properties)),
        groupUniqArrayArray(JSONExtractKeys(properties, '$set')),
        groupUniqArrayArray(JSONExtractKeys(properties, '$set_once'))) AS person
    FROM events WHERE ${events}`)
  return { ofEvents: rows[0]?.own ?? [], ofPersons: [...new Set(rows[0]?.person ?? [])] }
}

/**
 * Deletes the samples of these properties; the next events bring new ones. With null, those of all properties of the
 * project: for receipts of earlier versions, whose events are already erased and cannot name the properties.
 */
export async function forgetSamples(sql: Sql, project: number, names: SampledNames | null): Promise<void> {
  const own = names === null ? sql`true` : sql`name = ANY(${[...names.ofEvents]}::text[])`
  const person = names === null ? sql`true` : sql`name = ANY(${[...names.ofPersons]}::text[])`
  const pairs = names === null ? sql`true` : sql`property = ANY(${[...names.ofEvents]}::text[])`
  await sql`
    UPDATE property_definitions SET samples = '[]' WHERE project_id = ${project} AND samples <> '[]'
      AND (type <> 'person' AND ${own} OR type = 'person' AND ${person})`
  await sql`UPDATE event_properties SET samples = '[]' WHERE project_id = ${project} AND samples <> '[]' AND ${pairs}`
}
