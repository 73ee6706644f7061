/** The values of a breakdown that a funnel shows, which are read after it is planned and before it is asked. */
import type { StatementRunner } from '../../run/statement-runner.ts'
import { shownValuesStatement } from './breakdown.ts'
import type { FunnelPlan, ShownValue } from './plan.ts'

export async function withShownValues(plan: FunnelPlan, runner: StatementRunner): Promise<FunnelPlan> {
  const { breakdown, steps } = plan
  if (breakdown === undefined || steps.length === 0) return { ...plan, values: [] }
  return { ...plan, values: await runner.ask<ShownValue>(shownValuesStatement(plan, breakdown)) }
}
