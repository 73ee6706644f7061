/** How many came in which interval and came back in which, in SQL. Intervals are numbered from 1. */
import { type Fragment, join, sql, strings, uint } from '../../../engines/clickhouse-sql.ts'
import { type BreakdownPlan, DEFAULT_BREAKDOWN_LIMIT, OTHER_LABEL } from '../../plan/breakdown.ts'
import { whole } from '../../sql/whole.ts'
import { actorIntervals } from './actor-intervals.ts'
import { inBrackets } from './brackets.ts'
import type { RetentionPlan } from './plan.ts'

export interface RetentionRow {
  readonly labels: readonly string[]
  readonly came: number
  /** Intervals until the return, or the number of the bracket they are in; 0 for having come. */
  readonly after: number
  readonly actors: number
}

export function retentionStatement(plan: RetentionPlan): Fragment {
  const pairs = sql`arrayFlatten(arrayMap(start -> arrayMap(back -> (start, back - start), ${returnsOf(plan)}), targets))`
  const cells = sql`arrayJoin(${inBrackets(pairs, plan.brackets)})`
  if (plan.breakdown === undefined) {
    return sql`SELECT CAST([], 'Array(String)') AS labels, cell.1 AS came, cell.2 AS after, count() AS actors
FROM (SELECT ${cells} AS cell FROM (${actorIntervals(plan)}))
GROUP BY came, after`
  }
  // An actor may have several of the values that are shown as one, and still counts once.
  return sql`SELECT shown AS labels, cell.1 AS came, cell.2 AS after, uniqExact(actor) AS actors
FROM (
  SELECT actor, ${shownLabels(plan, plan.breakdown)} AS shown, ${cells} AS cell
  FROM (${actorIntervals(plan)})
  WHERE ${plan.breakdown.hideOther ? isTop(plan, plan.breakdown) : sql`1`}
)
GROUP BY labels, came, after`
}

/** Coming counts as the return after no interval. Cumulative: whoever comes back later is still there before. */
function returnsOf(plan: RetentionPlan): Fragment {
  const later = sql`arrayFilter(back -> back > start, returns)`
  if (!plan.cumulative) return sql`arrayPushBack(${later}, start)`
  return sql`arrayPushBack(range(start + 1, arrayMax(arrayPushBack(${later}, start)) + 1), start)`
}

/** What a value is shown as: itself, or one of the rest. */
export const shownLabels = (plan: RetentionPlan, breakdown: BreakdownPlan): Fragment =>
  sql`if(${isTop(plan, breakdown)}, labels, ${strings(breakdown.parts.map(() => OTHER_LABEL))})`

/** Whether a value is among those that most came with. */
function isTop(plan: RetentionPlan, breakdown: BreakdownPlan): Fragment {
  const values = join(
    breakdown.parts.map((_, part) => sql`labels[${whole(part + 1)}]`),
    ', ',
  )
  return sql`(${values}) IN (
  SELECT ${values} FROM (${actorIntervals(plan)})
  GROUP BY labels
  ORDER BY sum(length(targets)) DESC, labels
  LIMIT ${uint(breakdown.limit ?? DEFAULT_BREAKDOWN_LIMIT)}
)`
}
