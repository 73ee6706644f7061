/** The persons who had a status in an interval. */

import type { InsightActorsQuery, LifecycleQuery } from '../../../contract/queries/index.ts'
import { and, sql, str } from '../../../engines/clickhouse-sql.ts'
import { InvalidQuery } from '../../../lib/invalid-input.ts'
import type { Facts } from '../../facts/facts.ts'
import { aroundDay, bucketAt } from '../../plan/bucket-at.ts'
import { eventConditions, scopeOf } from '../../plan/plan.ts'
import { type ActorSelection, matchColumns } from '../../sql/actors.ts'
import { intervalBefore } from '../../sql/interval-index.ts'
import { whole } from '../../sql/whole.ts'
import { planLifecycle } from './plan.ts'
import { statuses } from './statement.ts'

export function lifecycleActors(
  query: InsightActorsQuery & { readonly source: LifecycleQuery },
  facts: Facts,
): ActorSelection {
  const plan = aroundDay(query.day ?? '', query.source, (source) => planLifecycle(source, facts))
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
