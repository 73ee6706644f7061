/** The edges of histogram bins, which are read after a trend is planned and before it is asked. */
import type { BreakdownPart } from '../../plan/breakdown.ts'
import type { StatementRunner } from '../../run/statement-runner.ts'
import { binsOf, edgesStatement } from './bins.ts'
import type { TrendsPlan } from './plan.ts'

export async function withBins(plan: TrendsPlan, runner: StatementRunner): Promise<TrendsPlan> {
  const { breakdown } = plan
  if (breakdown === undefined || breakdown.parts.every((part) => part.binCount === undefined)) return plan
  const parts: BreakdownPart[] = []
  for (const part of breakdown.parts) parts.push(await withEdges(plan, part, runner))
  return { ...plan, breakdown: { ...breakdown, parts } }
}

async function withEdges(plan: TrendsPlan, part: BreakdownPart, runner: StatementRunner): Promise<BreakdownPart> {
  if (part.binCount === undefined || plan.series.length === 0) return part
  const [row] = await runner.ask<{ edges: number[] }>(edgesStatement(plan, part, part.binCount))
  return { ...part, bins: binsOf(row?.edges ?? []) }
}
