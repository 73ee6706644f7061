/** Tries in which the steps are neighbours: the actor did nothing else in between. */
import { type Fragment, join, sql } from '../../../engines/clickhouse-sql.ts'
import { strictlyLater } from './codes.ts'
import { codeOfStep, metExclusion, timesFromCodes } from './columns.ts'
import { type Masks, shifted } from './masks.ts'
import type { FunnelPlan } from './plan.ts'

/** Out of rows of actor, label and `events`, all of an actor's events in order. */
export function strictTries(plan: FunnelPlan, source: Fragment, masks: Masks): Fragment {
  const begins = (array: Fragment): Fragment =>
    sql`arrayFilter((each, event) -> ${masks.isStep(sql`event`, 0)}, ${array}, events)`
  const columns = [
    ...plan.chain.map((_, step) => sql`${begins(shiftedBy(step, sql`events`, masks))} AS ${codeOfStep(step)}`),
    ...plan.exclusions.map(({ from }, index) => {
      const next = masks.nextAfter((event) => masks.isExclusion(event, index))
      return sql`${begins(shiftedBy(from, next, masks))} AS ${metExclusion(index)}`
    }),
  ]
  const later = strictlyLater(plan.chain)
  const isStep = (code: Fragment, step: number): Fragment =>
    later[step - 1] ? sql`${masks.isStep(code, step)} AND ${masks.timeOf(code)} > before` : masks.isStep(code, step)
  const met = plan.exclusions.map((_, index) => {
    const time = masks.timeIf(masks.isExclusion(sql`code`, index), sql`code`)
    return sql`arrayMap(code -> ${time}, ${metExclusion(index)}) AS ${metExclusion(index)}`
  })
  return sql`SELECT actor, label, ${join([...timesFromCodes(plan, (code) => masks.timeOf(code), isStep), ...met], ', ')}
FROM (
SELECT actor, label, ${join(columns, ', ')}
FROM (${onlyWhatMatters(source, masks)})
)`
}

/**
 * Of a run of events that are no step, one is enough to stand in between: most events of most actors are gone after
 * this.
 */
function onlyWhatMatters(source: Fragment, masks: Masks): Fragment {
  const matters = sql`${masks.isAnything(sql`event`)} OR ${masks.isAnything(sql`before`)}`
  const before = sql`arrayPushFront(arrayPopBack(events), ${masks.nothing})`
  return sql`SELECT actor, label, kept AS events
FROM (SELECT actor, label, arrayFilter((event, before) -> ${matters}, events, ${before}) AS kept FROM (${source}))
WHERE notEmpty(kept)`
}

function shiftedBy(places: number, array: Fragment, masks: Masks): Fragment {
  let moved = array
  for (let place = 0; place < places; place++) moved = shifted(moved, masks.nothing)
  return moved
}
