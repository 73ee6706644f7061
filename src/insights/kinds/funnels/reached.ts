/** Who did a step, said of the rows of best.ts. */
import { type Fragment, sql } from '../../../engines/clickhouse-sql.ts'
import { whole } from '../../sql/whole.ts'
import { didOptional } from './columns.ts'
import type { FunnelPlan } from './plan.ts'

const optionalAt = (plan: FunnelPlan, step: number): number => plan.optional.findIndex((each) => each.step === step)

export function reachedStep(plan: FunnelPlan, step: number): Fragment {
  const optional = optionalAt(plan, step)
  return optional < 0 ? sql`level > ${whole(plan.required.indexOf(step))}` : didOptional(optional)
}

/** Did the required step before, and not this one. */
export function droppedBefore(plan: FunnelPlan, step: number): Fragment {
  const optional = optionalAt(plan, step)
  if (optional < 0) return sql`level = ${whole(plan.required.indexOf(step))}`
  return sql`level > ${whole(plan.optional[optional]?.after ?? 0)} AND NOT ${didOptional(optional)}`
}
