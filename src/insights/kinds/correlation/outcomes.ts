/** Who converted and who did not, and the time in which what they did may have mattered. */
import { and, type Fragment, sql } from '../../../engines/clickhouse-sql.ts'
import type { EventScope } from '../../sql/event-scope.ts'
import { within } from '../../sql/time.ts'
import { whole } from '../../sql/whole.ts'
import { bestTries, type FunnelPlan, funnelActor, windowEnd } from '../funnels/index.ts'

/**
 * One row an actor that did the first step: actor, converted, first_at, end_at (µs: the last step, or the end of the
 * window).
 */
export function outcomes(plan: FunnelPlan): Fragment {
  return sql`SELECT actor, level = ${whole(plan.chain.length)} AS converted, first_at,
  if(converted, last_at, ${windowEnd(plan, sql`first_at`)}) AS end_at
FROM (${bestTries(plan)})`
}

export interface EventsOfActors {
  /** A FROM clause with the columns of `outcome`. Take it after all expressions. */
  readonly from: () => Fragment
  /** Conditions on all events. */
  readonly where: Fragment
  /** The event is of the moment of the first step; each actor has one. */
  readonly isStart: Fragment
  /** It lies between the first step and the end. */
  readonly isBetween: Fragment
}

export function eventsOfActors(plan: FunnelPlan, scope: EventScope): EventsOfActors {
  const actor = funnelActor(plan, scope)
  const time = sql`toUnixTimestamp64Micro(e.timestamp)`
  return {
    from: () => sql`${scope.from()}
INNER JOIN (${outcomes(plan)}) AS outcome ON outcome.actor = ${actor}`,
    where: and([scope.ofProject(), within(plan.range.from, plan.range.to)]),
    isStart: sql`(${time} = outcome.first_at)`,
    isBetween: sql`(${time} > outcome.first_at AND ${time} < outcome.end_at)`,
  }
}
