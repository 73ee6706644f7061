/**
 * A try as a tuple: how many steps were done, the time of each step in µs (NEVER for one that was not reached in time), and for each
 * exclusion the time of its first event after the step it starts from.
 */
import { type Fragment, join, or, sql } from '../../engines/clickhouse/index.ts'
import { whole } from '../sql/whole.ts'
import type { FunnelPlan } from './plan.ts'
import { NEVER, windowEnd } from './window.ts'

export const never = sql`toInt64(${whole(NEVER)})`

export function tryOf(times: readonly Fragment[], exclusions: readonly Fragment[]): Fragment {
  const reached = times.slice(1).map((time) => sql`(${time} < ${never})`)
  const level = reached.reduce((sum, each) => sql`${sum} + ${each}`, sql`1`)
  return sql`tuple(${join([sql`toUInt8(${level})`, ...times, ...exclusions], ', ')})`
}

export const levelOf = (each: Fragment): Fragment => sql`tupleElement(${each}, 1)`
export const timeOfStep = (each: Fragment, step: number): Fragment => sql`tupleElement(${each}, ${whole(step + 2)})`

/** Whether an exclusion event lies between the steps it is about, or in the window where the later one was not reached. */
export function isExcluded(plan: FunnelPlan, each: Fragment): Fragment {
  return or(
    plan.exclusions.map(({ from, to }, index) => {
      const start = timeOfStep(each, from)
      const end = timeOfStep(each, to)
      const met = timeOfStep(each, plan.steps.length + index)
      return sql`${start} < ${never} AND ${met} < if(${end} < ${never}, ${end}, ${windowEnd(plan, start)})`
    }),
  )
}
