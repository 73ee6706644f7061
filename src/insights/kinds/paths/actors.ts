import type { PathsQuery } from '../../../contract/queries/index.ts'
import { sql } from '../../../engines/clickhouse-sql.ts'
import type { Facts } from '../../facts/facts.ts'
import { scopeOf } from '../../plan/plan.ts'
import { type ActorSelection, matchColumns } from '../../sql/actors.ts'
import { planPaths } from './plan.ts'
import { actorsOfPath, pathEvents } from './statement.ts'

/** Those who took the way that pathStartKey, pathEndKey or pathDropoffKey tell. */
export function pathActors(query: PathsQuery, facts: Facts): ActorSelection {
  const plan = planPaths(query, facts)
  const scope = scopeOf(plan)
  const actor = scope.actor(plan.groupIndex)
  const { from, where } = pathEvents(plan, scope, [sql`${actor} IN (${actorsOfPath(plan)})`])
  const statement = sql`SELECT ${actor} AS actor, ${matchColumns}
FROM ${from}
WHERE ${where}
GROUP BY actor`
  return { statement, groupIndex: plan.groupIndex }
}
