import { groupBy } from '../../../lib/group-by.ts'
import type { PathRow } from './statement.ts'

/**
 * Edges that can be reached from the first items: where the limit of edges cut a way in two, its rest would hang in the
 * air.
 */
export function reachable(edges: readonly PathRow[]): PathRow[] {
  const from = groupBy(edges, ({ source }) => source)
  const seen = new Set<string>()
  const open = [...from.keys()].filter((source) => source.startsWith('1_'))
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at)) continue
    seen.add(at)
    for (const { target } of from.get(at) ?? []) open.push(target)
  }
  return edges.filter(({ source }) => seen.has(source))
}
