/** Who came through a funnel and who did not, and what goes with it, in SQL. */
import { type Fragment, float, sql, uint } from '../../../engines/clickhouse-sql.ts'
import { candidates } from './candidates.ts'
import type { CorrelationPlan } from './plan.ts'

/** A correlation is shown when so many actors, or so large a share of them, have it. */
const ENOUGH_ACTORS = 25
const ENOUGH_SHARE = 0.02
const SHOWN_OF_EACH = 10

export interface Totals {
  readonly success: number
  readonly failure: number
}

/** One row of the statement: without a name, of everybody. */
export interface CandidateRow extends Totals {
  readonly name: readonly string[]
}

/** The ten strongest of each side, and everybody. */
export function strongest(plan: CorrelationPlan): Fragment {
  const odds = sql`(success + 1) * (all_failure - failure + 1) / ((all_success - success + 1) * (failure + 1))`
  const enough = sql`least(${float(ENOUGH_ACTORS)}, ${float(ENOUGH_SHARE)} * (all_success + all_failure))`
  return sql`SELECT name, success, failure
FROM (
  SELECT *, ${odds} AS odds,
    row_number() OVER (PARTITION BY empty(name), odds > 1 ORDER BY if(odds > 1, -odds, odds), name) AS place
  FROM (
    SELECT *, maxIf(success, empty(name)) OVER () AS all_success, maxIf(failure, empty(name)) OVER () AS all_failure
    FROM (${candidates(plan)})
  )
  WHERE empty(name) OR success + failure >= ${enough}
)
WHERE place <= ${uint(SHOWN_OF_EACH)}`
}
