import { type ClickHouse, Param, sql, strings, uint } from '../engines/clickhouse/index.ts'
import { uuidAsNumber } from '../events/index.ts'
import { story } from './story.ts'

const ANCHORS = 40

/**
 * The first day of the demo data that a project already has, or null. With another first day the same persons would
 * have events at other times: so a later load continues from the same day.
 */
export async function knownBegin(clickhouse: ClickHouse, project: number): Promise<number | null> {
  const first = story({ begin: 0, end: Number.POSITIVE_INFINITY, visitors: ANCHORS })
  const byNumber = new Map(first.map(({ uuid, at }) => [uuidAsNumber(uuid), at]))
  const { rows } = await clickhouse.query<{ number: string; at: number }>(sql`
    SELECT toString(uuid) AS number, toFloat64(toUnixTimestamp64Milli(timestamp)) AS at FROM event_uuids
    WHERE project_id = ${uint(project)} AND uuid IN ${new Param('Array(UInt128)', [...byNumber.keys()].map(BigInt))} LIMIT 1`)
  const [known] = rows
  return known ? known.at - (byNumber.get(known.number) as number) : null
}

/** Which of these sessions have a recording already. */
export async function knownSessions(
  clickhouse: ClickHouse,
  project: number,
  sessionIds: readonly string[],
): Promise<Set<string>> {
  if (sessionIds.length === 0) return new Set()
  const { rows } = await clickhouse.query<{ session_id: string }>(sql`
    SELECT DISTINCT session_id FROM recording_minutes
    WHERE project_id = ${uint(project)} AND session_id IN ${strings([...sessionIds])}`)
  return new Set(rows.map(({ session_id }) => session_id))
}
