/** The persons who had a status in an interval. */

import type { InsightActorsQuery, LifecycleQuery } from '../../../contract/queries/index.ts'
import { and, sql, str } from '../../../engines/clickhouse/index.ts'
import { InvalidQuery } from '../../../lib/invalid-input.ts'
import type { InsightContext } from '../../facts/context.ts'
import { bucketAt } from '../../plan/bucket-at.ts'
import { eventConditions, scopeOf } from '../../plan/plan.ts'
import type { Conversation } from '../../run/statement-runner.ts'
import { type ActorSelection, matchColumns } from '../../sql/actors.ts'
import { intervalBefore } from '../../sql/interval-index.ts'
import { whole } from '../../sql/whole.ts'
import { planLifecycle } from './plan.ts'
import { statuses } from './statement.ts'

export async function lifecycleActors(
  query: InsightActorsQuery & { readonly source: LifecycleQuery },
  context: InsightContext,
  conversation: Conversation,
): Promise<ActorSelection> {
  const plan = await planLifecycle(query.source, context, conversation)
  const { node, range, clock } = plan
  if (node === undefined) throw new InvalidQuery('The query has no series.', ['source', 'series'])
  const { from } = bucketAt(query.day ?? '', range, clock)
  const status = query.status ?? 'new'
  const wide = { from: intervalBefore(from, 1, range.interval, clock), to: range.to }
  const scope = scopeOf(plan, wide)
  const person = scope.person()
  const chosen = sql`SELECT actor FROM (${statuses(plan, node)})
  WHERE status = ${str(status)} AND place = ${whole(range.buckets.indexOf(from) + 1)}`
  const statement = sql`SELECT ${person} AS actor, ${matchColumns}
FROM ${scope.from()}
WHERE ${and([...eventConditions(plan, scope, node, wide), sql`${person} IN (${chosen})`])}
GROUP BY actor`
  return { statement, groupIndex: undefined }
}
