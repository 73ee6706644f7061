/**
 * The sessions a question counts, a row each: session_id, start_at, persons, page_count, lasted (seconds), is_bounce,
 * is_bot, is_hidden, columns that were asked for, and with a goal goal_count and goal_persons. `is_current` and
 * `is_previous` say in which period a session began.
 */
import type { PropertyFilter, PropertyGroup } from '../../../contract/queries/index.ts'
import { and, type Fragment, ident, join, moment, or, sql, uint } from '../../../engines/clickhouse-sql.ts'
import { DAY } from '../../../lib/durations.ts'
import type { DateRange } from '../../plan/date-range.ts'
import { scopeOf } from '../../plan/plan.ts'
import type { EventScope } from '../../sql/event-scope.ts'
import { conditionsOf as eventConditionsOf } from '../../sql/filter.ts'
import { sessionText } from '../../sql/joins.ts'
import { satisfies } from '../../sql/operators.ts'
import { seriesConditions } from '../../sql/series.ts'
import { OF_ONE_ROW, OVER_ROWS, type SessionReading, sessionColumn } from '../../sql/session-columns.ts'
import type { WebPlan } from './plan.ts'

/** The value of a session column in the statement that a label is part of. */
export type ColumnOfSession = (name: string) => Fragment

interface Rows {
  /** More columns, by their names. */
  readonly columns?: Readonly<Record<string, (of: ColumnOfSession) => Fragment>>
  /** Bots that are left out have a row too, in neither period and with `is_hidden`. */
  readonly withHidden?: boolean
}

/**
 * Most sessions have one kept row: it is read as it is, which costs a small part of what grouping costs. Those with
 * more (they lasted over midnight, or the engine has not merged their rows yet) are put together.
 */
export function sessionRows(plan: WebPlan, rows: Rows = {}): Fragment {
  const kept = keptRows(plan)
  const several = sql`(SELECT s.session_key FROM sessions AS s WHERE ${kept} GROUP BY s.session_key HAVING count() > 1)`
  const all = sql`SELECT ${columnsOf(plan, OF_ONE_ROW, rows)} FROM sessions AS s
  WHERE ${kept} AND s.session_key NOT IN ${several} AND ${conditionsOf(plan, OF_ONE_ROW, rows)}
  UNION ALL
  SELECT ${columnsOf(plan, OVER_ROWS, rows)} FROM sessions AS s
  WHERE ${kept} AND s.session_key IN ${several}
  GROUP BY s.session_id
  HAVING ${conditionsOf(plan, OVER_ROWS, rows)}`
  return withConversions(plan, withMatches(plan, plan.hasOverrides ? withSurvivors(plan, all) : all))
}

function columnsOf(plan: WebPlan, reading: SessionReading, { columns = {}, withHidden = false }: Rows): Fragment {
  const { range, previous } = plan
  const of: ColumnOfSession = (name) => sessionColumn(name, plan.channelRules, reading)?.value ?? sql`''`
  const inRange = ({ from, to }: Pick<DateRange, 'from' | 'to'>) =>
    sql`start_at >= ${moment(from)} AND start_at < ${moment(Math.floor(to) + 1)}`
  const counted = (when: Fragment) => (withHidden ? sql`${when} AND NOT ${of('$is_bot')}` : when)
  const more = Object.entries(columns).map(([name, column]) => sql`${column(of)} AS ${ident(name)}`)
  return sql`s.session_id AS session_id, ${of('$start_timestamp')} AS start_at,
    ${counted(inRange(range))} AS is_current, ${previous ? counted(inRange(previous)) : sql`0`} AS is_previous,
    ${withHidden ? sql`${inRange(range)} AND ${of('$is_bot')}` : sql`0`} AS is_hidden,
    ${reading.union(sql`100`, sql`s.persons`)} AS persons, ${of('$pageview_count')} + ${of('$screen_count')} AS page_count,
    ${of('$session_duration')} AS lasted, ${of('$is_bounce')} AS is_bounce,
    ${join([sql`${of('$is_bot')} AS is_bot`, ...more], ', ')}`
}

const conditionsOf = (plan: WebPlan, reading: SessionReading, { withHidden = false }: Rows): Fragment =>
  and([
    withHidden ? sql`is_current OR is_previous OR is_hidden` : sql`is_current OR is_previous`,
    sql`page_count > 0`,
    ...(withHidden || plan.bots === 'include' ? [] : [plan.bots === 'only' ? sql`is_bot` : sql`NOT is_bot`]),
    ...plan.sessionFilters.map((filter) => sessionCondition(plan, reading, filter)),
  ])

