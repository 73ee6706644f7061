/** Recordings as a table: a row for each session that has one, made from its minutes. */
import { type Fragment, ident, join, sql, str, uint } from '../../engines/clickhouse-sql.ts'
import { joinedOn, type PersonTables } from './people-tables.ts'
import type { Source } from './scope.ts'
import type { Field, View, ViewContext } from './view.ts'

/** Of all minutes of a session. `active` needs the bits of each minute put together first. */
const COLUMNS: Readonly<Record<string, Fragment>> = {
  session_id: sql`m.session_id`,
  distinct_id: sql`min(m.distinct_id).2`,
  min_first_timestamp: sql`toDateTime64(min(m.first_at), 3, 'UTC')`,
  max_last_timestamp: sql`toDateTime64(max(m.last_at), 3, 'UTC')`,
  start_time: sql`toDateTime64(min(m.first_at), 3, 'UTC')`,
  end_time: sql`toDateTime64(max(m.last_at), 3, 'UTC')`,
  duration: sql`dateDiff('second', min(m.first_at), max(m.last_at))`,
  first_url: sql`min(m.start_url).2`,
  click_count: sql`sum(m.click_count)`,
  keypress_count: sql`sum(m.keypress_count)`,
  mouse_activity_count: sql`sum(m.mouse_activity_count)`,
  active_milliseconds: sql`sum(m.active_seconds) * 1000`,
  console_log_count: sql`sum(m.console_log_count)`,
  console_warn_count: sql`sum(m.console_warn_count)`,
  console_error_count: sql`sum(m.console_error_count)`,
  size: sql`sum(m.bytes)`,
  event_count: sql`sum(m.event_count)`,
  message_count: sql`sum(m.event_count)`,
  snapshot_source: sql`toString(min(m.snapshot_source))`,
  snapshot_library: sql`toString(min(m.lib))`,
}
export const RECORDING_COLUMNS: readonly string[] = Object.keys(COLUMNS)
const TIMES = new Set(['min_first_timestamp', 'max_last_timestamp', 'start_time', 'end_time'])

const STORED: Readonly<Record<string, string>> = {
  first_at: 'min',
  last_at: 'max',
  distinct_id: 'min',
  start_url: 'min',
  snapshot_source: 'min',
  lib: 'min',
  click_count: 'sum',
  keypress_count: 'sum',
  mouse_activity_count: 'sum',
  console_log_count: 'sum',
  console_warn_count: 'sum',
  console_error_count: 'sum',
  event_count: 'sum',
  bytes: 'sum',
}

/** Seconds at most five apart count as active throughout: gaps of up to four zeros are filled. */
const WIDE = [1, 2, 3, 4].reduce((all, by) => sql`bitOr(${all}, bitShiftLeft(bits, ${uint(by)}))`, sql`bits`)
const FILLED = [1, 2, 3, 4].reduce((all, by) => sql`bitAnd(${all}, bitShiftRight(${WIDE}, ${uint(by)}))`, WIDE)

const merged = Object.entries(STORED).map(
  ([column, by]) => sql`${ident(by)}(minutes.${ident(column)}) AS ${ident(column)}`,
)

const minutesOf = ({ projectId }: ViewContext): Fragment => sql`(
  SELECT *, bitCount(${FILLED}) AS active_seconds FROM (
    SELECT session_id, minute, groupBitOr(active) AS bits, ${join(merged, ', ')}
    FROM recording_minutes AS minutes
    WHERE project_id = ${uint(projectId)} AND expires_at > now()
    GROUP BY session_id, minute)) AS m`

export const recordingsView = (context: ViewContext, people: PersonTables): View => viewOf(context, people, COLUMNS)

/** Where the first address is kept as a state that argMinMerge reads, so `*` leaves it out. */
export const rawRecordingsView = (context: ViewContext, people: PersonTables): View => ({
  ...viewOf(context, people, { ...COLUMNS, first_url: sql`argMinState(m.start_url.2, m.first_at)` }),
  columns: RECORDING_COLUMNS.filter((name) => name !== 'first_url'),
})

function viewOf(context: ViewContext, people: PersonTables, columns: Readonly<Record<string, Fragment>>): View {
  const needed = new Set<string>()
  let distinctIds: Source | undefined
  const column = (name: string): Field | undefined => {
    if (!Object.hasOwn(columns, name)) return undefined
    needed.add(name)
    const value = sql`r.${ident(name)}`
    const isShifted = TIMES.has(name) && context.timezone !== 'UTC'
    return {
      value: isShifted ? sql`toTimeZone(${value}, ${str(context.timezone)})` : value,
      kind: 'other',
      nullable: false,
    }
  }
  return {
    columns: RECORDING_COLUMNS,
    field([name = '', ...path]) {
      if (path.length === 0) return column(name)
      if (name !== 'person' && name !== 'pdi') return undefined
      needed.add('distinct_id')
      distinctIds ??= people.distinctIds(context)
      const found = distinctIds.field(name === 'pdi' ? path : ['person', ...path])
      return found && { ...found, nullable: true }
    },
    from() {
      const values = [...new Set(['session_id', ...needed])].map(
        (name) => sql`${columns[name] as Fragment} AS ${ident(name)}`,
      )
      const joined = distinctIds
        ? sql` LEFT ANY JOIN ${joinedOn(distinctIds, 'distinct_id', sql`r.distinct_id`)}`
        : sql``
      return sql`(SELECT ${join(values, ', ')} FROM ${minutesOf(context)} GROUP BY m.session_id) AS r${joined}`
    },
  }
}
