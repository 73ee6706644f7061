/** Where a part of the node that a legacy filter became stood in that filter: messages name what the client sent. */

import { asFields, type Fields } from '../../contract/queries/index.ts'
import type { Path } from '../../lib/invalid-input.ts'

export type Place = (path: Path) => Path

/** Nodes put these around what stands at the top of a filter. */
const WRAPPERS = /^(?:dateRange|(?:trends|funnels|retention|paths|stickiness|lifecycle|breakdown|compare)Filter)$/
/** Names that are not simply the node's in snake case. */
const NAMES: Readonly<Record<string, string>> = {
  kind: 'insight',
  breakdown_offset: 'offset',
  holdConstant: 'funnel_hold_constant',
  funnelAggregateByHogQL: 'funnel_aggregate_by_hogql',
  pathsHogQLExpression: 'paths_hogql_expression',
  toggledLifecycles: 'toggledLifecycles',
  funnelPathType: 'funnel_paths',
}
/** Those of the nodes that say which number of an insight is meant. */
const OF_ACTORS: Readonly<Record<string, string>> = {
  series: 'entity_order',
  breakdown: 'breakdown_value',
  compare: 'compare_label',
  status: 'lifecycle_type',
  interval: 'selected_interval',
  funnelTrendsDropOff: 'drop_off',
  funnelTrendsEntrancePeriodStart: 'entrance_period_start',
}

/** `series` says where each series came from: in `events` or in `actions`, and at which place. */
export function placeInLegacy(filter: Fields, series: readonly Path[], ofActors = false): Place {
  const inner = asFields(filter.filters)
  const place = (path: Path, insideSource: boolean): Path => {
    const [first, ...rest] = path
    if (first === undefined) return []
    if (first === 'source') return place(rest, true)
    if (first === 'funnelPathsFilter') return inFunnelPaths(rest)
    if (typeof first === 'string' && WRAPPERS.test(first)) return rest.length === 0 ? [] : place(rest, insideSource)
    if (ofActors && !insideSource && Object.hasOwn(OF_ACTORS, first)) return [OF_ACTORS[first] as string, ...rest]
    if (first === 'series') return inSeries(rest)
    return [nameOf(first), ...(first === 'exclusions' || first.toString().endsWith('Entity') ? rest.map(nameOf) : rest)]
  }
  const inSeries = ([index, ...rest]: Path): Path => {
    const from = series[Number(index)]
    if (from === undefined) return ['events']
    return [...from, ...(rest[0] === 'event' ? ['id', ...rest.slice(1)] : rest)]
  }
  const inFunnelPaths = ([first, ...rest]: Path): Path => {
    if (first === 'funnelSource')
      return ['funnel_filter', ...placeInLegacy(asFields(filter.funnel_filter) ?? {}, [])(rest)]
    return first === 'funnelStep' ? ['funnel_filter', 'funnel_step'] : ['funnel_paths']
  }
  return (path) => {
    const placed = place(path, false)
    return inner !== undefined && placed.length > 0 && Object.hasOwn(inner, placed[0] as string)
      ? ['filters', ...placed]
      : placed
  }
}

function nameOf(name: string | number): string | number {
  if (typeof name === 'number') return name
  return NAMES[name] ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
