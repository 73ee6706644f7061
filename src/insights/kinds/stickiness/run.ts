/** In how many intervals of the range actors were active: how many in exactly one, in two, and so on. */

import type { SeriesNode, StickinessQuery } from '../../../contract/queries/index.ts'
import { groupBy } from '../../../lib/group-by.ts'
import type { Facts } from '../../facts/facts.ts'
import type { DateRange } from '../../plan/date-range.ts'
import type { StatementRunner } from '../../run/statement-runner.ts'
import { intervalsIn, planStickiness, type StickinessPeriod, type StickinessPlan } from './plan.ts'
import { type StickinessRow, stickinessStatement } from './statement.ts'

interface StickinessSeries {
  readonly index: number
  readonly node: SeriesNode
  readonly period: StickinessPeriod
  readonly data: readonly number[]
}

export interface StickinessResult {
  readonly kind: 'StickinessQuery'
  readonly plan: StickinessPlan
  readonly series: readonly StickinessSeries[]
}

export async function runStickiness(
  query: StickinessQuery,
  facts: Facts,
  runner: StatementRunner,
): Promise<StickinessResult> {
  const plan = planStickiness(query, facts)
  const statement = stickinessStatement(plan)
  const rows = statement === undefined ? [] : await runner.ask<StickinessRow>(statement)
  const found = groupBy(rows, ({ series, period }) => `${series} ${period}`)
  const series = plan.periods.flatMap((period) =>
    plan.series.map(({ index, node }) => ({
      index,
      node,
      period,
      data: dataOf(plan, period.range, found.get(`${index} ${period.label}`) ?? []),
    })),
  )
  return { kind: 'StickinessQuery', plan, series }
}

function dataOf(plan: StickinessPlan, range: DateRange, rows: readonly StickinessRow[]): number[] {
  const actors = new Map(rows.map((row) => [row.intervals, row.actors]))
  const exactly = Array.from({ length: intervalsIn(plan, range) }, (_, at) =>
    Math.round((actors.get(at + 1) ?? 0) / (plan.sampling ?? 1)),
  )
  if (!plan.cumulative) return exactly
  return exactly.map((_, at) => exactly.slice(at).reduce((sum, each) => sum + each, 0))
}
