/**
 * Every try of every actor: one row an actor (and breakdown value) with its tries as arrays side by side (columns.ts).
 * Tries that an exclusion took out are gone, and so is an actor with no try left.
 *
 * One pass over the events groups them by actor; everything after that happens inside each actor's sorted array.
 */
import { type Fragment, join, or, sql } from '../../../engines/clickhouse-sql.ts'
import { attribute } from './attribution.ts'
import { didOptional, metExclusion, seenOptional, stepTimes, timeOfStep, triedColumns } from './columns.ts'
import { Masks } from './masks.ts'
import { orderedTries } from './ordered.ts'
import type { FunnelPlan } from './plan.ts'
import { mayOverlap } from './same-step.ts'
import { stepEvents } from './step-events.ts'
import { strictTries } from './strict.ts'
import { unorderedTries } from './unordered.ts'
import { never, windowEnd } from './window.ts'

/**
 * Columns: actor, label (the number of a breakdown value), levels (steps done), time0, time1, ..., and did0, did1, ...
 * of optional steps.
 */
export function triesStatement(plan: FunnelPlan): Fragment {
  const kept = withoutExcluded(plan, triedBy(plan))
  const statement = sql`SELECT actor, label, ${join([...stepTimes(plan), ...optionalDone(plan), levels(plan)], ', ')}
FROM (${kept})
WHERE notEmpty(${timeOfStep(0)})`
  if (plan.heldConstant.length === 0) return statement
  const columns = [...stepTimes(plan), ...plan.optional.map((_, index) => didOptional(index)), sql`levels`]
  return sql`SELECT actor, label, ${join(
    columns.map((column) => sql`groupArrayArray(${column}) AS ${column}`),
    ', ',
  )}
FROM (${statement})
GROUP BY actor, label`
}

function triedBy(plan: FunnelPlan): Fragment {
  const masks = new Masks(plan.chain.length, plan.exclusions.length)
  const source = attribute(plan, stepEvents(plan, masks), masks)
  switch (plan.order) {
    case 'ordered':
      return orderedTries(plan, source)
    case 'strict':
      return strictTries(plan, source, masks)
    case 'unordered':
      return unorderedTries(plan, source, masks)
  }
}

/**
 * Takes out the tries in which an exclusion event lies between the steps it is about, or in the window where the later
 * one was not reached.
 */
function withoutExcluded(plan: FunnelPlan, tried: Fragment): Fragment {
  if (plan.exclusions.length === 0) return tried
  const excluded = plan.exclusions.map(({ from, to }, index) => {
    const [start, end] = [timeOfStep(from), timeOfStep(to)]
    return sql`${start} < ${never} AND ${metExclusion(index)} < if(${end} < ${never}, ${end}, ${windowEnd(plan, start)})`
  })
  const columns = triedColumns(plan)
  const names = join(columns, ', ')
  const kept = columns.map((column) => sql`arrayFilter((each, out) -> NOT out, ${column}, excluded) AS ${column}`)
  return sql`SELECT actor, label, ${join(kept, ', ')}
FROM (SELECT actor, label, ${names}, arrayMap((${names}) -> ${or(excluded)}, ${names}) AS excluded FROM (${tried}))`
}

/**
 * An optional step was done when an event of it lies between the required steps around it, or in the window where the
 * later one was not reached.
 */
const optionalDone = (plan: FunnelPlan): Fragment[] =>
  plan.optional.map(({ step, after }, index) => {
    const [start, end, seen] = [timeOfStep(after), timeOfStep(after + 1), seenOptional(index)]
    const isLast = after + 1 === plan.chain.length
    const open = sql`${seen} <= ${windowEnd(plan, timeOfStep(0))}`
    // One event is not two steps.
    const own = !isLast && mayOverlap(plan.steps[step] as never, plan.chain[after + 1] as never)
    const before = own ? sql`${seen} < ${end}` : sql`${seen} <= ${end}`
    const done = sql`${start} < ${never} AND ${isLast ? open : sql`if(${end} < ${never}, ${before}, ${open})`}`
    const names = join([...new Set([0, after, ...(isLast ? [] : [after + 1])])].map(timeOfStep).concat(seen), ', ')
    return sql`arrayMap((${names}) -> ${done}, ${names}) AS ${didOptional(index)}`
  })

function levels(plan: FunnelPlan): Fragment {
  const later = stepTimes(plan).slice(1)
  if (later.length === 0) return sql`arrayMap(each -> toUInt8(1), ${timeOfStep(0)}) AS levels`
  const names = join(later, ', ')
  const level = later.reduce((sum, time) => sql`${sum} + (${time} < ${never})`, sql`1`)
  return sql`arrayMap((${names}) -> toUInt8(${level}), ${names}) AS levels`
}
