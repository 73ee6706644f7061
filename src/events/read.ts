import {
  and,
  type ClickHouse,
  type Fragment,
  moment,
  Param,
  type QueryOptions,
  sql,
  str,
  strings,
  uint,
  uuid,
} from '../engines/clickhouse/index.ts'
import { uuidAsNumber } from './rows.ts'

/** Events out: newest first, page by page. */
export interface EventQuery {
  readonly project: number
  readonly event?: string
  readonly distinctIds?: readonly string[]
  /** ms since epoch, both exclusive. */
  readonly after?: number
  readonly before?: number
  /** Further conditions on the row. */
  readonly where?: Fragment
  readonly cursor?: EventCursor
  readonly limit: number
}

/** The last event of a page: the next page is what stands behind it. */
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
  toString(uuid) AS uuid, event, distinct_id, formatDateTime(timestamp, '%Y-%m-%dT%H:%i:%S.%fZ', 'UTC') AS timestamp, properties, elements_chain`

export async function listEvents(
  clickhouse: ClickHouse,
  query: EventQuery,
  options: QueryOptions = {},
): Promise<{ events: StoredEvent[]; next: EventCursor | null }> {
  const conditions: Fragment[] = [sql`project_id = ${uint(query.project)}`]
  if (query.event !== undefined) conditions.push(sql`event = ${str(query.event)}`)
  if (query.distinctIds) conditions.push(sql`distinct_id IN ${strings(query.distinctIds)}`)
  if (query.after !== undefined) conditions.push(sql`events.timestamp > ${moment(query.after)}`)
  if (query.before !== undefined) conditions.push(sql`events.timestamp < ${moment(query.before)}`)
  if (query.where) conditions.push(query.where)
  if (query.cursor) {
    const { timestamp, uuid: last } = query.cursor
    const at = sql`parseDateTime64BestEffort(${str(timestamp)}, 6, 'UTC')`
    conditions.push(
      sql`events.timestamp <= ${at}`,
      sql`(events.timestamp, toString(events.uuid)) < (${at}, ${str(last)})`,
    )
  }
  const { rows } = await clickhouse.query<StoredEvent>(
    sql`SELECT ${COLUMNS} FROM events WHERE ${and(conditions)}
      ORDER BY events.timestamp DESC, toString(events.uuid) DESC LIMIT ${uint(query.limit + 1)}`,
    options,
  )
  const events = rows.slice(0, query.limit)
  const last = events.at(-1)
  return { events, next: rows.length > query.limit && last ? { timestamp: last.timestamp, uuid: last.uuid } : null }
}

/** One event by its uuid. `event_uuids` knows when it was, so only that day is read. */
export async function findEvent(clickhouse: ClickHouse, project: number, id: string): Promise<StoredEvent | undefined> {
  const { rows } = await clickhouse.query<StoredEvent>(sql`
    SELECT ${COLUMNS} FROM events
    WHERE project_id = ${uint(project)} AND events.uuid = ${uuid(id)} AND events.timestamp IN (
      SELECT timestamp FROM event_uuids WHERE project_id = ${uint(project)} AND uuid = ${new Param('UInt128', BigInt(uuidAsNumber(id)))})
    LIMIT 1`)
  return rows[0]
}
