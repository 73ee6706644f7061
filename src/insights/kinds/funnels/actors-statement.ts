import { and, type Fragment, or, sql } from '../../../engines/clickhouse-sql.ts'
import { scopeOf } from '../../plan/plan.ts'
import { matchColumns } from '../../sql/actors.ts'
import { funnelActor, funnelConditions, stepConditions } from './conditions.ts'
import type { FunnelPlan } from './plan.ts'

/**
 * Everybody in `actors` with the events of the steps they did: one row an actor. Of sessions, the persons they belong
 * to.
 */
export function stepEventsOf(plan: FunnelPlan, actors: Fragment): Fragment {
  const scope = scopeOf(plan)
  const shown = plan.bySession ? scope.person() : scope.actor(plan.groupIndex)
  const where = and([
    ...funnelConditions(plan, scope),
    or(stepConditions(plan, scope)),
    sql`${funnelActor(plan, scope)} IN (${actors})`,
  ])
  return sql`SELECT ${shown} AS actor, ${matchColumns}
FROM ${scope.from()}
WHERE ${where}
GROUP BY actor`
}
