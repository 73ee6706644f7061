/**
 * Tries in which each step is the earliest event at or after the step before. Which event that is does not depend on
 * where the try began, so the chain of steps is built once from the last event to the first: each event knows where the
 * chain goes from here. Each step is a column of plain numbers; tuples would be carried from event to event several
 * times more slowly.
 */
import { type Fragment, join, sql } from '../../../engines/clickhouse-sql.ts'
import { exclusionId, hasId, timeOf } from './codes.ts'
import { codeOfStep, metExclusion, seenOptional, timesFromCodes } from './columns.ts'
import type { FunnelPlan } from './plan.ts'
import { never } from './window.ts'

/** What a try looks out for besides its steps: the first event of this id after one of them. */
interface Lookout {
  readonly column: Fragment
  readonly id: number
  readonly after: number
}

/** Out of rows of actor, label and `events`, an actor's codes in order. */
export function orderedTries(plan: FunnelPlan, source: Fragment): Fragment {
  const lookouts = lookoutsOf(plan)
  const rest = plan.chain.map((_, step) => step).slice(1)
  const { statement, carried } = rest.reduceRight(
    ({ statement, carried }, step) => {
      const found = foundFrom(step, lookouts)
      const columns = [...carried.map((column) => ({ column, from: column })), ...found].map(
        ({ column, from }) =>
          sql`arrayReverseFill((each, code) -> ${hasId(sql`code`, step)}, ${from}, events) AS ${column}`,
      )
      return {
        statement: sql`SELECT actor, label, events, ${join(columns, ', ')}\nFROM (${statement})`,
        carried: [...carried, ...found.map(({ column }) => column)],
      }
    },
    { statement: source, carried: [] as readonly Fragment[] },
  )
  const begun = [...carried.map((column) => ({ column, from: column })), ...foundFrom(0, lookouts)].map(
    ({ column, from }) => sql`arrayFilter((each, code) -> ${hasId(sql`code`, 0)}, ${from}, events) AS ${column}`,
  )
  const times = [...timesFromCodes(plan, timeOf, hasId), ...lookouts.map(lookoutTime)]
  return sql`SELECT actor, label, ${join(times, ', ')}
FROM (
SELECT actor, label, ${join(begun, ', ')}
FROM (${statement})
)`
}

/** What comes up with a step: its own events, and what is looked out for from there on. */
const foundFrom = (step: number, lookouts: readonly Lookout[]): { column: Fragment; from: Fragment }[] => [
  { column: codeOfStep(step), from: sql`events` },
  ...lookouts
    .filter(({ after }) => after === step)
    .map(({ column, id }) => ({ column, from: sql`arrayReverseFill(code -> ${hasId(sql`code`, id)}, events)` })),
]

const lookoutsOf = (plan: FunnelPlan): Lookout[] => [
  ...plan.exclusions.map(({ from }, index) => ({ column: metExclusion(index), id: exclusionId(index), after: from })),
  ...plan.optional.map(({ after }, index) => ({ column: seenOptional(index), id: plan.chain.length + index, after })),
]

/** Where nothing of that id came any more, the code is one of something else. */
const lookoutTime = ({ column, id }: Lookout): Fragment =>
  sql`arrayMap(code -> if(${hasId(sql`code`, id)}, ${timeOf(sql`code`)}, ${never}), ${column}) AS ${column}`
