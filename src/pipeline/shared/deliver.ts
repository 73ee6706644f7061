import { type ClickHouse, ClickHouseFailure, type Settings } from '../../engines/clickhouse/index.ts'
import type { OutboxInsert } from '../../engines/outbox.ts'
import {
  EVENT_COLUMNS,
  type EventRow,
  eventRowsAsBinary,
  heatmapRowsAsNdjson,
  packEventRows,
  SESSION_COLUMNS,
  type SessionRow,
  sessionRowsAsBinary,
  sessionRowsOf,
  storedAsEvents,
  UUID_COLUMNS,
  unpackEventRows,
  uuidRowsAsBinary,
} from '../../events/index.ts'
import { backoffMs } from '../../lib/backoff.ts'
import type { Logger } from '../../lib/logger.ts'
import { pause } from '../../lib/pause.ts'
import { type Delivery, encodedRows, linesOfJson } from './delivery.ts'

/** The name under which the outbox keeps event rows: they become rows of several tables. */
export const PACKED_EVENTS = 'packed events with sessions'
/**
 * The same of versions that kept no sessions. They may have inserted the events already, so a job adds these to their
 * sessions (`fill-sessions.ts`), as it does with all events of those versions.
 */
export const PACKED_EVENTS_ONLY = 'packed events'

/**
 * The inserts of an outbox entry, each made when it is asked for. With `rows`, event rows that were packed a moment ago
 * need not be unpacked.
 */
export function* unpacked(entry: OutboxInsert, rows?: readonly EventRow[]): Generator<Delivery> {
  if (!isPacked(entry)) return yield linesOfJson(entry)
  const all = rows ?? unpackEventRows(entry.rows)
  const events = storedAsEvents(all)
  const inSessions = entry.table === PACKED_EVENTS
  const token = (name: string) => `${entry.token}/${name}`
  if (events.length > 0)
    yield encodedRows({
      table: 'events',
      token: token('events'),
      columns: EVENT_COLUMNS,
      items: events,
      encode: (items) => eventRowsAsBinary(items, { inSessions }),
      textOf: textOfEvent,
    })
  const sessions = inSessions ? sessionRowsOf(events) : []
  if (sessions.length > 0)
    yield encodedRows({
      table: 'sessions',
      token: token('sessions'),
      columns: SESSION_COLUMNS,
      settings: ONE_ROW_EACH,
      items: sessions,
      encode: sessionRowsAsBinary,
      textOf: textOfSession,
    })
  const points = heatmapRowsAsNdjson(all)
  if (points) yield linesOfJson({ table: 'heatmaps', token: token('heatmaps'), rows: points })
  // Last, and of every row: a retry is recognised when all of it is stored.
  yield encodedRows({
    table: 'event_uuids',
    token: token('uuids'),
    columns: UUID_COLUMNS,
    items: all,
    encode: uuidRowsAsBinary,
    textOf: textOfEvent,
  })
}

/** A batch has one row of a session and day, so the engine need not look for rows to merge: half of such an insert's work. */
const ONE_ROW_EACH: Settings = { optimize_on_insert: 0 }

const textOfEvent = (row: EventRow): string =>
  `{"project_id":${row.projectId},${packEventRows([row]).toString('utf8', 1).trimEnd()}`
const textOfSession = ({ persons, urls, ...row }: SessionRow): string =>
  JSON.stringify({ project_id: row.projectId, ...row, persons: [...persons], urls: [...urls] })

const isPacked = ({ table }: OutboxInsert): boolean => table === PACKED_EVENTS || table === PACKED_EVENTS_ONLY

/** The event rows of an outbox entry. */
export const eventRowsIn = (entry: OutboxInsert): EventRow[] => (isPacked(entry) ? unpackEventRows(entry.rows) : [])

/**
 * ClickHouse's error codes for a bad row (cannot parse, wrong type, out of range). After any other error the insert is
 * retried.
 */
const ROW_IS_BAD = new Set([6, 26, 27, 38, 41, 53, 69, 70, 72, 117, 130, 131, 349, 376, 407, 467])

/** A row that ClickHouse refuses, and why. */
export interface RefusedRow {
  readonly table: string
  readonly row: string
  readonly error: string
}

/**
 * Delivers rows to ClickHouse: retries under the same token as long as it is away. When ClickHouse refuses a row for
 * its content, or we cannot write it, the insert is halved until only that row is left, so the others are stored; the
 * tokens of the halves are derived from the first, so a repetition inserts nothing twice.
 */
export async function deliver(
  clickhouse: ClickHouse,
  delivery: Delivery,
  context: DeliveryContext,
): Promise<RefusedRow[]> {
  const { table, token, columns, settings = {} } = delivery
  const rows = encoded(delivery)
  if (rows instanceof Error) return halve(clickhouse, delivery, rows, context)
  const insert = () =>
    clickhouse.insert(table, rows, { token, settings, ...(columns ? { binaryColumns: columns } : {}) })
  const refusal = await untilTaken(table, token, insert, context)
  return refusal ? halve(clickhouse, delivery, refusal, context) : []
}

/** A row that our own code cannot write must not stop all that come after it. */
function encoded(delivery: Delivery): Buffer | Error {
  try {
    return delivery.encode()
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

interface DeliveryContext {
  readonly log: Logger
  readonly signal: AbortSignal
}

/** Tries until ClickHouse has taken the rows, or has refused them for their content. */
async function untilTaken(
  table: string,
  token: string,
  insert: () => Promise<unknown>,
  { log, signal }: DeliveryContext,
): Promise<ClickHouseFailure | null> {
  for (let attempt = 0; ; attempt++) {
    try {
      await insert()
      return null
    } catch (error) {
      if (signal.aborted) throw error
      if (error instanceof ClickHouseFailure && ROW_IS_BAD.has(error.code)) return error
      log.warn({ table, token, attempt, error: (error as Error).message }, 'rows wait for ClickHouse')
      await pause(backoffMs(attempt, { firstMs: 100, longestMs: 5_000 }), signal)
    }
  }
}

async function halve(
  clickhouse: ClickHouse,
  delivery: Delivery,
  error: Error,
  context: DeliveryContext,
): Promise<RefusedRow[]> {
  const { table, token, count } = delivery
  if (count <= 1) {
    context.log.error({ table, error: error.message }, 'a row was refused')
    return [{ table, row: delivery.text(), error: error.message }]
  }
  const middle = count >> 1
  return [
    ...(await deliver(clickhouse, delivery.part(0, middle, `${token}/a`), context)),
    ...(await deliver(clickhouse, delivery.part(middle, count, `${token}/b`), context)),
  ]
}
