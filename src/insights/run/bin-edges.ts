/** The edges of histogram bins, which are read after a question is planned and before it is asked. */
import type { SeriesNode } from '../../contract/queries/index.ts'
import type { BreakdownPart, BreakdownPlan } from '../plan/breakdown.ts'
import type { Plan } from '../plan/plan.ts'
import { binsOf, edgesStatement } from '../sql/bins.ts'
import type { StatementRunner } from './statement-runner.ts'

/** `nodes` are the series whose values are put into bins. */
export async function withBins<P extends Plan & { readonly breakdown: BreakdownPlan | undefined }>(
  plan: P,
  nodes: readonly SeriesNode[],
  runner: StatementRunner,
): Promise<P> {
  const { breakdown } = plan
  if (breakdown === undefined || breakdown.parts.every((part) => part.binCount === undefined)) return plan
  const withEdges = async (part: BreakdownPart): Promise<BreakdownPart> => {
    if (part.binCount === undefined || nodes.length === 0) return part
    const [row] = await runner.ask<{ edges: number[] }>(edgesStatement(plan, nodes, part, part.binCount))
    return { ...part, bins: binsOf(row?.edges ?? []) }
  }
  const parts: BreakdownPart[] = []
  for (const part of breakdown.parts) parts.push(await withEdges(part))
  return { ...plan, breakdown: { ...breakdown, parts } }
}
