/** The breakdown value of a step's event; the values that are not among the most frequent are one. */
import { and, type Fragment, ident, join, or, sql, str, uint } from '../../engines/clickhouse/index.ts'
import { type BreakdownPlan, DEFAULT_BREAKDOWN_LIMIT } from '../plan/breakdown.ts'
import { scopeOf } from '../plan/plan.ts'
import { breakdownValue } from '../sql/breakdown.ts'
import type { EventScope } from '../sql/event-scope.ts'
import { funnelConditions, stepConditions } from './conditions.ts'
import type { FunnelPlan } from './plan.ts'

export const OTHER = 'Other'

/** Array(String), empty without a breakdown. */
export function attributedValue(plan: FunnelPlan, scope: EventScope): Fragment {
  const { breakdown } = plan
  if (breakdown === undefined) return sql`CAST([], 'Array(String)')`
  const values = breakdown.parts.map((part) => breakdownValue(scope, part))
  const all = sql`[${join(values, ', ')}]`
  const isTop = sql`(${join(values, ', ')}) IN (${topValues(plan, breakdown)})`
  const others = breakdown.parts.map(() => str(OTHER))
  return sql`if(${isTop}, ${all}, [${join(others, ', ')}])`
}

/** By the number of events of any step. */
function topValues(plan: FunnelPlan, breakdown: BreakdownPlan): Fragment {
  const scope = scopeOf(plan)
  const names = breakdown.parts.map((_, index) => ident(`v${index}`))
  const columns = breakdown.parts.map(
    (part, index) => sql`${breakdownValue(scope, part)} AS ${names[index] as Fragment}`,
  )
  const where = and([...funnelConditions(plan, scope), or(stepConditions(plan, scope))])
  return sql`SELECT ${join(columns, ', ')}
  FROM ${scope.from()}
  WHERE ${where}
  GROUP BY ${join(names, ', ')}
  ORDER BY count() DESC, ${join(
    names.map((name) => sql`${name} DESC`),
    ', ',
  )}
  LIMIT ${uint(breakdown.limit ?? DEFAULT_BREAKDOWN_LIMIT)}`
}
