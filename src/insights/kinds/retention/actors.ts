/** Those who came in an interval, and, when a day is named, came back so many intervals later. */

import type { InsightActorsQuery, RetentionQuery } from '../../../contract/queries/index.ts'
import { and, type Fragment, or, sql, strings } from '../../../engines/clickhouse-sql.ts'
import { InvalidQuery } from '../../../lib/invalid-input.ts'
import type { Facts } from '../../facts/facts.ts'
import { NULL_LABEL } from '../../plan/breakdown.ts'
import { eventConditions, scopeOf } from '../../plan/plan.ts'
import { withBins } from '../../run/bin-edges.ts'
import type { StatementRunner } from '../../run/statement-runner.ts'
import { type ActorSelection, matchColumns } from '../../sql/actors.ts'
import { whole } from '../../sql/whole.ts'
import { actorIntervals } from './actor-intervals.ts'
import { planRetention, type RetentionPlan } from './plan.ts'
import { shownLabels } from './statement.ts'

export async function retentionActors(
  query: InsightActorsQuery & { readonly source: RetentionQuery },
  facts: Facts,
  runner: StatementRunner,
): Promise<ActorSelection> {
  const planned = planRetention(query.source, facts)
  const plan = await withBins(planned, [planned.target], runner)
  const row = query.interval ?? 0
  if (row >= plan.range.buckets.length) {
    throw new InvalidQuery(`The table has ${plan.range.buckets.length} rows.`, ['interval'])
  }
  const after = query.day === undefined ? undefined : Number(query.day)
  const wanted = and([
    sql`has(targets, ${whole(row + 1)})`,
    ...(after === undefined || !Number.isSafeInteger(after) || after < 1 ? [] : [cameBack(plan, row + 1, after)]),
    ...hasValue(plan, query.breakdown),
  ])
  const chosen = sql`SELECT actor FROM (${actorIntervals(plan)}) WHERE ${wanted}`
  const scope = scopeOf(plan)
  const actor = scope.actor(plan.groupIndex)
  const matched = or([plan.target, plan.returning].map((node) => and(eventConditions(plan, scope, node))))
  const statement = sql`SELECT ${actor} AS actor, ${matchColumns}
FROM ${scope.from()}
WHERE ${and([matched, sql`${actor} IN (${chosen})`])}
GROUP BY actor`
  return { statement, groupIndex: plan.groupIndex }
}

/** Cumulative: or later. */
function cameBack({ cumulative, brackets }: RetentionPlan, came: number, cell: number): Fragment {
  const { from, to } = brackets?.[cell] ?? { from: cell, to: cell }
  if (cumulative) return sql`arrayExists(back -> back >= ${whole(came + from)}, returns)`
  return sql`arrayExists(back -> back >= ${whole(came + from)} AND back <= ${whole(came + to)}, returns)`
}

function hasValue(plan: RetentionPlan, asked: InsightActorsQuery['breakdown']): Fragment[] {
  if (plan.breakdown === undefined || asked === undefined) return []
  const parts = plan.breakdown.parts.length
  const texts = Array.isArray(asked) ? asked.map(String) : parts === 1 ? [String(asked)] : String(asked).split('::')
  const labels = texts.map((text) => (text === '' ? NULL_LABEL : text))
  return [sql`${shownLabels(plan, plan.breakdown)} = ${strings(labels)}`]
}
