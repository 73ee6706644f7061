/** Tables by what events are about: pages, screens, the page before, frustration, hours of the week. */
import type { WebStatsTableQuery } from '../../../contract/queries/index.ts'
import { and, type Fragment, join, moment, or, sql, str } from '../../../engines/clickhouse-sql.ts'
import { botFilters } from '../../plan/bots.ts'
import { scopeOf } from '../../plan/plan.ts'
import type { EventScope } from '../../sql/event-scope.ts'
import { conditionsOf } from '../../sql/filter.ts'
import { seriesConditions } from '../../sql/series.ts'
import type { Asker } from './asker.ts'
import type { WebFields } from './fields.ts'
import { cleaned } from './paths.ts'
import type { WebPlan } from './plan.ts'
import { both, type ColumnOfSession, sessionRows } from './session-rows.ts'
import { paged, type TableRow, tableFields } from './table.ts'

interface EventTable {
  readonly events: readonly string[]
  readonly label: Fragment
  /** What a group of events is called, where events are grouped by something that is compared faster. */
  readonly shown?: Fragment
}

export function eventTable(query: WebStatsTableQuery, plan: WebPlan, scope: EventScope): EventTable {
  const text = (key: string) => sql`ifNull(${scope.property({ type: 'event', key })}, '')`
  const path = cleaned(text('$pathname'), plan)
  const zone = str(plan.clock.timezone)
  switch (query.breakdownBy) {
    case 'ScreenName':
      return { events: ['$screen'], label: text('$screen_name') }
    case 'PreviousPage':
      return {
        events: ['$pageview'],
        label: sql`if(${text('$prev_pageview_pathname')} != '', ${cleaned(text('$prev_pageview_pathname'), plan)}, ${text('$referring_domain')})`,
      }
    case 'FrustrationMetrics':
      return { events: ['$rageclick', '$dead_click', '$exception'], label: path }
    case 'WeekdayHour':
      return {
        events: ['$pageview', '$screen'],
        label: sql`toUInt8(toDayOfWeek(e.timestamp, 0, ${zone}) * 24 + toHour(e.timestamp, ${zone}))`,
        shown: sql`concat(toString(intDiv(label, 24)), ' ', leftPad(toString(label % 24), 2, '0'))`,
      }
    default:
      return { events: ['$pageview'], label: query.includeHost ? sql`concat(${text('$host')}, ${path})` : path }
  }
}

/** Conditions on the events of both periods: project, time, filters, bots. */
export function eventConditionsOf(plan: WebPlan, scope: EventScope): Fragment[] {
  return [
    scope.ofProject(),
    or([isIn(plan.range), ...(plan.previous ? [isIn(plan.previous)] : [])]),
    ...conditionsOf(scope, plan.filters, plan.operators),
    ...conditionsOf(scope, botFilters(plan.bots), plan.operators),
  ]
}

const isIn = ({ from, to }: { readonly from: number; readonly to: number }): Fragment =>
  sql`e.timestamp >= ${moment(from)} AND e.timestamp < ${moment(Math.floor(to) + 1)}`

/** In which period an event is. */
export const periodColumns = (plan: WebPlan): Fragment =>
  sql`${isIn(plan.range)} AS is_current, ${plan.previous ? isIn(plan.previous) : sql`0`} AS is_previous`

export const bothPeriods = ({ range, previous }: WebPlan) => ({
  from: Math.min(range.from, previous?.from ?? range.from),
  to: range.to,
})

export async function runEventTable(
  query: WebStatsTableQuery,
  plan: WebPlan,
  runner: Asker,
): Promise<WebFields<'WebStatsTableQuery'>> {
  const scope = scopeOf(plan, bothPeriods(plan))
  const { events, label, shown } = eventTable(query, plan, scope)
  const names = columnsOf(query, plan)
  const person = scope.person()
  const isOfTable = or(events.map((event) => sql`e.event = ${str(event)}`))
  // Filters of sessions join them, so conditions are made before the scope says what it reads from.
  const where = and([...eventConditionsOf(plan, scope), isOfTable])
  const rows = sql`SELECT ${label} AS label, ${person} AS person, e.session_id AS session_id, CAST(e.event, 'String') AS event, ${periodColumns(plan)}
    FROM ${scope.from()} WHERE ${where}`
  const isFrustration = query.breakdownBy === 'FrustrationMetrics'
  const counted = plan.goal === undefined || isFrustration ? counts(rows, query) : conversions(rows, plan)
  const named = shown === undefined ? counted : sql`SELECT * REPLACE (${shown} AS label) FROM (${counted})`
  const statement = withPageFacts(named, query, plan)
  const found = await runner.ask<TableRow>(paged(statement, query, names))
  return tableFields(found, query, names, { compared: plan.previous !== undefined })
}

function counts(rows: Fragment, { breakdownBy }: WebStatsTableQuery): Fragment {
  const columns =
    breakdownBy === 'FrustrationMetrics'
      ? [
          both('rage_clicks', (when) => sql`countIf(event = '$rageclick' AND ${when})`),
          both('dead_clicks', (when) => sql`countIf(event = '$dead_click' AND ${when})`),
          both('errors', (when) => sql`countIf(event = '$exception' AND ${when})`),
        ]
      : [both('visitors', (when) => sql`uniqExactIf(person, ${when})`), both('views', (when) => sql`countIf(${when})`)]
  return sql`SELECT label, ${join(columns, ', ')} FROM (${rows}) GROUP BY label`
}

