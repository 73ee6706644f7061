import type { WebGoal, WebGoalsQuery } from '../../../contract/queries/index.ts'
import { and, type Fragment, ident, join, or, sql } from '../../../engines/clickhouse-sql.ts'
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
const COLUMNS = ['converting_users', 'total_conversions', 'conversion_rate'] as const

export async function runGoals(
  query: WebGoalsQuery,
  plan: WebPlan,
  facts: Facts,
  runner: Asker,
): Promise<WebFields<'WebGoalsQuery'>> {
  const { actions } = facts.definitions ?? NO_DEFINITIONS
  const goals: readonly WebGoal[] =
    query.goals ?? [...actions.values()].slice(0, MOST_GOALS).map(({ id }) => ({ actionId: id }))
  const compared = plan.previous !== undefined
  const options = { compared, label: 'action_name' }
  if (goals.length === 0) return tableFields([], query, COLUMNS, options)
  const [visitors] = await runner.ask<Record<string, number>>(
    sql`SELECT ${both('visitors', (when) => sql`uniqExactArrayIf(persons, ${when})`)} FROM (${sessionRows({ ...plan, goal: undefined })})`,
  )
  const [row] = await runner.ask<Record<string, number>>(goalsStatement(goals, plan, facts))
  const value = (name: string): number => row?.[name] ?? 0
  const rate = (at: number, suffix: string): number | null => {
    const all = visitors?.[`visitors${suffix}`] ?? 0
    return all === 0 ? null : value(`users_${at}${suffix}`) / all
  }
  const rows = goals.map(
    (goal, at): TableRow => ({
      label:
        'customEventName' in goal ? goal.customEventName : (actions.get(goal.actionId)?.name ?? String(goal.actionId)),
      converting_users: value(`users_${at}`),
      converting_users_before: value(`users_${at}_before`),
      total_conversions: value(`total_${at}`),
      total_conversions_before: value(`total_${at}_before`),
      conversion_rate: rate(at, ''),
      conversion_rate_before: rate(at, '_before'),
    }),
  )
  const { name, descending } = orderedColumn(query, COLUMNS)
  const sorted = rows.toSorted((a, b) => (Number(a[name]) - Number(b[name])) * (descending ? -1 : 1))
  const from = query.offset ?? 0
  return tableFields(sorted.slice(from), query, COLUMNS, options)
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
  return sql`SELECT ${join(columns, ', ')} FROM (
    SELECT ${person} AS person, ${periodColumns(plan)}, ${join(flags, ', ')}
    FROM ${scope.from()} WHERE ${and([...eventConditionsOf(plan, scope), or(reached)])}
  )`
}
