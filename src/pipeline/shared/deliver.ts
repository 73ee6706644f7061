import { type ClickHouse, ClickHouseFailure } from '../../engines/clickhouse/index.ts'
import type { OutboxInsert } from '../../engines/outbox.ts'
import {
  type EventRow,
  eventRowsAsNdjson,
  heatmapRowsAsNdjson,
  sessionRowsAsNdjson,
  storedAsEvents,
  unpackEventRows,
  uuidRowsAsNdjson,
} from '../../events/index.ts'
import { backoffMs } from '../../lib/backoff.ts'
import type { Logger } from '../../lib/logger.ts'
import { pause } from '../../lib/pause.ts'

/** The name under which the outbox keeps event rows: they become rows of several tables. */
export const PACKED_EVENTS = 'packed events with sessions'
/**
 * The same of versions that kept no sessions. They may have inserted the events already, so a job adds these to their
 * sessions (`fill-sessions.ts`), as it does with all events of those versions.
 */
export const PACKED_EVENTS_ONLY = 'packed events'

/** The inserts of an outbox entry. With `rows`, event rows that were packed a moment ago need not be unpacked. */
export function unpacked(entry: OutboxInsert, rows?: readonly EventRow[]): OutboxInsert[] {
  if (!isPacked(entry)) return [entry]
  const all = rows ?? unpackEventRows(entry.rows)
  const events = storedAsEvents(all)
  const inSessions = entry.table === PACKED_EVENTS
  const tables: [table: string, token: string, rows: Buffer | undefined][] = [
    ['events', 'events', events.length > 0 ? eventRowsAsNdjson(events, { inSessions }) : undefined],
    ['sessions', 'sessions', inSessions ? sessionRowsAsNdjson(events) : undefined],
    ['heatmaps', 'heatmaps', heatmapRowsAsNdjson(all)],
    // Last, and of every row: a retry is recognised when all of it is stored.
    ['event_uuids', 'uuids', uuidRowsAsNdjson(all)],
  ]
  return tables.flatMap(([table, token, rows]) => (rows ? [{ table, token: `${entry.token}/${token}`, rows }] : []))
}

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
 * its content, the insert is halved until only that row is left, so the others are stored; the tokens of the halves are
 * derived from the first, so a repetition inserts nothing twice.
 */
export async function deliver(
  clickhouse: ClickHouse,
  insert: OutboxInsert,
  context: DeliveryContext,
): Promise<RefusedRow[]> {
  const { table, token, rows } = insert
  const refusal = await untilTaken(table, token, () => clickhouse.insert(table, rows, { token }), context)
  return refusal ? halve(clickhouse, insert, refusal, context) : []
}

export interface DeliveryContext {
  readonly log: Logger
  readonly signal: AbortSignal
}

/** Tries until ClickHouse has taken the rows, or has refused them for their content. */
export async function untilTaken(
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
  insert: OutboxInsert,
  error: Error,
  context: DeliveryContext,
): Promise<RefusedRow[]> {
  const lines = insert.rows.toString('utf8').split('\n').filter(Boolean)
  if (lines.length === 1) {
    context.log.error({ table: insert.table, error: error.message }, 'a row was refused by ClickHouse')
    return [{ table: insert.table, row: lines[0] as string, error: error.message }]
  }
  const middle = lines.length >> 1
  const half = (part: string[], name: string) =>
    deliver(
      clickhouse,
      { table: insert.table, token: `${insert.token}/${name}`, rows: Buffer.from(`${part.join('\n')}\n`) },
      context,
    )
  return [...(await half(lines.slice(0, middle), 'a')), ...(await half(lines.slice(middle), 'b'))]
}
