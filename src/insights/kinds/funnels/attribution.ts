/** To which breakdown value an actor's tries count, and with that how its events are put together. */
import { type Fragment, sql } from '../../../engines/clickhouse-sql.ts'
import { whole } from '../../sql/whole.ts'
import { nullId } from './breakdown.ts'
import { codeIdOf, hasId } from './codes.ts'
import type { Masks } from './masks.ts'
import type { FunnelPlan } from './plan.ts'
import type { StepEvents } from './step-events.ts'

/** One row an actor and value: actor, label, and `events`, the elements in order. */
export function attribute(plan: FunnelPlan, { statement, several }: StepEvents, masks: Masks): Fragment {
  const events = sql`arraySort(${several ? sql`groupArrayArray(element)` : sql`groupArray(element)`}) AS events`
  const andHeld = plan.heldConstant.length === 0 ? sql`` : sql`, held`
  const { attribution } = plan
  if (plan.breakdown === undefined) {
    return sql`SELECT actor, toUInt16(0) AS label, ${events} FROM (${statement}) GROUP BY actor${andHeld}`
  }
  if (attribution.type === 'all_events') {
    return sql`SELECT actor, value AS label, ${events} FROM (${statement}) GROUP BY actor, value${andHeld}`
  }
  if (attribution.type === 'step') return byStep(plan, attribution.step, { statement, several }, masks)
  const { touch, label } = touchOf(plan, attribution.type)
  if (plan.heldConstant.length === 0) {
    return sql`SELECT actor, ${label(touch)} AS label, ${events} FROM (${statement}) GROUP BY actor`
  }
  const over = attribution.type === 'first_touch' ? sql`min(touch)` : sql`max(touch)`
  return sql`SELECT actor, ${label(sql`(${over} OVER (PARTITION BY actor))`)} AS label, events
FROM (SELECT actor, ${touch} AS touch, ${events} FROM (${statement}) GROUP BY actor, held)`
}

/**
 * The first (or last) value that is one; none only when the actor never had one. As one number: whether it is one, when
 * it was, and which; of several at one instant, the most frequent.
 */
function touchOf(plan: FunnelPlan, type: 'first_touch' | 'last_touch') {
  const isValue = sql`value != ${whole(nullId(plan))}`
  const time = sql`bitShiftLeft(at, 10)`
  const flag = sql`bitShiftLeft(toUInt64(1), 62)`
  return type === 'first_touch'
    ? {
        touch: sql`min(if(${isValue}, 0, ${flag}) + ${time} + value)`,
        label: (touch: Fragment) => sql`toUInt16(bitAnd(${touch}, 1023))`,
      }
    : {
        touch: sql`max(if(${isValue}, ${flag}, 0) + ${time} + (1023 - value))`,
        label: (touch: Fragment) => sql`toUInt16(1023 - bitAnd(${touch}, 1023))`,
      }
}

/** Each value that the step was done with, with only those events of the step that had it. */
function byStep(plan: FunnelPlan, step: number, { statement, several }: StepEvents, masks: Masks): Fragment {
  const isOfStep = (each: Fragment): Fragment =>
    plan.order === 'ordered' ? hasId(each, codeIdOf(plan, step)) : masks.isStep(each, step)
  const pairs = several
    ? sql`groupArrayArray(arrayMap(one -> (one, value), element))`
    : sql`groupArray((element, value))`
  const andHeld = plan.heldConstant.length === 0 ? sql`` : sql`, held`
  return sql`SELECT actor, label, arrayMap(pair -> pair.1, arrayFilter(pair -> NOT (${isOfStep(sql`pair.1`)}) OR pair.2 = label, pairs)) AS events
FROM (SELECT actor, arraySort(${pairs}) AS pairs FROM (${statement}) GROUP BY actor${andHeld})
ARRAY JOIN arrayDistinct(arrayMap(pair -> pair.2, arrayFilter(pair -> ${isOfStep(sql`pair.1`)}, pairs))) AS label`
}
