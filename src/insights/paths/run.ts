/** Where actors go from where. */
import { and, sql } from '../../engines/clickhouse/index.ts'
import { type ActorSelection, matchColumns } from '../actors/selection.ts'
import type { InsightContext } from '../context.ts'
import type { Conversation } from '../engine.ts'
import type { PathsQuery } from '../parse/query-schema.ts'
import { scopeOf } from '../plan/plan.ts'
import { type PathsPlan, planPaths } from './plan.ts'
import { actorsOfPath, type PathRow, pathConditions, pathsStatement } from './statement.ts'

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
  const edges = await conversation.ask<PathRow>(pathsStatement(plan))
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
  const statement = sql`SELECT ${actor} AS actor, ${matchColumns}
FROM ${scope.from()}
WHERE ${and([...pathConditions(plan, scope), sql`${actor} IN (${actorsOfPath(plan)})`])}
GROUP BY actor`
  return { statement, groupIndex: plan.groupIndex }
}
