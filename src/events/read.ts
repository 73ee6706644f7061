import {
  and,
  type ClickHouse,
  type Fragment,
  int,
  Param,
  type QueryOptions,
  sql,
  str,
  strings,
  uint,
  uuid,
} from '../engines/clickhouse/index.ts'
import { uuidAsNumber } from './rows.ts'

/** Reads events: newest first, page by page. */
interface EventQuery {
  readonly project: number
  readonly event?: string
  readonly distinctIds?: readonly string[]
  /** ms since epoch with a fraction, exact to the microsecond; both exclusive. */
  readonly after?: number
  readonly before?: number
  /** For persons that were deleted or never existed: the uuid of their events. */
  readonly personId?: string
  /** Further conditions, and `events AS e` joined with the tables they need. */
  readonly source?: { readonly from: Fragment; readonly where: Fragment }
  readonly cursor?: EventCursor
  /** How many to skip, when there is no cursor. */
  readonly offset?: number
  readonly limit: number
}

/** The last event of a page: the next page begins after it. */
export interface EventCursor {
  readonly timestamp: string
  readonly uuid: string
}

export interface StoredEvent {
  readonly uuid: string
  readonly event: string
  readonly distinct_id: string
  /** ISO 8601, microseconds. */
  readonly timestamp: string
  /** JSON text, exactly as stored. */
  readonly properties: string
  readonly elements_chain: string
}

const COLUMNS = sql`
  toString(e.uuid) AS uuid, e.event AS event, e.distinct_id AS distinct_id, formatDateTime(e.timestamp, '%Y-%m-%dT%H:%i:%S.%fZ', 'UTC') AS timestamp,
  e.properties AS properties, e.elements_chain AS elements_chain`

/** `moment` is exact to the millisecond only; a bound between two events must not be rounded past one of them. */
const exactMoment = (ms: number): Fragment => sql`fromUnixTimestamp64Micro(${int(Math.round(ms * 1000))}, 'UTC')`

export async function listEvents(
  clickhouse: ClickHouse,
  query: EventQuery,
  options: QueryOptions = {},
): Promise<{ events: StoredEvent[]; next: EventCursor | null }> {
  const conditions: Fragment[] = [sql`e.project_id = ${uint(query.project)}`]
  if (query.event !== undefined) conditions.push(sql`e.event = ${str(query.event)}`)
  if (query.distinctIds) conditions.push(sql`e.distinct_id IN ${strings(query.distinctIds)}`)
  if (query.personId !== undefined) conditions.push(sql`e.person_id = ${uuid(query.personId)}`)
  if (query.after !== undefined) conditions.push(sql`e.timestamp > ${exactMoment(query.after)}`)
  if (query.before !== undefined) conditions.push(sql`e.timestamp < ${exactMoment(query.before)}`)
  if (query.source) conditions.push(query.source.where)
  if (query.cursor) {
    const { timestamp, uuid: last } = query.cursor
    const at = sql`parseDateTime64BestEffort(${str(timestamp)}, 6, 'UTC')`
    conditions.push(sql`e.timestamp <= ${at}`, sql`(e.timestamp, toString(e.uuid)) < (${at}, ${str(last)})`)
  }
  const { rows } = await clickhouse.query<StoredEvent>(
    sql`SELECT ${COLUMNS} FROM ${query.source?.from ?? sql`events AS e`} WHERE ${and(conditions)}
      ORDER BY e.timestamp DESC, toString(e.uuid) DESC LIMIT ${uint(query.limit + 1)} OFFSET ${uint(query.offset ?? 0)}`,
    options,
  )
  const events = rows.slice(0, query.limit)
  const last = events.at(-1)
  return { events, next: rows.length > query.limit && last ? { timestamp: last.timestamp, uuid: last.uuid } : null }
}

/** One event by its uuid. `event_uuids` has its time, so only that day is read. */
export async function findEvent(clickhouse: ClickHouse, project: number, id: string): Promise<StoredEvent | undefined> {
  const { rows } = await clickhouse.query<StoredEvent>(sql`
    SELECT ${COLUMNS} FROM events AS e
    WHERE e.project_id = ${uint(project)} AND e.uuid = ${uuid(id)} AND e.timestamp IN (
      SELECT timestamp FROM event_uuids WHERE project_id = ${uint(project)} AND uuid = ${new Param('UInt128', BigInt(uuidAsNumber(id)))})
    LIMIT 1`)
  return rows[0]
}
