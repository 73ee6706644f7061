/** Who came through a funnel and who did not, and what goes with it, in SQL. */
import { type Fragment, float, sql, uint } from '../../../engines/clickhouse-sql.ts'
import { candidates } from './candidates.ts'
import { outcomes } from './outcomes.ts'
import type { CorrelationPlan } from './plan.ts'

/** A correlation is shown when so many actors, or so large a share of them, have it. */
const ENOUGH_ACTORS = 25
const ENOUGH_SHARE = 0.02
const SHOWN_OF_EACH = 10

export interface Totals {
  readonly success: number
  readonly failure: number
}

export const totalsStatement = (funnel: CorrelationPlan['funnel']): Fragment =>
  sql`SELECT countIf(converted) AS success, countIf(NOT converted) AS failure FROM (${outcomes(funnel)})`

/** The ten strongest of each side. */
export function strongest(plan: CorrelationPlan, { success, failure }: Totals): Fragment {
  const enough = float(Math.min(ENOUGH_ACTORS, ENOUGH_SHARE * (success + failure)))
  const odds = sql`(success + 1) * (${uint(failure)} - failure + 1) / ((${uint(success)} - success + 1) * (failure + 1))`
  return sql`SELECT name, success, failure
FROM (
  SELECT *, ${odds} AS odds, row_number() OVER (PARTITION BY odds > 1 ORDER BY if(odds > 1, -odds, odds), name) AS place
  FROM (${candidates(plan)})
  WHERE success + failure >= ${enough}
)
WHERE place <= ${uint(SHOWN_OF_EACH)}`
}
