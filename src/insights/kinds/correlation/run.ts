/** Which events or properties go with converting, and which with not. */

import type { FunnelCorrelationQuery } from '../../../contract/queries/index.ts'
import { type Fragment, float, sql, uint } from '../../../engines/clickhouse/index.ts'
import type { InsightContext } from '../../facts/context.ts'
import type { Conversation } from '../../run/statement-runner.ts'
import { candidates } from './candidates.ts'
import { outcomes } from './outcomes.ts'
import { type CorrelationPlan, planCorrelation } from './plan.ts'

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

/** A correlation is shown when so many actors, or so large a share of them, have it. */
const ENOUGH_ACTORS = 25
const ENOUGH_SHARE = 0.02
const SHOWN_OF_EACH = 10
const SKEWED_FROM = 10

export async function runCorrelation(
  query: FunnelCorrelationQuery,
  context: InsightContext,
  conversation: Conversation,
): Promise<CorrelationResult> {
  const correlation = await planCorrelation(query, context, conversation)
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
  const [totals = nobody] = await conversation.ask<Totals>(
    sql`SELECT countIf(converted) AS success, countIf(NOT converted) AS failure FROM (${outcomes(funnel)})`,
  )
  const { success, failure } = totals
  if (success === 0 || failure === 0) return result(totals, [], true)
  const rows = await conversation.ask<Omit<Correlation, 'oddsRatio'>>(strongest(correlation, totals))
  const correlations = rows.map((row) => ({ ...row, oddsRatio: oddsRatio(row, totals) })).toSorted(byStrength)
  return result(totals, correlations, success / failure > SKEWED_FROM || failure / success > SKEWED_FROM)
}

interface Totals {
  readonly success: number
  readonly failure: number
}

/** With one imagined actor in each cell, so that none is empty. */
const oddsRatio = (row: Omit<Correlation, 'oddsRatio'>, totals: Totals): number =>
  ((row.success + 1) * (totals.failure - row.failure + 1)) / ((totals.success - row.success + 1) * (row.failure + 1))

/** The ten strongest of each side. */
function strongest(plan: CorrelationPlan, { success, failure }: Totals): Fragment {
  const enough = float(Math.min(ENOUGH_ACTORS, ENOUGH_SHARE * (success + failure)))
  const odds = sql`(success + 1) * (${uint(failure)} - failure + 1) / ((${uint(success)} - success + 1) * (failure + 1))`
  return sql`SELECT name, success, failure
FROM (
  SELECT *, ${odds} AS odds, row_number() OVER (PARTITION BY odds > 1 ORDER BY if(odds > 1, -odds, odds), name) AS place
  FROM (${candidates(plan)})
  WHERE success + failure >= ${enough}
)
WHERE place <= ${uint(SHOWN_OF_EACH)}`
}

const isSuccess = ({ oddsRatio }: Correlation): boolean => oddsRatio > 1

function byStrength(a: Correlation, b: Correlation): number {
  if (isSuccess(a) !== isSuccess(b)) return isSuccess(a) ? -1 : 1
  const stronger = isSuccess(a) ? b.oddsRatio - a.oddsRatio : a.oddsRatio - b.oddsRatio
  return stronger || (String(a.name) < String(b.name) ? -1 : 1)
}
