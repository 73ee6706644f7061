/** Tries in which the steps are neighbours: the actor did nothing else in between. */
import { type Fragment, join, sql } from '../../engines/clickhouse/index.ts'
import { whole } from '../sql/whole.ts'
import { strictlyLater } from './codes.ts'
import { isStepAt, nextExclusion, shifted } from './masks.ts'
import type { FunnelPlan } from './plan.ts'
import { never, tryOf } from './try.ts'
import { windowEnd } from './window.ts'

/** Tries over `events`, all of an actor's events in order. */
export function strictTries(plan: FunnelPlan): Fragment {
  const event = (step: number): Fragment => sql`event${whole(step)}`
  const nothing = sql`(toInt64(0), toUInt8(0), toUInt64(0))`
  const end = windowEnd(plan, sql`event0.1`)
  const later = strictlyLater(plan.steps)
  const names: Fragment[] = []
  const inputs: Fragment[] = []
  const times: Fragment[] = []
  let reached = sql`1`
  for (let step = 0, events = sql`events`; step < plan.steps.length; step++, events = shifted(events, nothing)) {
    names.push(event(step))
    inputs.push(events)
    if (step === 0) {
      times.push(sql`event0.1`)
      continue
    }
    const inOrder = later[step - 1] ? sql`${event(step)}.1 > ${event(step - 1)}.1` : sql`1`
    reached = sql`${reached} AND ${isStepAt(event(step), step)} AND ${event(step)}.1 <= ${end} AND ${inOrder}`
    times.push(sql`if(${reached}, ${event(step)}.1, ${never})`)
  }
  const exclusions = plan.exclusions.map(({ from }, index) => {
    names.push(sql`excluded${whole(index)}`)
    let next = nextExclusion(index)
    for (let step = 0; step < from; step++) next = shifted(next, never)
    inputs.push(next)
    return sql`excluded${whole(index)}`
  })
  return sql`arrayFilter((one, event0) -> ${isStepAt(event(0), 0)}, arrayMap((${join(names, ', ')}) -> ${tryOf(times, exclusions)},
  ${join(inputs, ', ')}), events)`
}
