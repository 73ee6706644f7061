/** Of the persons active in an interval, who is new, who came back, who had been away; and who stopped. */

import type { LifecycleQuery } from '../../../contract/queries/index.ts'
import type { Facts } from '../../facts/facts.ts'
import type { StatementRunner } from '../../run/statement-runner.ts'
import { type LifecyclePlan, planLifecycle } from './plan.ts'
import { type LifecycleStatus, lifecycleStatement, STATUSES } from './statement.ts'

interface LifecycleSeries {
  readonly status: LifecycleStatus
  /** One number an interval; negative for those who stopped. */
  readonly data: readonly number[]
}

export interface LifecycleResult {
  readonly kind: 'LifecycleQuery'
  readonly plan: LifecyclePlan
  readonly series: readonly LifecycleSeries[]
}

interface Row {
  readonly status: LifecycleStatus
  readonly place: number
  readonly persons: number
}

export async function runLifecycle(
  query: LifecycleQuery,
  facts: Facts,
  runner: StatementRunner,
): Promise<LifecycleResult> {
  const plan = planLifecycle(query, facts)
  const rows = plan.node === undefined ? [] : await runner.ask<Row>(lifecycleStatement(plan, plan.node))
  const found = new Map(rows.map(({ status, place, persons }) => [`${status} ${place}`, persons]))
  const scale = (status: LifecycleStatus) => (status === 'dormant' ? -1 : 1) / (plan.sampling ?? 1)
  const series = STATUSES.map((status) => ({
    status,
    data: plan.range.buckets.map(
      (_, bucket) => Math.round((found.get(`${status} ${bucket + 1}`) ?? 0) * scale(status)) || 0,
    ),
  }))
  return { kind: 'LifecycleQuery', plan, series: plan.node === undefined ? [] : series }
}