/** The kept rows of the project, on days on which sessions of the periods have some: one may last into the next day. */
function keptRows({ projectId, range, previous }: WebPlan): Fragment {
  const days = [range, ...(previous ? [previous] : [])].map(
    ({ from, to }) => sql`s.day >= toDate32(${moment(from - DAY)}) AND s.day <= toDate32(${moment(to + DAY)})`,
  )
  return and([sql`s.project_id = ${uint(projectId)}`, or(days)])
}

function sessionCondition(plan: WebPlan, reading: SessionReading, part: PropertyFilter | PropertyGroup): Fragment {
  if (part.kind === 'group') {
    const parts = part.values.map((each) => sessionCondition(plan, reading, each))
    return part.type === 'AND' ? and(parts) : or(parts)
  }
  const column = sessionColumn(part.key, plan.channelRules, reading)
  return column === undefined ? sql`0` : satisfies(sql`toNullable(${sessionText(column)})`, part, plan.operators)
}

/** Of merged persons, the survivors. */
const withSurvivors = (plan: WebPlan, rows: Fragment): Fragment => sql`
  SELECT r.* EXCEPT (persons), survivors.persons AS persons FROM (${rows}) AS r
  INNER JOIN (
    SELECT session_id, groupUniqArray(if(empty(o.person_id), person, o.person_id)) AS persons
    FROM (
      SELECT s.session_id AS session_id, arrayJoin(s.persons) AS person FROM sessions AS s
      WHERE ${keptRows(plan)}
    ) AS each
    LEFT ANY JOIN (
      SELECT old_person_id, argMax(person_id, version) AS person_id FROM person_overrides
      WHERE project_id = ${uint(plan.projectId)} GROUP BY old_person_id HAVING argMax(is_deleted, version) = 0
    ) AS o ON each.person = o.old_person_id
    GROUP BY session_id
  ) AS survivors ON survivors.session_id = r.session_id`

/** Filters on events: sessions with such an event count, with the pages that fit. */
function withMatches(plan: WebPlan, rows: Fragment): Fragment {
  if (plan.eventFilters.values.length === 0) return rows
  const scope = scopeOf(plan, whole(plan))
  const person = scope.person()
  const where = and([...inSessions(plan, scope), ...eventConditionsOf(scope, plan.eventFilters, plan.operators)])
  return sql`
  SELECT r.* EXCEPT (persons, page_count), matches.persons AS persons, matches.page_count AS page_count FROM (${rows}) AS r
  INNER JOIN (
    SELECT e.session_id AS session_id, groupUniqArray(100)(${person}) AS persons, countIf(e.event IN ('$pageview', '$screen')) AS page_count
    FROM ${scope.from()} WHERE ${where} GROUP BY e.session_id
  ) AS matches ON matches.session_id = r.session_id`
}

function withConversions(plan: WebPlan, rows: Fragment): Fragment {
  if (plan.goal === undefined) return rows
  const scope = scopeOf(plan, whole(plan))
  const person = scope.person()
  const where = and([...inSessions(plan, scope), ...seriesConditions(scope, plan.goal, plan.operators)])
  return sql`
  SELECT r.*, goals.goal_count AS goal_count, goals.goal_persons AS goal_persons FROM (${rows}) AS r
  LEFT ANY JOIN (
    SELECT e.session_id AS session_id, count() AS goal_count, groupUniqArray(100)(${person}) AS goal_persons
    FROM ${scope.from()} WHERE ${where} GROUP BY e.session_id
  ) AS goals ON goals.session_id = r.session_id`
}

/** From the first to the last event that can be in a session of the periods. */
export const whole = ({ range, previous }: WebPlan): { readonly from: number; readonly to: number } => ({
  from: Math.min(range.from, previous?.from ?? range.from),
  to: range.to + DAY,
})

const inSessions = (plan: WebPlan, scope: EventScope): Fragment[] => [
  scope.ofProject(),
  sql`e.session_id != ''`,
  or(
    [plan.range, ...(plan.previous ? [plan.previous] : [])].map(
      ({ from, to }) => sql`e.timestamp >= ${moment(from)} AND e.timestamp < ${moment(to + DAY)}`,
    ),
  ),
]

/** What is counted of sessions, once for each period: `name` and `name_before`. */
export const both = (name: string, aggregate: (when: Fragment) => Fragment): Fragment =>
  join(
    [
      sql`${aggregate(sql`is_current`)} AS ${ident(name)}`,
      sql`${aggregate(sql`is_previous`)} AS ${ident(`${name}_before`)}`,
    ],
    ', ',
  )
