import { type ClickHouse, propertyTexts } from '../../engines/clickhouse/index.ts'
import type { Sql } from '../../engines/postgres/index.ts'
import type { JsonObject } from '../../lib/json.ts'
import { jsonText } from '../rules/storable.ts'
import type { CohortPersonRow, GroupRow, PersonOverrideRow, PersonRow } from '../rules/types.ts'
import { clickhouseTime } from '../store/clickhouse-rows.ts'

const AT_ONCE = 2_000

interface Stored {
  readonly created_at: number
  readonly properties: JsonObject
}

/**
 * Copies all persons, overrides, groups and cohort members to ClickHouse, into empty tables. Deleted persons need no
 * row there: only an existing copy would have to be marked as deleted.
 */
export async function copyIdentities(
  sql: Sql,
  clickhouse: ClickHouse,
  onTable: (table: string) => void = () => {},
): Promise<void> {
  const send = async (table: string, rows: AsyncIterable<readonly object[]>) => {
    onTable(table)
    for await (const some of rows)
      await clickhouse.insert(table, `${some.map((row) => JSON.stringify(row)).join('\n')}\n`)
  }
  await send(
    'persons',
    mapped(
      sql<StoredPerson[]>`
    SELECT project_id, uuid AS id, (extract(epoch FROM created_at) * 1000)::float8 AS created_at, properties, version,
           is_identified::int AS is_identified, 0 AS is_deleted FROM persons`.cursor(AT_ONCE),
      personCopy,
    ),
  )
  await send(
    'person_overrides',
    sql<PersonOverrideRow[]>`
    SELECT project_id, old_person_uuid AS old_person_id, person_uuid AS person_id, 0 AS is_deleted, version
    FROM person_overrides`.cursor(AT_ONCE),
  )
  await send(
    'groups',
    mapped(
      sql<StoredGroup[]>`
    SELECT project_id, group_type_index, group_key, (extract(epoch FROM created_at) * 1000)::float8 AS created_at, properties, version
    FROM groups`.cursor(AT_ONCE),
      groupCopy,
    ),
  )
  // The version of the last change: above all rows still in the outbox, below all future ones.
  await send(
    'cohort_people',
    sql<CohortPersonRow[]>`
    SELECT p.project_id, m.cohort_id, p.uuid AS person_id, 0 AS is_deleted, (SELECT last_value FROM cohort_people_versions) AS version
    FROM cohort_people m JOIN persons p ON p.id = m.person_id`.cursor(AT_ONCE),
  )
}

type StoredPerson = Omit<PersonRow, 'created_at' | 'properties' | 'props'> & Stored
type StoredGroup = Omit<GroupRow, 'created_at' | 'properties' | 'props'> & Stored

const personCopy = (row: StoredPerson): PersonRow => ({ ...row, ...copied(row) })
const groupCopy = (row: StoredGroup): GroupRow => ({ ...row, ...copied(row) })

const copied = ({ created_at, properties }: Stored) => ({
  created_at: clickhouseTime(created_at),
  properties: jsonText(properties),
  props: propertyTexts(properties),
})

async function* mapped<A, B>(pages: AsyncIterable<readonly A[]>, row: (stored: A) => B): AsyncGenerator<B[]> {
  for await (const page of pages) yield page.map(row)
}
