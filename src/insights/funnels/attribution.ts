/** To which breakdown value an actor's tries count, and with that how its events are put together. */
import { type Fragment, sql, str } from '../../engines/clickhouse/index.ts'
import { NULL_LABEL } from '../plan/breakdown.ts'
import { whole } from '../sql/whole.ts'
import { idOf } from './codes.ts'
import { isMaskedStep } from './masks.ts'
import type { FunnelPlan } from './plan.ts'

export interface StepEvents {
  /** Columns actor, held, value, at, element. */
  readonly statement: Fragment
  /** `element` is an array of elements. */
  readonly several: boolean
}

/** One row an actor and value: actor, labels, and `events`, the elements in order. */
export function attribute(plan: FunnelPlan, { statement, several }: StepEvents): Fragment {
  const events = sql`arraySort(${several ? sql`groupArrayArray(element)` : sql`groupArray(element)`}) AS events`
  const { attribution } = plan
  if (plan.breakdown === undefined && plan.heldConstant.length === 0) {
    return sql`SELECT actor, CAST([], 'Array(String)') AS labels, ${events} FROM (${statement}) GROUP BY actor`
  }
  if (plan.breakdown === undefined || attribution.type === 'all_events') {
    return sql`SELECT actor, value AS labels, ${events} FROM (${statement}) GROUP BY actor, held, value`
  }
  if (attribution.type === 'step') return byStep(plan, attribution.step, { statement, several })
  // The first (or last) value that is one; none only when the actor never had one.
  const valued = sql`arrayExists(each -> each != ${str(NULL_LABEL)}, value)`
  const first = attribution.type === 'first_touch'
  const key = first ? sql`(NOT ${valued}, at, value)` : sql`(${valued}, at, value)`
  const touched = first ? sql`argMin(value, ${key})` : sql`argMax(value, ${key})`
  if (plan.heldConstant.length === 0) {
    return sql`SELECT actor, ${touched} AS labels, ${events} FROM (${statement}) GROUP BY actor`
  }
  const over = first ? sql`argMin(touched, key)` : sql`argMax(touched, key)`
  return sql`SELECT actor, ${over} OVER (PARTITION BY actor) AS labels, events
FROM (
  SELECT actor, ${touched} AS touched, ${first ? sql`min(${key})` : sql`max(${key})`} AS key, ${events}
  FROM (${statement})
  GROUP BY actor, held
)`
}

/** Each value that the step was done with, with only those events of the step that had it. */
function byStep(plan: FunnelPlan, step: number, { statement, several }: StepEvents): Fragment {
  const isOfStep = (each: Fragment): Fragment =>
    plan.order === 'ordered' ? sql`${idOf(each)} = ${whole(step)}` : isMaskedStep(each, step)
  const pairs = several
    ? sql`groupArrayArray(arrayMap(one -> (one, value), element))`
    : sql`groupArray((element, value))`
  return sql`SELECT actor, labels, arrayMap(pair -> pair.1, arrayFilter(pair -> NOT (${isOfStep(sql`pair.1`)}) OR pair.2 = labels, pairs)) AS events
FROM (SELECT actor, arraySort(${pairs}) AS pairs FROM (${statement}) GROUP BY actor, held)
ARRAY JOIN arrayDistinct(arrayMap(pair -> pair.2, arrayFilter(pair -> ${isOfStep(sql`pair.1`)}, pairs))) AS labels`
}
