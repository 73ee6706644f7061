/** Tries that begin with any step: how many of the others come strictly later, in whatever order. */
import { type Fragment, join, sql } from '../../engines/clickhouse/index.ts'
import { whole } from '../sql/whole.ts'
import { isStepIn, MASKS, nextExclusion, nextStep, TIMES } from './masks.ts'
import type { FunnelPlan } from './plan.ts'
import { never, tryOf } from './try.ts'
import { windowEnd } from './window.ts'

/** Tries over `events`, an actor's step and exclusion events in order. */
export function unorderedTries(plan: FunnelPlan): Fragment {
  const beginnings = plan.steps.map((_, step) => triesBeginningWith(plan, step))
  return sql`arraySort(each -> tupleElement(each, 2), arrayConcat(${join(beginnings, ', ')}))`
}

function triesBeginningWith(plan: FunnelPlan, first: number): Fragment {
  const others = plan.steps.map((_, step) => step).filter((step) => step !== first)
  const end = windowEnd(plan, sql`time`)
  const later = others.map((step) => sql`if(next${whole(step)} <= ${end}, next${whole(step)}, ${never})`)
  const exclusions = plan.exclusions.map((_, index) => sql`excluded${whole(index)}`)
  const names = [sql`time`, ...others.map((step) => sql`next${whole(step)}`), ...exclusions]
  const inputs = [TIMES, ...others.map(nextStep), ...plan.exclusions.map((_, index) => nextExclusion(index))]
  const times = sql`arrayMap((${join(names, ', ')}) ->
  (arraySort([${join([sql`time`, ...later], ', ')}]), [${join([never, ...exclusions], ', ')}]), ${join(inputs, ', ')})`
  const inOrder = plan.steps.map((_, position) => sql`one.1[${whole(position + 1)}]`)
  const met = exclusions.map((_, index) => sql`one.2[${whole(index + 2)}]`)
  return sql`arrayMap(one -> ${tryOf(inOrder, met)}, arrayFilter((one, mask) -> ${isStepIn(sql`mask`, first)}, ${times}, ${MASKS}))`
}
