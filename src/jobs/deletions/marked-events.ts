import {
  and,
  type ClickHouse,
  type Fragment,
  ident,
  type MutationWatch,
  mutate,
  or,
  Param,
  sql,
  strings,
  uint,
  uuids,
} from '../../engines/clickhouse/index.ts'
import { idHashInClickHouse } from './id-hash.ts'
import type { Deletion } from './queue.ts'

/**
 * The events that the open requests of one project cover, and how to count and remove them. Ids are compared by hash.
 */
interface MarkedEvents {
  readonly project: number
  readonly where: Fragment
  requestOf(idHash: string, personUuid: string): Deletion | undefined
}

/**
 * A request covers an event that has a distinct id of the person, or the uuid of the person or of one merged into it,
 * and was received before the request. `elsewhere` are hashes of distinct ids that a split gave to other persons while
 * their events still have the old uuid.
 */
export function markEvents(
  project: number,
  deletions: readonly Deletion[],
  elsewhere: readonly string[],
): MarkedEvents {
  const byId = new Map<string, Deletion>()
  const byUuid = new Map<string, Deletion>()
  for (const deletion of deletions) {
    for (const id of deletion.idHashes) byId.set(id, newer(deletion, byId.get(id)))
    for (const uuid of [deletion.personUuid, ...deletion.formerUuids])
      byUuid.set(uuid, newer(deletion, byUuid.get(uuid)))
  }
  const ids = [...byId.keys()]
  const personUuids = [...byUuid.keys()]
  const limit = (key: Fragment, found: ReadonlyMap<string, Deletion>) =>
    sql`toUnixTimestamp64Milli(received_at) <= transform(${key}, ${strings([...found.keys()])}, ${new Param(
      'Array(Int64)',
      [...found.values()].map(({ requestedAt }) => requestedAt.getTime()),
    )}, toInt64(0))`
  return {
    project,
    where: and([
      sql`project_id = ${uint(project)}`,
      or([
        sql`${idHashInClickHouse} IN ${strings(ids)} AND ${limit(idHashInClickHouse, byId)}`,
        sql`person_id IN ${uuids(personUuids)} AND ${idHashInClickHouse} NOT IN ${strings(elsewhere)} AND ${limit(sql`toString(person_id)`, byUuid)}`,
      ]),
    ]),
    requestOf: (idHash, personUuid) => byId.get(idHash) ?? byUuid.get(personUuid),
  }
}

const newer = (a: Deletion, b: Deletion | undefined): Deletion => (b && b.requestedAt > a.requestedAt ? b : a)

/** How many events of each request are left, or points of heatmaps. */
export async function countMarked(
  clickhouse: ClickHouse,
  marked: MarkedEvents,
  table: 'events' | 'heatmaps' = 'events',
): Promise<Map<number, number>> {
  const { rows } = await clickhouse.query<{ id: string; person: string; events: number }>(sql`
    SELECT ${idHashInClickHouse} AS id, toString(person_id) AS person, count() AS events FROM ${ident(table)}
    WHERE ${marked.where} GROUP BY id, person_id`)
  const counts = new Map<number, number>()
  for (const { id, person, events } of rows) {
    const request = marked.requestOf(id, person)
    if (request) counts.set(request.id, (counts.get(request.id) ?? 0) + Number(events))
  }
  return counts
}

/**
 * Rewrites the parts that hold such events without them: afterwards they are no longer on disk. Rows of `event_uuids`
 * and of `sessions` go first, while the events still exist to name them. A session goes as a whole, also when somebody
 * else had a part in it: where it began and on which device may be of the erased person.
 */
export async function eraseMarked(clickhouse: ClickHouse, marked: MarkedEvents, watch: MutationWatch): Promise<void> {
  const erase = (table: string, where: Fragment) => mutate(clickhouse, { table, change: sql`DELETE`, where }, watch)
  await erase(
    'event_uuids',
    sql`project_id = ${uint(marked.project)} AND uuid IN (
      SELECT reinterpretAsUInt128(reverse(unhex(replaceAll(toString(uuid), '-', '')))) FROM events WHERE ${marked.where})`,
  )
  await erase(
    'sessions',
    sql`project_id = ${uint(marked.project)} AND session_id IN (
      SELECT session_id FROM events WHERE ${marked.where} AND session_id != '')`,
  )
  await erase('events', marked.where)
}

/** Points of heatmaps; they may have come without an event. Returns how many of each request are left. */
export async function erasePoints(
  clickhouse: ClickHouse,
  marked: MarkedEvents,
  watch: MutationWatch,
): Promise<Map<number, number>> {
  if ((await countMarked(clickhouse, marked, 'heatmaps')).size === 0) return new Map()
  await mutate(clickhouse, { table: 'heatmaps', change: sql`DELETE`, where: marked.where }, watch)
  return countMarked(clickhouse, marked, 'heatmaps')
}
