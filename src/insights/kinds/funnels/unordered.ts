/** Tries that begin with any step: how many of the others come strictly later, in whatever order. */
import { type Fragment, join, sql } from '../../../engines/clickhouse-sql.ts'
import { whole } from '../../sql/whole.ts'
import { metExclusion, timeOfStep } from './columns.ts'
import type { Masks } from './masks.ts'
import type { FunnelPlan } from './plan.ts'
import { never, windowEnd } from './window.ts'

/** Out of rows of actor, label and `events`, an actor's step and exclusion events in order. */
export function unorderedTries(plan: FunnelPlan, source: Fragment, masks: Masks): Fragment {
  const steps = plan.chain.map((_, step) => step)
  const met = plan.exclusions.map((_, index) => metExclusion(index))
  const nextTime = (is: (event: Fragment) => Fragment): Fragment =>
    sql`arrayMap(event -> ${masks.timeIf(is(sql`event`), sql`event`)}, ${masks.nextAfter(is)})`
  const ahead = [
    sql`arrayMap(event -> ${masks.timeOf(sql`event`)}, events) AS times`,
    ...steps.map((step) => sql`${nextTime((event) => masks.isStep(event, step))} AS next${whole(step)}`),
    ...met.map((column, index) => sql`${nextTime((event) => masks.isExclusion(event, index))} AS ${column}`),
  ]
  // All tries that begin with the first step, then all that begin with the second, ...
  const begun = (column: (first: number) => Fragment): Fragment =>
    sql`arrayConcat(${join(
      steps.map(
        (first) => sql`arrayFilter((each, event) -> ${masks.isStep(sql`event`, first)}, ${column(first)}, events)`,
      ),
      ', ',
    )})`
  const others = steps.slice(1)
  const tries = [
    sql`${begun(() => sql`times`)} AS ${timeOfStep(0)}`,
    ...others.map(
      (place) => sql`${begun((first) => sql`next${whole(place <= first ? place - 1 : place)}`)} AS ${other(place)}`,
    ),
    ...met.map((column) => sql`${begun(() => column)} AS ${column}`),
  ]
  const inTime = sql`if(each <= ${windowEnd(plan, sql`began`)}, each, ${never})`
  const open = others.map(
    (place) => sql`arrayMap((began, each) -> ${inTime}, ${timeOfStep(0)}, ${other(place)}) AS ${other(place)}`,
  )
  return sql`SELECT ${join([sql`actor`, sql`label`, timeOfStep(0), ...sorted(others.map(other)), ...met], ', ')}
FROM (
SELECT ${join([sql`actor`, sql`label`, timeOfStep(0), ...open, ...met], ', ')}
FROM (
SELECT ${join([sql`actor`, sql`label`, ...tries], ', ')}
FROM (SELECT actor, label, events, ${join(ahead, ', ')} FROM (${source}))
)
)`
}

const other = (place: number): Fragment => sql`other${whole(place)}`

/** The others by time, as `time1`, `time2`, ...: up to three without a list for every try. */
function sorted(others: readonly Fragment[]): Fragment[] {
  if (others.length === 0) return []
  const names = others.map((_, index) => sql`t${whole(index)}`)
  const list = join(names, ', ')
  const least = sql`least(${list}, ${never})`
  const greatest = sql`greatest(${list}, toInt64(0))`
  const sum = names.reduce((all, each) => sql`${all} + ${each}`)
  const inTurn =
    others.length > 3
      ? names.map((_, index) => sql`arraySort([${list}])[${whole(index + 1)}]`)
      : [least, sql`${sum} - ${least} - ${greatest}`, greatest].filter((_, index) =>
          others.length === 3 ? true : others.length === 2 ? index !== 1 : index === 0,
        )
  return inTurn.map(
    (time, index) => sql`arrayMap((${list}) -> ${time}, ${join(others, ', ')}) AS ${timeOfStep(index + 1)}`,
  )
}
