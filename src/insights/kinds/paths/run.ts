/** Where actors go from where. */

import type { PathsQuery } from '../../../contract/queries/index.ts'
import type { Facts } from '../../facts/facts.ts'
import type { StatementRunner } from '../../run/statement-runner.ts'
import { type PathsPlan, planPaths } from './plan.ts'
import { reachable } from './reachable.ts'
import { type PathRow, pathsStatement } from './statement.ts'

export interface PathsResult {
  readonly kind: 'PathsQuery'
  readonly plan: PathsPlan
  readonly edges: readonly PathRow[]
}

export async function runPaths(query: PathsQuery, facts: Facts, runner: StatementRunner): Promise<PathsResult> {
  const plan = planPaths(query, facts)
  const found = await runner.ask<PathRow>(pathsStatement(plan))
  const scale = 1 / (plan.sampling ?? 1)
  const edges = reachable(found).map((edge) => ({ ...edge, value: Math.round(edge.value * scale) }))
  return { kind: 'PathsQuery', plan, edges }
}
