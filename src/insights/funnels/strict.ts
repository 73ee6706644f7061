/** Tries in which the steps are neighbours: the actor did nothing else in between. */
import { and, type Fragment, join, sql } from '../../engines/clickhouse/index.ts'
import { whole } from '../sql/whole.ts'
import { strictlyLater } from './codes.ts'
import { isStepIn, MASKS, nextExclusion, shifted, TIMES } from './masks.ts'
import type { FunnelPlan } from './plan.ts'
import { never, tryOf } from './try.ts'
import { windowEnd } from './window.ts'

/** Tries over `events`, all of an actor's events in order. */
export function strictTries(plan: FunnelPlan): Fragment {
  const time = (step: number): Fragment => sql`time${whole(step)}`
  const end = windowEnd(plan, time(0))
  const later = strictlyLater(plan.steps)
  const names: Fragment[] = []
  const inputs: Fragment[] = []
  const reached: Fragment[] = []
  const times = plan.steps.map((_, step) => {
    const mask = sql`mask${whole(step)}`
    names.push(time(step), mask)
    inputs.push(shiftedBy(step, TIMES, sql`toInt64(0)`), shiftedBy(step, MASKS, sql`toUInt64(0)`))
    if (step === 0) return time(0)
    reached.push(sql`${isStepIn(mask, step)} AND ${time(step)} <= ${end}`)
    if (later[step - 1]) reached.push(sql`${time(step)} > ${time(step - 1)}`)
    return sql`if(${and(reached)}, ${time(step)}, ${never})`
  })
  const exclusions = plan.exclusions.map(({ from }, index) => {
    const name = sql`excluded${whole(index)}`
    names.push(name)
    inputs.push(shiftedBy(from, nextExclusion(index), never))
    return name
  })
  return sql`arrayFilter((one, mask) -> ${isStepIn(sql`mask`, 0)}, arrayMap((${join(names, ', ')}) -> ${tryOf(times, exclusions)},
  ${join(inputs, ', ')}), ${MASKS})`
}

function shiftedBy(places: number, array: Fragment, last: Fragment): Fragment {
  let moved = array
  for (let place = 0; place < places; place++) moved = shifted(moved, last)
  return moved
}
