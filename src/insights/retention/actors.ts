/** Those who came in an interval, and, when a day is named, came back so many intervals later. */
import { and, or, sql } from '../../engines/clickhouse/index.ts'
import { ApiError } from '../../http/errors.ts'
import { type ActorSelection, matchColumns } from '../actors/selection.ts'
import type { InsightContext } from '../context.ts'
import type { Conversation } from '../engine.ts'
import type { InsightActorsQuery, RetentionQuery } from '../parse/query-schema.ts'
import { eventConditions, scopeOf } from '../plan/plan.ts'
import { whole } from '../sql/whole.ts'
import { planRetention } from './plan.ts'
import { actorIntervals } from './statement.ts'

export async function retentionActors(
  query: InsightActorsQuery & { readonly source: RetentionQuery },
  context: InsightContext,
  conversation: Conversation,
): Promise<ActorSelection> {
  const plan = await planRetention(query.source, context, conversation)
  const row = query.interval ?? 0
  if (row >= plan.range.buckets.length) {
    throw new ApiError('invalid_input', `The table has ${plan.range.buckets.length} rows.`, { attr: 'interval' })
  }
  const after = query.day === undefined ? undefined : Number(query.day)
  const back =
    after === undefined || !Number.isSafeInteger(after) || after < 1
      ? sql`1`
      : sql`has(returns, ${whole(row + 1 + after)})`
  const chosen = sql`SELECT actor FROM (${actorIntervals(plan)}) WHERE has(targets, ${whole(row + 1)}) AND ${back}`
  const scope = scopeOf(plan)
  const actor = scope.actor(plan.groupIndex)
  const matched = or([plan.target, plan.returning].map((node) => and(eventConditions(plan, scope, node))))
  const statement = sql`SELECT ${actor} AS actor, ${matchColumns}
FROM ${scope.from()}
WHERE ${and([matched, sql`${actor} IN (${chosen})`])}
GROUP BY actor`
  return { statement, groupIndex: plan.groupIndex }
}
