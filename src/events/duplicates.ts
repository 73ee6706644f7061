import { type Fragment, Param, sql, uint } from '../engines/clickhouse/index.ts'
import { uuidAsNumber } from './rows.ts'

interface RowSource {
  query<T>(fragment: Fragment): Promise<{ rows: T[] }>
}

/** Which of these uuids a project has stored already. `event_uuids` is ordered by them, so the cost does not grow with the table. */
export async function storedUuids(
  clickhouse: RowSource,
  project: number,
  uuids: readonly string[],
): Promise<Set<string>> {
  if (uuids.length === 0) return new Set()
  const byNumber = new Map(uuids.map((uuid) => [uuidAsNumber(uuid), uuid]))
  const { rows } = await clickhouse.query<{ number: string }>(sql`
    SELECT DISTINCT toString(uuid) AS number FROM event_uuids
    WHERE project_id = ${uint(project)} AND uuid IN ${new Param('Array(UInt128)', [...byNumber.keys()].map(BigInt))}`)
  return new Set(rows.map((row) => byNumber.get(row.number) as string))
}
