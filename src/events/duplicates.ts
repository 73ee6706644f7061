import { type Fragment, Param, sql, uint } from '../engines/clickhouse/index.ts'
import { uuidAsNumber } from './rows.ts'

interface RowSource {
  query<T>(fragment: Fragment): Promise<{ rows: T[] }>
}

/** A server refuses form fields over 128 KiB, and each uuid takes up to 40 characters. */
const AT_ONCE = 3_000

/**
 * Which of these uuids a project has already stored. `event_uuids` is ordered by uuid, so the cost does not grow with
 * the table.
 */
export async function storedUuids(
  clickhouse: RowSource,
  project: number,
  uuids: readonly string[],
): Promise<Set<string>> {
  const byNumber = new Map(uuids.map((uuid) => [uuidAsNumber(uuid), uuid]))
  const numbers = [...byNumber.keys()].map(BigInt)
  const stored = new Set<string>()
  for (let from = 0; from < numbers.length; from += AT_ONCE) {
    const { rows } = await clickhouse.query<{ number: string }>(sql`
      SELECT DISTINCT toString(uuid) AS number FROM event_uuids
      WHERE project_id = ${uint(project)} AND uuid IN ${new Param('Array(UInt128)', numbers.slice(from, from + AT_ONCE))}`)
    for (const { number } of rows) stored.add(byNumber.get(number) as string)
  }
  return stored
}
