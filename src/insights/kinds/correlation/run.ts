/** Which events or properties go with converting, and which with not. */

import type { FunnelCorrelationQuery } from '../../../contract/queries/index.ts'
import type { Facts } from '../../facts/facts.ts'
import type { StatementRunner } from '../../run/statement-runner.ts'
import { type CorrelationPlan, planCorrelation } from './plan.ts'
import { strongest, type Totals, totalsStatement } from './statement.ts'

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
  const nobody = { success: 0, failure: 0 }
  if (funnel.steps.length === 0) return result(nobody, [], false)
  const [totals = nobody] = await runner.ask<Totals>(totalsStatement(funnel))
  const { success, failure } = totals
  if (success === 0 || failure === 0) return result(totals, [], true)
  const rows = await runner.ask<Omit<Correlation, 'oddsRatio'>>(strongest(correlation, totals))
  const correlations = rows.map((row) => ({ ...row, oddsRatio: oddsRatio(row, totals) })).toSorted(byStrength)
  return result(totals, correlations, success / failure > SKEWED_FROM || failure / success > SKEWED_FROM)
}

/** With one imagined actor in each cell, so that none is empty. */
const oddsRatio = (row: Omit<Correlation, 'oddsRatio'>, totals: Totals): number =>
  ((row.success + 1) * (totals.failure - row.failure + 1)) / ((totals.success - row.success + 1) * (row.failure + 1))

const isSuccess = ({ oddsRatio }: Correlation): boolean => oddsRatio > 1

function byStrength(a: Correlation, b: Correlation): number {
  if (isSuccess(a) !== isSuccess(b)) return isSuccess(a) ? -1 : 1
  const stronger = isSuccess(a) ? b.oddsRatio - a.oddsRatio : a.oddsRatio - b.oddsRatio
  return stronger || (String(a.name) < String(b.name) ? -1 : 1)
}
