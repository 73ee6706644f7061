/** Where actors go from where. */

import type { PathsQuery } from '../../../contract/queries/index.ts'
import { sql } from '../../../engines/clickhouse/index.ts'
import type { InsightContext } from '../../facts/context.ts'
import { scopeOf } from '../../plan/plan.ts'
import type { Conversation } from '../../run/statement-runner.ts'
import { type ActorSelection, matchColumns } from '../../sql/actors.ts'
import { type PathsPlan, planPaths } from './plan.ts'
import { reachable } from './reachable.ts'
import { actorsOfPath, type PathRow, pathEvents, pathsStatement } from './statement.ts'

export interface PathsResult {
  readonly kind: 'PathsQuery'
  readonly plan: PathsPlan
  readonly edges: readonly PathRow[]
}

export async function runPaths(
  query: PathsQuery,
  context: InsightContext,
  conversation: Conversation,
): Promise<PathsResult> {
  const plan = await planPaths(query, context, conversation)
  const found = await conversation.ask<PathRow>(pathsStatement(plan))
  const scale = 1 / (plan.sampling ?? 1)
  const edges = reachable(found).map((edge) => ({ ...edge, value: Math.round(edge.value * scale) }))
  return { kind: 'PathsQuery', plan, edges }
}

/** Those who took the way that pathStartKey, pathEndKey or pathDropoffKey tell. */
export async function pathActors(
  query: PathsQuery,
  context: InsightContext,
  conversation: Conversation,
): Promise<ActorSelection> {
  const plan = await planPaths(query, context, conversation)
  const scope = scopeOf(plan)
  const actor = scope.actor(plan.groupIndex)
  const { from, where } = pathEvents(plan, scope, [sql`${actor} IN (${actorsOfPath(plan)})`])
  const statement = sql`SELECT ${actor} AS actor, ${matchColumns}
FROM ${from}
WHERE ${where}
GROUP BY actor`
  return { statement, groupIndex: plan.groupIndex }
}
