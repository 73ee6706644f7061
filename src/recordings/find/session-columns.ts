import { type Fragment, ident, join, sql } from '../../engines/clickhouse/index.ts'

/**
 * The list of recordings is computed from `recording_minutes`, and only from the columns that a query needs: grouping a
 * few numbers is many times cheaper than grouping all columns.
 */
interface Stored {
  readonly aggregate: 'min' | 'max' | 'sum'
  readonly column: string
  /** Stored as (time, value): the value of the earliest is returned. */
  readonly pair?: true
}

const STORED = {
  start_time: { aggregate: 'min', column: 'first_at' },
  end_time: { aggregate: 'max', column: 'last_at' },
  received_at: { aggregate: 'max', column: 'last_received_at' },
  click_count: { aggregate: 'sum', column: 'click_count' },
  keypress_count: { aggregate: 'sum', column: 'keypress_count' },
  mouse_activity_count: { aggregate: 'sum', column: 'mouse_activity_count' },
  console_log_count: { aggregate: 'sum', column: 'console_log_count' },
  console_warn_count: { aggregate: 'sum', column: 'console_warn_count' },
  console_error_count: { aggregate: 'sum', column: 'console_error_count' },
  distinct_id: { aggregate: 'min', column: 'distinct_id', pair: true },
  start_url: { aggregate: 'min', column: 'start_url', pair: true },
  snapshot_source: { aggregate: 'min', column: 'snapshot_source' },
  lib: { aggregate: 'min', column: 'lib' },
} as const satisfies Record<string, Stored>
type StoredColumn = keyof typeof STORED

/** Derived columns, and the columns they need. */
const DERIVED = {
  recording_duration: {
    from: ['start_time', 'end_time'],
    value: sql`toInt64(dateDiff('second', start_time, end_time))`,
  },
  active_seconds: { from: [], value: sql`active_seconds` },
  inactive_seconds: {
    from: ['recording_duration', 'active_seconds'],
    value: sql`greatest(recording_duration - active_seconds, 0)`,
  },
  ongoing: { from: ['received_at'], value: sql`received_at > now() - INTERVAL 5 MINUTE` },
  activity_score: {
    from: [
      'active_seconds',
      'recording_duration',
      'click_count',
      'keypress_count',
      'mouse_activity_count',
      'console_log_count',
      'console_warn_count',
      'console_error_count',
    ],
    value: sql`round(100 * (active_seconds + click_count + keypress_count + console_error_count)
      / greatest(mouse_activity_count + recording_duration + console_error_count + console_log_count + console_warn_count, 1), 2)`,
  },
} as const satisfies Record<string, { from: readonly (StoredColumn | DerivedColumn)[]; value: Fragment }>
type DerivedColumn = 'recording_duration' | 'active_seconds' | 'inactive_seconds' | 'ongoing' | 'activity_score'

export type SessionColumn = Exclude<StoredColumn, 'received_at'> | DerivedColumn
export const SESSION_COLUMNS = [
  ...Object.keys(STORED).filter((column) => column !== 'received_at'),
  ...Object.keys(DERIVED),
] as SessionColumn[]

/** One row for each session whose minutes match the conditions, with these columns. */
export function sessions(conditions: Fragment, columns: readonly SessionColumn[] = SESSION_COLUMNS): Fragment {
  const needed = closure(columns)
  const stored = (Object.keys(STORED) as StoredColumn[]).filter((column) => needed.has(column))
  const derived = (Object.keys(DERIVED) as DerivedColumn[]).filter(
    (column) => needed.has(column) && column !== 'active_seconds',
  )
  const active = needed.has('active_seconds')
  const grouped = active ? groupedByMinute(stored, conditions) : groupedAtOnce(stored, conditions)
  // Derived columns depend on each other in the order of the table above.
  return derived.reduce(
    (inner, column) => sql`SELECT *, ${DERIVED[column].value} AS ${ident(column)} FROM (${inner})`,
    grouped,
  )
}

function closure(columns: readonly (StoredColumn | DerivedColumn)[], found = new Set<string>()): ReadonlySet<string> {
  for (const column of columns) {
    if (found.has(column)) continue
    found.add(column)
    if (column in DERIVED) closure(DERIVED[column as DerivedColumn].from, found)
  }
  return found
}

const groupedAtOnce = (stored: readonly StoredColumn[], conditions: Fragment): Fragment => {
  const values = stored.map((column) => {
    const { aggregate, column: source } = STORED[column]
    return told(column, sql`${ident(aggregate)}(m.${ident(source)})`)
  })
  return sql`SELECT ${join([sql`session_id`, ...values], ', ')} FROM recording_minutes AS m WHERE ${conditions} GROUP BY session_id`
}

/**
 * First the rows of one minute of a session are merged, then the minutes of a session. The active seconds of a minute
 * are bits of a mask; seconds at most five apart count as active throughout, so gaps of up to four zeros are filled.
 */
function groupedByMinute(stored: readonly StoredColumn[], conditions: Fragment): Fragment {
  const inner = stored.map((column) => {
    const { aggregate, column: source } = STORED[column]
    return sql`${ident(aggregate)}(m.${ident(source)}) AS ${ident(`of_${column}`)}`
  })
  const outer = stored.map((column) => told(column, sql`${ident(STORED[column].aggregate)}(${ident(`of_${column}`)})`))
  return sql`
    SELECT ${join([sql`session_id`, sql`toInt64(sum(bitCount(${FILLED}))) AS active_seconds`, ...outer], ', ')}
    FROM (
      SELECT ${join([sql`session_id`, sql`groupBitOr(m.active) AS mask`, sql`${SPREAD} AS wide`, ...inner], ', ')}
      FROM recording_minutes AS m WHERE ${conditions} GROUP BY session_id, minute)
    GROUP BY session_id`
}

const SPREAD = sql`bitOr(bitOr(bitOr(bitOr(mask, bitShiftLeft(mask, 1)), bitShiftLeft(mask, 2)), bitShiftLeft(mask, 3)), bitShiftLeft(mask, 4))`
const FILLED = sql`bitAnd(bitAnd(bitAnd(bitAnd(wide, bitShiftRight(wide, 1)), bitShiftRight(wide, 2)), bitShiftRight(wide, 3)), bitShiftRight(wide, 4))`

const told = (column: StoredColumn, value: Fragment): Fragment =>
  'pair' in STORED[column] ? sql`${value}.2 AS ${ident(column)}` : sql`${value} AS ${ident(column)}`
