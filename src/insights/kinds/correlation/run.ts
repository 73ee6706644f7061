/** Which events or properties go with converting, and which with not. */

import type { FunnelCorrelationQuery } from '../../../contract/queries/index.ts'
import type { Facts } from '../../facts/facts.ts'
import type { StatementRunner } from '../../run/statement-runner.ts'
import { type CorrelationPlan, planCorrelation } from './plan.ts'
import { type CandidateRow, strongest, type Totals } from './statement.ts'

export interface Correlation {
  /** An event; an event, a property and a value; or a property and a value. */
  readonly name: readonly string[]
  readonly success: number
  readonly failure: number
  readonly oddsRatio: number
}

export interface CorrelationResult {
  readonly kind: 'FunnelCorrelationQuery'
  readonly plan: CorrelationPlan['funnel'] & { readonly correlation: CorrelationPlan }
  readonly correlations: readonly Correlation[]
  readonly skewed: boolean
  /** Everybody who came through, and who did not. */
  readonly totals: Totals
}

const SKEWED_FROM = 10
const NOBODY: Totals = { success: 0, failure: 0 }

const isEverybody = ({ name }: CandidateRow): boolean => name.length === 0

export async function runCorrelation(
  query: FunnelCorrelationQuery,
  facts: Facts,
  runner: StatementRunner,
): Promise<CorrelationResult> {
  const correlation = planCorrelation(query, facts)
  const { funnel } = correlation
  const result = (totals: Totals, correlations: readonly Correlation[], skewed: boolean): CorrelationResult => ({
    kind: 'FunnelCorrelationQuery',
    plan: { ...funnel, correlation },
    correlations,
    skewed,
    totals,
  })
  if (funnel.steps.length === 0) return result(NOBODY, [], false)
  const rows = await runner.ask<CandidateRow>(strongest(correlation))
  const { success, failure } = rows.find(isEverybody) ?? NOBODY
  const totals = { success, failure }
  if (success === 0 || failure === 0) return result(totals, [], true)
  const correlations = rows
    .filter((row) => !isEverybody(row))
    .map((row) => ({ ...row, oddsRatio: oddsRatio(row, totals) }))
    .toSorted(byStrength)
  return result(totals, correlations, success / failure > SKEWED_FROM || failure / success > SKEWED_FROM)
}

/** With one imagined actor in each cell, so that none is empty. */
const oddsRatio = (row: CandidateRow, totals: Totals): number =>
  ((row.success + 1) * (totals.failure - row.failure + 1)) / ((totals.success - row.success + 1) * (row.failure + 1))

const isSuccess = ({ oddsRatio }: Correlation): boolean => oddsRatio > 1

function byStrength(a: Correlation, b: Correlation): number {
  if (isSuccess(a) !== isSuccess(b)) return isSuccess(a) ? -1 : 1
  const stronger = isSuccess(a) ? b.oddsRatio - a.oddsRatio : a.oddsRatio - b.oddsRatio
  return stronger || (String(a.name) < String(b.name) ? -1 : 1)
}
