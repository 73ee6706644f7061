/**
 * The tries of an actor stand in arrays side by side, one place a try: `time0`, `time1`, ... are when each step was
 * done (µs, or never), `met0`, ... when the first event of each exclusion was met, `seen0`, ... that of each optional
 * step. Before they are times, they are the numbers that stand for events (`code0`, ...).
 */
import { type Fragment, join, sql } from '../../../engines/clickhouse-sql.ts'
import { whole } from '../../sql/whole.ts'
import type { FunnelPlan } from './plan.ts'
import { never, windowEnd } from './window.ts'

export const codeOfStep = (step: number): Fragment => sql`code${whole(step)}`
export const timeOfStep = (step: number): Fragment => sql`time${whole(step)}`
export const metExclusion = (index: number): Fragment => sql`met${whole(index)}`
export const seenOptional = (index: number): Fragment => sql`seen${whole(index)}`
export const didOptional = (index: number): Fragment => sql`did${whole(index)}`

export const stepTimes = ({ chain }: Pick<FunnelPlan, 'chain'>): Fragment[] => chain.map((_, step) => timeOfStep(step))

/** The arrays of what an order makes of an actor's events. */
export const triedColumns = (plan: FunnelPlan): Fragment[] => [
  ...stepTimes(plan),
  ...plan.exclusions.map((_, index) => metExclusion(index)),
  ...plan.optional.map((_, index) => seenOptional(index)),
]

/**
 * The columns `time0`, `time1`, ... out of `code0`, `code1`, ...: a step counts when its code is one of that step, the
 * step before was done, and the window is still open.
 */
export function timesFromCodes(
  plan: FunnelPlan,
  timeOf: (code: Fragment) => Fragment,
  isStep: (code: Fragment, step: number) => Fragment,
): Fragment[] {
  const time = timeOf(sql`code`)
  return plan.chain.map((_, step) => {
    const codes = codeOfStep(step)
    if (step === 0) return sql`arrayMap(code -> ${time}, ${codes}) AS ${timeOfStep(0)}`
    const done = sql`before < ${never} AND ${isStep(sql`code`, step)} AND ${time} <= ${windowEnd(plan, sql`began`)}`
    const inputs = join([timeOfStep(0), timeOfStep(step - 1), codes], ', ')
    return sql`arrayMap((began, before, code) -> if(${done}, ${time}, ${never}), ${inputs}) AS ${timeOfStep(step)}`
  })
}
