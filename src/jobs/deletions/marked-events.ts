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
import { inPieces } from '../../lib/in-pieces.ts'
import { idHashInClickHouse } from './id-hash.ts'
import type { Deletion } from './queue.ts'

/**
 * The events that the open requests of one project cover, and how to count and remove them. Ids are compared by hash.
 */
interface MarkedEvents {
  readonly project: number
  readonly where: Fragment
  /** The same events, by several conditions that are each short enough for a mutation. */
  readonly pieces: readonly Fragment[]
  requestOf(idHash: string, personUuid: string): Deletion | undefined
}

/**
 * The most ids and the most uuids of one mutation. Its values stand in the address of the request, and its text in a node
 * of ZooKeeper on a cluster: each holds 1 MiB. An id takes up to 160 bytes, and a uuid 110.
 */
const IDS_IN_MUTATION = 2_000

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
  const limit = (key: Fragment, values: readonly string[], found: ReadonlyMap<string, Deletion>) =>
    sql`toUnixTimestamp64Milli(received_at) <= transform(${key}, ${strings(values)}, ${new Param(
      'Array(Int64)',
      values.map((value) => found.get(value)?.requestedAt.getTime()),
    )}, toInt64(0))`
  const whereOf = (ids: readonly string[], personUuids: readonly string[]) =>
    and([
      sql`project_id = ${uint(project)}`,
      or([
        ...(ids.length === 0
          ? []
          : [sql`${idHashInClickHouse} IN ${strings(ids)} AND ${limit(idHashInClickHouse, ids, byId)}`]),
        ...(personUuids.length === 0
          ? []
          : [
              sql`person_id IN ${uuids(personUuids)} AND ${idHashInClickHouse} NOT IN ${strings(elsewhere)}
                AND ${limit(sql`toString(person_id)`, personUuids, byUuid)}`,
            ]),
      ]),
    ])
  const ids = [...byId.keys()]
  const personUuids = [...byUuid.keys()]
  const [idPieces, uuidPieces] = [inPieces(ids, IDS_IN_MUTATION), inPieces(personUuids, IDS_IN_MUTATION)]
  const longer = idPieces.length > uuidPieces.length ? idPieces : uuidPieces
  return {
    project,
    where: whereOf(ids, personUuids),
    pieces: longer.map((_, at) => whereOf(idPieces[at] ?? [], uuidPieces[at] ?? [])),
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
  for (const where of marked.pieces) {
    await erase(
      'event_uuids',
      sql`project_id = ${uint(marked.project)} AND uuid IN (
      SELECT reinterpretAsUInt128(reverse(unhex(replaceAll(toString(uuid), '-', '')))) FROM events WHERE ${where})`,
    )
    await erase(
      'sessions',
      sql`project_id = ${uint(marked.project)} AND session_id IN (
      SELECT session_id FROM events WHERE ${where} AND session_id != '')`,
    )
    await erase('events', where)
  }
}

/** Points of heatmaps; they may have come without an event. Returns how many of each request are left. */
export async function erasePoints(
  clickhouse: ClickHouse,
  marked: MarkedEvents,
  watch: MutationWatch,
): Promise<Map<number, number>> {
  if ((await countMarked(clickhouse, marked, 'heatmaps')).size === 0) return new Map()
  for (const where of marked.pieces) await mutate(clickhouse, { table: 'heatmaps', change: sql`DELETE`, where }, watch)
  return countMarked(clickhouse, marked, 'heatmaps')
}
