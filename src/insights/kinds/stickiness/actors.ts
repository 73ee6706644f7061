/** The actors who were active in so many intervals. */

import type { StickinessQuery } from '../../../contract/queries/index.ts'
import { and, sql } from '../../../engines/clickhouse-sql.ts'
import { InvalidQuery } from '../../../lib/invalid-input.ts'
import type { Facts } from '../../facts/facts.ts'
import { eventConditions, scopeOf } from '../../plan/plan.ts'
import { type ActorSelection, matchColumns } from '../../sql/actors.ts'
import { whole } from '../../sql/whole.ts'
import { planStickiness } from './plan.ts'
import { activeIntervals, stickyActor } from './statement.ts'

interface StickinessActorsQuery {
  readonly source: StickinessQuery
  readonly day?: string | number | undefined
  readonly series?: number | undefined
  readonly compare?: 'current' | 'previous' | undefined
  readonly operator?: 'gte' | 'lte' | 'exact' | undefined
}

export function stickinessActors(query: StickinessActorsQuery, facts: Facts): ActorSelection {
  const plan = planStickiness(query.source, facts)
  const series = plan.series.find(({ index }) => index === (query.series ?? 0))
  const period = plan.periods.find(({ label }) => label === (query.compare ?? 'current'))
  const day = Number(query.day ?? 1)
  if (series === undefined) throw new InvalidQuery('The query has no such series.', ['series'])
  if (period === undefined) {
    throw new InvalidQuery('The query compares with no earlier period.', ['compare'])
  }
  if (!Number.isSafeInteger(day) || day < 1) {
    throw new InvalidQuery('Say in how many intervals they were active: a number from 1.', ['day'])
  }
  const operator = query.operator ?? (plan.cumulative ? 'gte' : 'exact')
  const wanted =
    operator === 'exact'
      ? sql`intervals = ${whole(day)}`
      : operator === 'gte'
        ? sql`intervals >= ${whole(day)}`
        : sql`intervals <= ${whole(day)}`
  const scope = scopeOf(plan, period.range)
  const actor = stickyActor(scope, series)
  const chosen = sql`SELECT actor FROM (${activeIntervals(plan, series, period.range)}) WHERE ${wanted}`
  const conditions = eventConditions(plan, scope, series.node, period.range)
  const statement = sql`SELECT ${actor} AS actor, ${matchColumns}
FROM ${scope.from()}
WHERE ${and([...conditions, sql`${actor} IN (${chosen})`])}
GROUP BY actor`
  return { statement, groupIndex: series.groupIndex }
}
