/** How many got how far, and how long it took them. */
import { type Fragment, join, sql } from '../../engines/clickhouse/index.ts'
import type { Conversation } from '../engine.ts'
import { whole } from '../sql/whole.ts'
import { bestTries } from './best.ts'
import { OTHER } from './breakdown.ts'
import type { FunnelPlan } from './plan.ts'
import type { FunnelGroup, FunnelStepsResult } from './result.ts'

interface Row {
  readonly labels: readonly string[]
  readonly counts: readonly number[]
  readonly averages: readonly (number | null)[]
  readonly medians: readonly (number | null)[]
}

export async function funnelSteps(plan: FunnelPlan, conversation: Conversation): Promise<FunnelStepsResult> {
  const rows = plan.steps.length === 0 ? [] : await conversation.ask<Row>(stepsStatement(plan))
  const groups = rows.map((row) => groupOf(plan, row)).toSorted(byImportance)
  const empty = plan.breakdown === undefined && groups.length === 0 && plan.steps.length > 0
  return { kind: 'FunnelsQuery', viz: 'steps', plan, groups: empty ? [groupOf(plan, nobody(plan))] : groups }
}

function stepsStatement(plan: FunnelPlan): Fragment {
  const levels = plan.steps.map((_, step) => whole(step + 1))
  const counts = levels.map((level) => sql`countIf(level >= ${level})`)
  // Only who made the transition has a time for it; an average over nobody is no number, and null in JSON.
  const later = levels.slice(0, -1)
  const averages = later.map((done) => sql`avgIf(seconds[${done}], level > ${done})`)
  const medians = later.map((done) => sql`quantileExactInclusiveIf(0.5)(seconds[${done}], level > ${done})`)
  const list = (parts: readonly Fragment[]) => sql`CAST([${join(parts, ', ')}], 'Array(Float64)')`
  return sql`SELECT labels, [${join(counts, ', ')}] AS counts, ${list(averages)} AS averages, ${list(medians)} AS medians
FROM (${bestTries(plan)})
GROUP BY labels`
}

function groupOf(plan: FunnelPlan, row: Row): FunnelGroup {
  return {
    labels: row.labels,
    counts: row.counts.map((count) => (plan.sampling === undefined ? count : Math.round(count / plan.sampling))),
    averages: [null, ...row.averages],
    medians: [null, ...row.medians],
  }
}

const nobody = (plan: FunnelPlan): Row => ({
  labels: [],
  counts: plan.steps.map(() => 0),
  averages: plan.steps.slice(1).map(() => null),
  medians: plan.steps.slice(1).map(() => null),
})

const isOther = ({ labels }: FunnelGroup): boolean => labels[0] === OTHER

function byImportance(a: FunnelGroup, b: FunnelGroup): number {
  if (isOther(a) !== isOther(b)) return isOther(a) ? 1 : -1
  return (b.counts[0] ?? 0) - (a.counts[0] ?? 0) || (String(a.labels) < String(b.labels) ? -1 : 1)
}
