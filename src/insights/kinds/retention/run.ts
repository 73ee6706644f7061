/** Of those who came in an interval, how many came back in each of the following. */

import type { RetentionQuery } from '../../../contract/queries/index.ts'
import { groupBy } from '../../../lib/group-by.ts'
import { askEach, cohortBreakdown, cohortsIn } from '../../definitions/by-cohort.ts'
import type { Facts } from '../../facts/facts.ts'
import { OTHER_LABEL } from '../../plan/breakdown.ts'
import { withBins } from '../../run/bin-edges.ts'
import type { StatementRunner } from '../../run/statement-runner.ts'
import { cellsIn } from './brackets.ts'
import { planRetention, type RetentionPlan } from './plan.ts'
import { type RetentionRow, retentionStatement } from './statement.ts'

interface RetentionGroup {
  /** The breakdown's values; undefined without a breakdown. */
  readonly labels: readonly string[] | undefined
  /**
   * rows[i][j]: came in interval i and came back j intervals (or in bracket j) later. Rows end where the table does.
   */
  readonly rows: readonly (readonly number[])[]
}

export interface RetentionResult {
  readonly kind: 'RetentionQuery'
  readonly plan: RetentionPlan
  /** One without a breakdown; else one a value, the largest first. */
  readonly groups: readonly RetentionGroup[]
}

export async function runRetention(
  query: RetentionQuery,
  facts: Facts,
  runner: StatementRunner,
): Promise<RetentionResult> {
  const cohorts = cohortsIn(query.breakdownFilter, facts.definitions)
  if (cohorts === undefined) return run(query, facts, runner)
  const results = await askEach(query, cohorts, (each) => run(each, facts, runner))
  const plan = { ...results[0].result.plan, query, breakdown: cohortBreakdown(cohorts) }
  const groups = results.flatMap(({ cohort, result }) =>
    result.groups.map((group) => ({ ...group, labels: [cohort.id] })),
  )
  return { kind: 'RetentionQuery', plan, groups }
}

async function run(query: RetentionQuery, facts: Facts, runner: StatementRunner): Promise<RetentionResult> {
  const planned = planRetention(query, facts)
  const plan = await withBins(planned, [planned.target], runner)
  const found = await runner.ask<RetentionRow>(retentionStatement(plan))
  if (plan.breakdown === undefined)
    return { kind: 'RetentionQuery', plan, groups: [{ labels: undefined, rows: tableOf(plan, found) }] }
  const groups = [...groupBy(found, ({ labels }) => JSON.stringify(labels)).values()].map((rows) => ({
    labels: rows[0]?.labels ?? [],
    rows: tableOf(plan, rows),
  }))
  return { kind: 'RetentionQuery', plan, groups: groups.toSorted(byImportance) }
}

function tableOf(plan: RetentionPlan, found: readonly RetentionRow[]): number[][] {
  const cells = new Map(found.map(({ came, after, actors }) => [`${came} ${after}`, actors]))
  const count = plan.range.buckets.length
  return plan.range.buckets.map((_, row) =>
    Array.from({ length: cellsIn(plan, count - row) }, (_, after) =>
      Math.round((cells.get(`${row + 1} ${after}`) ?? 0) / (plan.sampling ?? 1)),
    ),
  )
}

/** By how many came, then in the order of their texts; the rest last. */
function byImportance(a: RetentionGroup, b: RetentionGroup): number {
  const isRest = ({ labels }: RetentionGroup) => Number(labels?.every((label) => label === OTHER_LABEL) ?? false)
  const came = ({ rows }: RetentionGroup) => rows.reduce((sum, [first = 0]) => sum + first, 0)
  return isRest(a) - isRest(b) || came(b) - came(a) || (String(a.labels) < String(b.labels) ? -1 : 1)
}
