/** What an actor's tries come to: how far the best of them got, and how long those took from step to step. */
import { type Fragment, join, sql } from '../../../engines/clickhouse-sql.ts'
import { whole } from '../../sql/whole.ts'
import { didOptional, stepTimes, timeOfStep } from './columns.ts'
import type { FunnelPlan } from './plan.ts'
import { triesStatement } from './tries.ts'
import { never } from './window.ts'

/** The time from the step before, for those who got that far. */
export const secondsTo = (step: number): Fragment => sql`seconds${whole(step)}`

/**
 * One row an actor and breakdown value: actor, label, level (required steps done), seconds1, seconds2, ... (to each
 * step from the one before, averaged over the tries that got that far; meaningless past the level), first_at and
 * last_at (µs; first and last step of the earliest of those tries), did0, did1, ... (whether the optional steps were
 * done in one of them).
 */
export function bestTries(plan: FunnelPlan): Fragment {
  const times = stepTimes(plan)
  const isBest = sql`each = level`
  const seconds = times.slice(1).map((time, index) => {
    const took = sql`arraySum((each, from, to) -> if(${isBest}, to - from, 0), levels, ${times[index] as Fragment}, ${time})`
    return sql`if(level > ${whole(index + 1)}, ${took} / tried / 1000000, 0) AS ${secondsTo(index + 1)}`
  })
  const ended = times.map(
    (time) =>
      sql`arrayMin((each, began, ended) -> if(${isBest} AND began = first_at, ended, ${never}), levels, ${timeOfStep(0)}, ${time})`,
  )
  const columns = [
    sql`actor`,
    sql`label`,
    sql`level`,
    sql`arrayMin((each, began) -> if(${isBest}, began, ${never}), levels, ${timeOfStep(0)}) AS first_at`,
    sql`[${join(ended, ', ')}][level] AS last_at`,
    ...seconds,
    ...plan.optional.map(
      (_, index) =>
        sql`arrayExists((each, did) -> ${isBest} AND did, levels, ${didOptional(index)}) AS ${didOptional(index)}`,
    ),
  ]
  return sql`SELECT ${join(columns, ', ')}
FROM (SELECT *, arrayMax(levels) AS level, countEqual(levels, level) AS tried FROM (${triesStatement(plan)}))`
}
