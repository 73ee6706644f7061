import { type ClickHouse, sql as ch, type Fragment, strings, uint } from '../../engines/clickhouse/index.ts'
import type { Sql } from '../../engines/postgres/index.ts'

/** What the properties belong to: events (some or all), persons, or the groups of a type. */
export interface ShareQuestion {
  readonly project: number
  readonly type: 'event' | 'person' | 'group'
  readonly groupTypeIndex: number | undefined
  readonly eventNames: readonly string[] | undefined
}

interface Listed {
  readonly name: string
  readonly count: number
  readonly groupTypeIndex: number | null
}

/** The sample size for persons and groups. Their ids are hashes, so the first ones are a fair sample. */
const MOST_LOOKED_AT = 100_000
const MOST_SECONDS = 5

/**
 * The share of events, persons or groups that have each of the listed properties, 0 to 1; null when that takes too
 * long. For events it is the ratio of the stored counts. Persons and groups have a property or not, however often it
 * was sent, so a sample of them is read.
 */
export async function propertyShares(
  engines: { readonly sql: Sql; readonly clickhouse: ClickHouse },
  question: ShareQuestion,
  listed: readonly Listed[],
  signal?: AbortSignal,
): Promise<(property: Listed) => number | null> {
  if (listed.length === 0) return () => null
  if (question.type === 'event') {
    const events = await countedEvents(engines.sql, question)
    return ({ count }) => (events > 0 ? Math.min(1, count / events) : null)
  }
  try {
    const shares = await looked(engines.clickhouse, question, listed, signal)
    return ({ name, groupTypeIndex }) => shares.get(`${groupTypeIndex ?? 0}/${name}`) ?? 0
  } catch (error) {
    // A picker without shares is better than none.
    if (signal?.aborted) throw error
    return () => null
  }
}

async function countedEvents(sql: Sql, { project, eventNames }: ShareQuestion): Promise<number> {
  const [row] = await sql<[{ events: number }]>`
    SELECT coalesce(sum(count), 0)::float8 AS events FROM event_definitions WHERE project_id = ${project}
    ${eventNames && eventNames.length > 0 ? sql`AND name = ANY(${eventNames as string[]}::text[])` : sql``}`
  return row.events
}

async function looked(
  clickhouse: ClickHouse,
  { project, type, groupTypeIndex }: ShareQuestion,
  listed: readonly Listed[],
  signal: AbortSignal | undefined,
): Promise<Map<string, number>> {
  const names = strings(listed.map(({ name }) => name))
  const { rows } = await clickhouse.query<{ kind: number; name: string; share: number }>(
    ch`WITH some AS (${type === 'person' ? persons(project) : groups(project, groupTypeIndex)})
      SELECT kind, name, count() / any(all) AS share
      FROM (
        SELECT kind, arrayJoin(arrayMap(pair -> pair.1,
          arrayFilter(pair -> pair.2 != 'null' AND has(${names}, pair.1), JSONExtractKeysAndValuesRaw(properties)))) AS name
        FROM some) AS had
      INNER JOIN (SELECT kind, count() AS all FROM some GROUP BY kind) AS counted USING kind
      GROUP BY kind, name`,
    { signal, maxSeconds: MOST_SECONDS },
  )
  return new Map(rows.map(({ kind, name, share }) => [`${kind}/${name}`, Number(share)]))
}

const persons = (project: number): Fragment => ch`
  SELECT 0 AS kind, properties FROM persons FINAL WHERE project_id = ${uint(project)} AND is_deleted = 0
  ORDER BY id LIMIT ${uint(MOST_LOOKED_AT)}`

const groups = (project: number, index: number | undefined): Fragment => ch`
  SELECT toUInt8(group_type_index) AS kind, properties FROM groups FINAL WHERE project_id = ${uint(project)}
    ${index === undefined ? ch`` : ch`AND group_type_index = ${uint(index)}`}
  LIMIT ${uint(MOST_LOOKED_AT)} BY group_type_index`
