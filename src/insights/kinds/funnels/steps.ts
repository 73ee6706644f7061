/** How many got how far, and how long it took them. */
import { type Fragment, join, sql } from '../../../engines/clickhouse-sql.ts'
import { whole } from '../../sql/whole.ts'
import { bestTries, secondsTo } from './best.ts'
import { isShown, labelsOf, OTHER } from './breakdown.ts'
import type { FunnelPlan } from './plan.ts'
import { reachedStep } from './reached.ts'
import type { FunnelGroup, FunnelStepsResult } from './result.ts'

export interface StepsRow {
  readonly label: number
  readonly counts: readonly number[]
  /** Of the required steps after the first. */
  readonly averages: readonly (number | null)[]
  readonly medians: readonly (number | null)[]
  readonly total_medians: readonly (number | null)[]
}

export function stepsResult(plan: FunnelPlan, rows: readonly StepsRow[]): FunnelStepsResult {
  const groups = rows
    .filter(({ label }) => isShown(plan, label))
    .map((row) => groupOf(plan, row))
    .toSorted(byImportance)
  const empty = plan.breakdown === undefined && groups.length === 0 && plan.steps.length > 0
  return { kind: 'FunnelsQuery', viz: 'steps', plan, groups: empty ? [nobody(plan, [])] : groups }
}

export function stepsStatement(plan: FunnelPlan): Fragment {
  const counts = plan.steps.map((_, step) => sql`countIf(${reachedStep(plan, step)})`)
  // Only who made the transition has a time for it; an average over nobody is no number, and null in JSON.
  const later = plan.chain.slice(1).map((_, index) => index + 1)
  const averages = later.map((step) => sql`avgIf(${secondsTo(step)}, level > ${whole(step)})`)
  const medians = later.map((step) => sql`quantileExactInclusiveIf(0.5)(${secondsTo(step)}, level > ${whole(step)})`)
  const totals = later.map((step) => {
    const took = later
      .slice(0, step)
      .map(secondsTo)
      .reduce((sum, seconds) => sql`${sum} + ${seconds}`)
    return sql`quantileExactInclusiveIf(0.5)(${took}, level > ${whole(step)})`
  })
  const list = (parts: readonly Fragment[]) => sql`CAST([${join(parts, ', ')}], 'Array(Float64)')`
  return sql`SELECT label, [${join(counts, ', ')}] AS counts, ${list(averages)} AS averages, ${list(medians)} AS medians,
  ${list(totals)} AS total_medians
FROM (${bestTries(plan)})
GROUP BY label`
}

function groupOf(plan: FunnelPlan, row: StepsRow): FunnelGroup {
  const times = (ofRequired: readonly (number | null)[]): (number | null)[] =>
    plan.steps.map((_, step) => ofRequired[plan.required.indexOf(step) - 1] ?? null)
  return {
    labels: labelsOf(plan, row.label),
    counts: row.counts.map((count) => (plan.sampling === undefined ? count : Math.round(count / plan.sampling))),
    averages: times(row.averages),
    medians: times(row.medians),
    totalMedians: times(row.total_medians),
  }
}

/** A funnel that nobody entered. */
export function nobody(plan: FunnelPlan, labels: readonly string[]): FunnelGroup {
  const nothing = plan.steps.map(() => null)
  return { labels, counts: plan.steps.map(() => 0), averages: nothing, medians: nothing, totalMedians: nothing }
}

const isOther = ({ labels }: FunnelGroup): boolean => labels[0] === OTHER

function byImportance(a: FunnelGroup, b: FunnelGroup): number {
  if (isOther(a) !== isOther(b)) return isOther(a) ? 1 : -1
  return (b.counts[0] ?? 0) - (a.counts[0] ?? 0) || (String(a.labels) < String(b.labels) ? -1 : 1)
}
