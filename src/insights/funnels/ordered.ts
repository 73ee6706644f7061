/**
 * Tries in which each step is the earliest event at or after the step before. Which event that is does not depend on where the try began,
 * so the chain of steps is built once from the last event to the first: for each event, where the chain goes from here.
 */
import { type Fragment, join, sql } from '../../engines/clickhouse/index.ts'
import { whole } from '../sql/whole.ts'
import { FIRST_EXCLUSION_ID, idOf, timeOf } from './codes.ts'
import type { FunnelPlan } from './plan.ts'
import { never, tryOf } from './try.ts'
import { windowEnd } from './window.ts'

/** Tries over `events`, an actor's codes in order. */
export function orderedTries(plan: FunnelPlan): Fragment {
  const { chain, fields } = chainFrom(plan, 0)
  const at = (field: string): Fragment => sql`tupleElement(one, ${whole(fields.indexOf(field) + 1)})`
  const end = windowEnd(plan, at('step 0'))
  const times = plan.steps.map((_, step) =>
    step === 0 ? at('step 0') : sql`if(${at(`step ${step}`)} <= ${end}, ${at(`step ${step}`)}, ${never})`,
  )
  const exclusions = plan.exclusions.map((_, index) => at(`exclusion ${index}`))
  return sql`arrayMap(one -> ${tryOf(times, exclusions)}, arrayFilter((one, code) -> ${isId(0)}, ${chain}, events))`
}

const isId = (id: number): Fragment => sql`${idOf(sql`code`)} = ${whole(id)}`

/** For each event a tuple: the next event of the step, what its exclusions meet, and where the chain goes on from there. */
function chainFrom(plan: FunnelPlan, step: number): { chain: Fragment; fields: readonly string[] } {
  const rest = step + 1 < plan.steps.length ? chainFrom(plan, step + 1) : undefined
  const own = plan.exclusions.map((_, index) => index).filter((index) => plan.exclusions[index]?.from === step)
  const fields = [`step ${step}`, ...own.map((index) => `exclusion ${index}`), ...(rest?.fields ?? [])]
  const nowhere = fields.map(() => never)
  const here = [
    timeOf(sql`code`),
    ...own.map((index) => sql`excluded${whole(index)}`),
    ...(rest?.fields ?? []).map((_, field) => sql`tupleElement(rest, ${whole(field + 1)})`),
  ]
  const names = [sql`code`, ...own.map((index) => sql`excluded${whole(index)}`), ...(rest ? [sql`rest`] : [])]
  const inputs = [sql`events`, ...own.map(exclusionTimes), ...(rest ? [rest.chain] : [])]
  const mapped = sql`arrayMap((${join(names, ', ')}) -> if(${isId(step)}, tuple(${join(here, ', ')}), tuple(${join(nowhere, ', ')})), ${join(inputs, ', ')})`
  return { chain: sql`arrayReverseFill((one, code) -> ${isId(step)}, ${mapped}, events)`, fields }
}

/** For each event, the next exclusion event after it. */
function exclusionTimes(index: number): Fragment {
  const isIt = isId(FIRST_EXCLUSION_ID + index)
  return sql`arrayReverseFill((time, code) -> ${isIt}, arrayMap(code -> if(${isIt}, ${timeOf(sql`code`)}, ${never}), events), events)`
}
