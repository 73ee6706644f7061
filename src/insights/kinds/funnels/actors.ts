/** The persons (or groups) who reached a step of a funnel, or dropped before it. */

import type { FunnelsActorsQuery } from '../../../contract/queries/index.ts'
import { type Fragment, join, sql, strings } from '../../../engines/clickhouse-sql.ts'
import { InvalidQuery } from '../../../lib/invalid-input.ts'
import type { Facts } from '../../facts/facts.ts'
import { NULL_LABEL } from '../../plan/breakdown.ts'
import { aroundDay, bucketAt } from '../../plan/bucket-at.ts'
import type { StatementRunner } from '../../run/statement-runner.ts'
import type { ActorSelection } from '../../sql/actors.ts'
import { bucketKey } from '../../sql/time.ts'
import { whole } from '../../sql/whole.ts'
import { stepEventsOf } from './actors-statement.ts'
import { bestTries } from './best.ts'
import { idOf } from './breakdown.ts'
import { withShownValues } from './facts.ts'
import { type FunnelPlan, planFunnel, planPrevious } from './plan.ts'
import { droppedBefore, reachedStep } from './reached.ts'
import { triesByBucket } from './trend.ts'

export async function funnelActors(
  query: FunnelsActorsQuery,
  facts: Facts,
  runner: StatementRunner,
): Promise<ActorSelection> {
  const planned = (source: FunnelsActorsQuery['source']) => planFunnel(source, facts)
  const start = query.funnelTrendsEntrancePeriodStart
  const current =
    start === undefined || query.compare === 'previous'
      ? planned(query.source)
      : aroundDay(start, query.source, planned)
  const plan = await withShownValues(query.compare === 'previous' ? planPrevious(current) : current, runner)
  if (plan.steps.length === 0) throw new InvalidQuery('The funnel has no steps.', ['source', 'series'])
  const chosen =
    query.funnelTrendsEntrancePeriodStart === undefined
      ? byLevel(plan, query)
      : enteredAt(plan, query, query.funnelTrendsEntrancePeriodStart)
  return { statement: stepEventsOf(plan, chosen), groupIndex: plan.groupIndex }
}

function byLevel(plan: FunnelPlan, query: FunnelsActorsQuery): Fragment {
  return sql`SELECT actor FROM (${bestTries(plan)}) WHERE ${levelCondition(plan, query)} AND ${valueCondition(plan, query)}`
}

/** 2: did at least two steps. -2: did the first and not the second. */
function levelCondition(plan: FunnelPlan, { funnelStep, funnelCustomSteps }: FunnelsActorsQuery): Fragment {
  if (funnelCustomSteps?.length) return sql`level IN (${join(funnelCustomSteps.map(whole), ', ')})`
  const step = funnelStep ?? 1
  const most = plan.steps.length
  if (step === 0 || step === -1 || Math.abs(step) > most) {
    throw new InvalidQuery(
      `funnelStep is 1 to ${most} for those who reached a step, or -2 to -${most} for those who dropped before it.`,
      ['funnelStep'],
    )
  }
  return step > 0 ? reachedStep(plan, step - 1) : droppedBefore(plan, -step - 1)
}

function valueCondition(plan: FunnelPlan, { funnelStepBreakdown: asked }: FunnelsActorsQuery): Fragment {
  if (asked === undefined || plan.breakdown === undefined) return sql`1`
  const values = (Array.isArray(asked) ? asked : [asked]).map((value) => (value === '' ? NULL_LABEL : String(value)))
  const id = idOf(plan, values)
  return id === undefined ? sql`0` : sql`label = ${whole(id)}`
}

/** Those whose tries began in an interval: who got through, or who did not. */
function enteredAt(plan: FunnelPlan, query: FunnelsActorsQuery, start: string): Fragment {
  const { from } = bucketAt(start, plan.range, plan.clock)
  const key = bucketKey(from, plan.range.interval, plan.clock.timezone)
  const outcome = query.funnelTrendsDropOff
    ? sql`level > ${whole(plan.fromStep)} AND level <= ${whole(plan.toStep)}`
    : sql`level > ${whole(plan.toStep)}`
  return sql`SELECT actor FROM (${triesByBucket(plan)})
WHERE has(${strings([key])}, toString(bucket)) AND ${outcome} AND ${valueCondition(plan, query)}`
}