export const CONVERSION_COLUMNS = ['visitors', 'total_conversions', 'unique_conversions', 'conversion_rate'] as const

/** Whoever did what the row is about, and what is the goal in the same session. */
export function conversions(rows: Fragment, plan: WebPlan): Fragment {
  const goal = plan.goal
  if (goal === undefined) return rows
  const scope = scopeOf(plan, bothPeriods(plan))
  const reached = and([...eventConditionsOf(plan, scope), ...seriesConditions(scope, goal, plan.operators)])
  const columns = [
    both('visitors', (when) => sql`uniqExactIf(person, ${when})`),
    both('total_conversions', (when) => sql`sumIf(conversions, ${when})`),
    both('unique_conversions', (when) => sql`uniqExactIf(person, conversions > 0 AND ${when})`),
    both(
      'conversion_rate',
      (when) => sql`uniqExactIf(person, conversions > 0 AND ${when}) / nullIf(uniqExactIf(person, ${when}), 0)`,
    ),
  ]
  return sql`SELECT label, ${join(columns, ', ')} FROM (
      SELECT seen.*, reached.conversions AS conversions
      FROM (SELECT label, person, session_id, is_current, is_previous FROM (${rows}) GROUP BY ALL) AS seen
      LEFT ANY JOIN (
        SELECT e.session_id AS session_id, count() AS conversions FROM ${scope.from()}
        WHERE ${reached} AND e.session_id != '' GROUP BY e.session_id
      ) AS reached ON reached.session_id = seen.session_id
    ) GROUP BY label`
}

const isPages = ({ breakdownBy }: WebStatsTableQuery): boolean => breakdownBy === 'Page'

function columnsOf(query: WebStatsTableQuery, plan: WebPlan): string[] {
  if (query.breakdownBy === 'FrustrationMetrics') return ['rage_clicks', 'dead_clicks', 'errors']
  if (plan.goal !== undefined) return [...CONVERSION_COLUMNS]
  const ofPages = [
    ...(query.includeBounceRate ? ['bounce_rate'] : []),
    ...(query.includeScrollDepth ? ['average_scroll_percentage', 'scroll_gt80_percentage'] : []),
    ...(query.includeAvgTimeOnPage ? ['avg_time_on_page'] : []),
  ]
  return ['visitors', 'views', ...(isPages(query) ? ofPages : [])]
}

/** What is known of pages besides who saw them: sessions that began there, and what the next event says of it. */
function withPageFacts(counted: Fragment, query: WebStatsTableQuery, plan: WebPlan): Fragment {
  if (!isPages(query) || plan.goal !== undefined) return counted
  const bounces = query.includeBounceRate
    ? sql`SELECT counted.*, began.* EXCEPT label FROM (${counted}) AS counted ${bounceJoin(query, plan)}`
    : counted
  return query.includeScrollDepth || query.includeAvgTimeOnPage
    ? sql`SELECT counted.*, leaving.* EXCEPT label FROM (${bounces}) AS counted ${leaveJoin(query, plan)}`
    : bounces
}

function bounceJoin(query: WebStatsTableQuery, plan: WebPlan): Fragment {
  const label = (of: ColumnOfSession) => {
    const path = cleaned(of('$entry_pathname'), plan)
    return query.includeHost ? sql`concat(${of('$entry_hostname')}, ${path})` : path
  }
  return sql`LEFT ANY JOIN (
    SELECT label, ${both('bounce_rate', (when) => sql`avgOrNullIf(is_bounce, ${when})`)}
    FROM (${sessionRows({ ...plan, goal: undefined }, { columns: { label } })}) GROUP BY label
  ) AS began ON began.label = counted.label`
}

/** SDKs tell of a page when it is left, with the next event: how far was scrolled (0 to 1), and how long it took. */
function leaveJoin(query: WebStatsTableQuery, plan: WebPlan): Fragment {
  const scope = scopeOf(plan, bothPeriods(plan))
  const text = (key: string) => sql`ifNull(${scope.property({ type: 'event', key })}, '')`
  const number = (key: string) => sql`toFloat64OrNull(${text(key)})`
  const path = cleaned(text('$prev_pageview_pathname'), plan)
  const label = query.includeHost ? sql`concat(${text('$host')}, ${path})` : path
  const left = sql`e.event IN ('$pageview', '$pageleave') AND ${text('$prev_pageview_pathname')} != ''`
  const where = and([...eventConditionsOf(plan, scope), left])
  return sql`LEFT ANY JOIN (
    SELECT label, ${both('average_scroll_percentage', (when) => sql`avgOrNullIf(scrolled, isNotNull(scrolled) AND ${when})`)},
      ${both('scroll_gt80_percentage', (when) => sql`avgOrNullIf(scrolled > 0.8, isNotNull(scrolled) AND ${when})`)},
      ${both('avg_time_on_page', (when) => sql`avgOrNullIf(seconds, isNotNull(seconds) AND ${when})`)}
    FROM (
      SELECT ${label} AS label, ${number('$prev_pageview_max_content_percentage')} AS scrolled,
        ${number('$prev_pageview_duration')} AS seconds, ${periodColumns(plan)}
      FROM ${scope.from()} WHERE ${where}
    ) GROUP BY label
  ) AS leaving ON leaving.label = counted.label`
}
