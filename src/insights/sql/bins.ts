/** Histogram bins: quantiles of the distinct values that the series see. */
import type { SeriesNode } from '../../contract/queries/index.ts'
import { and, type Fragment, or, Param, sql } from '../../engines/clickhouse-sql.ts'
import type { BreakdownPart } from '../plan/breakdown.ts'
import { eventConditions, type Plan, scopeOf } from '../plan/plan.ts'
import { numberIn } from './operators.ts'

/** The value at each i/k of the sorted distinct values, between neighbours where it falls between. */
export function edgesStatement(
  plan: Plan,
  nodes: readonly SeriesNode[],
  { ref }: BreakdownPart,
  bins: number,
): Fragment {
  const scope = scopeOf(plan)
  const value = numberIn(scope.property(ref))
  const anySeries = or(nodes.map((node) => and(eventConditions(plan, scope, node))))
  const levels = new Param(
    'Array(Float64)',
    Array.from({ length: bins + 1 }, (_, index) => index / bins),
  )
  return sql`SELECT arrayMap(level -> sorted[toUInt64(floor(level * last)) + 1] * (1 - (level * last - floor(level * last)))
  + sorted[least(toUInt64(floor(level * last)) + 2, last + 1)] * (level * last - floor(level * last)), ${levels}) AS edges
FROM (
  SELECT arraySort(groupUniqArray(assumeNotNull(${value}))) AS sorted, length(sorted) - 1 AS last
  FROM ${scope.from()}
  WHERE (${anySeries}) AND isNotNull(${value})
)
WHERE notEmpty(sorted)`
}

/** Edges to two decimals, each once; the last bin reaches a little further, so that it holds the largest value. */
export function binsOf(quantiles: readonly number[]): NonNullable<BreakdownPart['bins']> {
  const edges: number[] = []
  for (const quantile of quantiles) {
    const edge = floored(quantile)
    if (edges.at(-1) !== edge) edges.push(edge)
  }
  if (edges.length === 0) return { edges: [], labels: [] }
  const end = Number(((edges.at(-1) as number) + 0.01).toFixed(2))
  if (edges.length === 1) edges.push(end)
  else edges[edges.length - 1] = end
  return { edges, labels: edges.slice(0, -1).map((edge, index) => `[${edge},${edges[index + 1]}]`) }
}

/** 0.29 * 100 is 28.999999999999996: what is a whole number of hundredths but for that stays one. */
const floored = (value: number): number => Math.floor(Number((value * 100).toPrecision(15))) / 100
