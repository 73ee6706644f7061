/** What an actor's tries come to: how far the best of them got, and how long those took from step to step. */
import { type Fragment, join, sql } from '../../engines/clickhouse/index.ts'
import { whole } from '../sql/whole.ts'
import type { FunnelPlan } from './plan.ts'
import { triesStatement } from './tries.ts'
import { levelOf, timeOfStep } from './try.ts'

/**
 * One row an actor and breakdown value: actor, labels, level (steps done), seconds (from each step to the next, averaged over the tries that
 * got that far; meaningless past the level), first_at and last_at (µs; first and last step of the earliest of those tries).
 */
export function bestTries(plan: FunnelPlan): Fragment {
  const one = sql`one`
  const between = plan.steps.slice(1).map((_, step) => {
    const took = sql`${timeOfStep(one, step + 1)} - ${timeOfStep(one, step)}`
    return sql`if(level > ${whole(step + 1)}, arrayAvg(one -> ${took}, best) / 1000000, 0)`
  })
  const times = plan.steps.map((_, step) => timeOfStep(sql`best[1]`, step))
  return sql`SELECT actor, labels, level, ${times[0] as Fragment} AS first_at, [${join(times, ', ')}][level] AS last_at,
  CAST([${join(between, ', ')}], 'Array(Float64)') AS seconds
FROM (
  SELECT actor, labels, arrayMax(one -> ${levelOf(one)}, tries) AS level,
    arrayFilter(one -> ${levelOf(one)} = level, tries) AS best
  FROM (${triesStatement(plan)})
)`
}
