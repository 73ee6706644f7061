import type { WebGoal, WebGoalsQuery } from '../../../contract/queries/index.ts'
import { and, type Fragment, ident, join, or, sql, uint } from '../../../engines/clickhouse-sql.ts'
import { NO_DEFINITIONS } from '../../definitions/definitions.ts'
import type { Facts } from '../../facts/facts.ts'
import { scopeOf } from '../../plan/plan.ts'
import { seriesConditions } from '../../sql/series.ts'
import type { Asker } from './asker.ts'
import { bothPeriods, eventConditionsOf, periodColumns } from './event-table.ts'
import type { WebFields } from './fields.ts'
import { goalNode, type WebPlan } from './plan.ts'
import { both, sessionRows } from './session-rows.ts'
import { orderedColumn, type TableRow, tableFields } from './table.ts'

const MOST_GOALS = 20
const MOST_OWN_EVENTS = 10
const COLUMNS = ['converting_users', 'total_conversions', 'conversion_rate'] as const

export async function runGoals(
  query: WebGoalsQuery,
  plan: WebPlan,
  facts: Facts,
  runner: Asker,
): Promise<WebFields<'WebGoalsQuery'>> {
  const { actions } = facts.definitions ?? NO_DEFINITIONS
  const chosen: readonly WebGoal[] =
    query.goals ?? [...actions.values()].slice(0, MOST_GOALS).map(({ id }) => ({ actionId: id }))
  const goals = query.includeEvents
    ? [...chosen, ...(await ownEvents(plan, runner, MOST_GOALS - chosen.length))]
    : chosen
  const compared = plan.previous !== undefined
  const options = { compared, label: 'action_name' }
  if (goals.length === 0) return { ...tableFields([], query, COLUMNS, options), goals: [] }
  const [visitors] = await runner.ask<Record<string, number>>(
    sql`SELECT ${both('visitors', (when) => sql`uniqExactArrayIf(persons, ${when})`)} FROM (${sessionRows({ ...plan, goal: undefined })})`,
  )
  const [row] = await runner.ask<Record<string, number>>(goalsStatement(goals, plan, facts))
  const value = (name: string): number => row?.[name] ?? 0
  const rate = (at: number, suffix: string): number | null => {
    const all = visitors?.[`visitors${suffix}`] ?? 0
    return all === 0 ? null : value(`users_${at}${suffix}`) / all
  }
  const rows = goals.map((goal, at): { goal: WebGoal; row: TableRow } => ({
    goal,
    row: {
      label:
        'customEventName' in goal ? goal.customEventName : (actions.get(goal.actionId)?.name ?? String(goal.actionId)),
      converting_users: value(`users_${at}`),
      converting_users_before: value(`users_${at}_before`),
      total_conversions: value(`total_${at}`),
      total_conversions_before: value(`total_${at}_before`),
      conversion_rate: rate(at, ''),
      conversion_rate_before: rate(at, '_before'),
    },
  }))
  const { name, descending } = orderedColumn(query, COLUMNS)
  const sorted = rows
    .toSorted(({ row: a }, { row: b }) => (Number(a[name]) - Number(b[name])) * (descending ? -1 : 1))
    .slice(query.offset ?? 0)
  const fields = tableFields(
    sorted.map(({ row: each }) => each),
    query,
    COLUMNS,
    options,
  )
  return { ...fields, goals: sorted.slice(0, fields.results.length).map(({ goal }) => goal) }
}

/** Events that the project named itself, by how many visitors did them. Those of SDKs begin with "$". */
async function ownEvents(plan: WebPlan, runner: Asker, most: number): Promise<WebGoal[]> {
  if (most <= 0) return []
  const current: WebPlan = { ...plan, previous: undefined }
  const scope = scopeOf(current, plan.range)
  const person = scope.person()
  const where = and([...eventConditionsOf(current, scope), sql`NOT startsWith(e.event, '$') AND e.session_id != ''`])
  const rows = await runner.ask<{ name: string }>(
    sql`SELECT CAST(e.event, 'String') AS name, uniq(${person}) AS visitors FROM ${scope.from()}
    WHERE ${where}
    GROUP BY name ORDER BY visitors DESC, name LIMIT ${uint(Math.min(most, MOST_OWN_EVENTS))}`,
  )
  return rows.map(({ name }) => ({ customEventName: name }))
}

/** All goals in one pass over the events. */
function goalsStatement(goals: readonly WebGoal[], plan: WebPlan, facts: Facts): Fragment {
  const scope = scopeOf(plan, bothPeriods(plan))
  const person = scope.person()
  const reached = goals.map((goal, at) =>
    and(seriesConditions(scope, goalNode(goal, facts, ['goals', at]), plan.operators)),
  )
  const flags = reached.map((condition, at) => sql`${condition} AS ${ident(`reached_${at}`)}`)
  const columns = goals.flatMap((_, at) => [
    both(`users_${at}`, (when) => sql`uniqExactIf(person, ${ident(`reached_${at}`)} AND ${when})`),
    both(`total_${at}`, (when) => sql`countIf(${ident(`reached_${at}`)} AND ${when})`),
  ])
  const where = and([...eventConditionsOf(plan, scope), or(reached)])
  return sql`SELECT ${join(columns, ', ')} FROM (
    SELECT ${person} AS person, ${periodColumns(plan)}, ${join(flags, ', ')}
    FROM ${scope.from()} WHERE ${where}
  )`
}
