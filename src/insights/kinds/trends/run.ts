import type { TrendsQuery } from '../../../contract/queries/index.ts'
import { askEach, cohortBreakdown, cohortsIn } from '../../definitions/by-cohort.ts'
import type { Facts } from '../../facts/facts.ts'
import { refuseTooManyPoints } from '../../plan/question-size.ts'
import { withBins } from '../../run/bin-edges.ts'
import type { StatementRunner } from '../../run/statement-runner.ts'
import { assembleTrends } from './assemble.ts'
import { nodesOf, planTrends, type TrendsPlan } from './plan.ts'
import type { TrendsResult } from './result.ts'
import { type TrendRow, trendsStatement } from './statement.ts'

export async function runTrends(query: TrendsQuery, facts: Facts, runner: StatementRunner): Promise<TrendsResult> {
  const cohorts = cohortsIn(query.breakdownFilter, facts.definitions)
  if (cohorts === undefined) return run(query, facts, runner)
  const results = await askEach(query, cohorts, (each) => run(each, facts, runner))
  const plan = { ...results[0].result.plan, query, breakdown: cohortBreakdown(cohorts) }
  const place = (label: string) => plan.periods.findIndex((period) => period.label === label)
  const series = results
    .flatMap(({ cohort, result }) => result.series.map((each) => ({ ...each, labels: [cohort.id] })))
    .toSorted((a, b) => place(a.period.label) - place(b.period.label) || (a.index ?? 0) - (b.index ?? 0))
  return { kind: 'TrendsQuery', plan, series, hasMore: false }
}

async function run(query: TrendsQuery, facts: Facts, runner: StatementRunner): Promise<TrendsResult> {
  const planned = planTrends(query, facts)
  const plan = await withBins(planned, nodesOf(planned), runner)
  refuseTooManyLines(plan, plan.series.length * plan.periods.length)
  const statement = trendsStatement(plan)
  const rows = statement === undefined ? [] : await runner.ask<TrendRow>(statement)
  refuseTooManyLines(plan, linesIn(rows))
  return assembleTrends(plan, rows)
}

/** How many values a breakdown has is known only when they are there. */
const linesIn = (rows: readonly TrendRow[]): number =>
  new Set(rows.map(({ period, series, labels }) => JSON.stringify([period, series, labels]))).size

function refuseTooManyLines({ range, totalValue, breakdown }: TrendsPlan, lines: number): void {
  const { buckets, interval } = range
  const intervals = totalValue ? 1 : buckets.length
  refuseTooManyPoints({ intervals, interval, lines, isBrokenDown: breakdown !== undefined })
}
