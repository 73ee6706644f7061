/** The aggregates of maths over a property, and by what breakdown values are ranked. */

import { PROPERTY_MATHS, type SeriesMath, type SeriesNode } from '../../../contract/queries/index.ts'
import { type Fragment, sql } from '../../../engines/clickhouse-sql.ts'
import type { SeriesRank } from '../../sql/breakdown.ts'
import type { EventScope, PropertyRef } from '../../sql/event-scope.ts'
import { numberIn } from '../../sql/operators.ts'

/** The property a math is about, as a number. */
export const mathValue = (scope: EventScope, node: SeriesNode): Fragment => numberIn(scope.property(mathProperty(node)))

function mathProperty(node: SeriesNode): PropertyRef {
  const key = node.math_property ?? ''
  switch (node.math_property_type) {
    case 'person_properties':
      return { type: 'person', key }
    case 'session_properties':
      return { type: 'session', key }
    default:
      return { type: 'event', key }
  }
}

/** The aggregate of "p90" and of "p90_count_per_actor". Quantiles are exact and interpolate between neighbours. */
export function aggregateOf(math: SeriesMath): (value: Fragment) => Fragment {
  switch (math.replace('_count_per_actor', '')) {
    case 'sum':
      return (value) => sql`sum(${value})`
    case 'avg':
      return (value) => sql`avg(${value})`
    case 'min':
      return (value) => sql`min(${value})`
    case 'max':
      return (value) => sql`max(${value})`
    case 'p75':
      return (value) => sql`quantileExactInclusive(0.75)(${value})`
    case 'p90':
      return (value) => sql`quantileExactInclusive(0.9)(${value})`
    case 'p95':
      return (value) => sql`quantileExactInclusive(0.95)(${value})`
    case 'p99':
      return (value) => sql`quantileExactInclusive(0.99)(${value})`
    default:
      return (value) => sql`quantileExactInclusive(0.5)(${value})`
  }
}

export const isPropertyMath = (math: SeriesMath): boolean => (PROPERTY_MATHS as readonly SeriesMath[]).includes(math)

/**
 * Values are ranked by what the series shows when that is about a property or an expression, else by the number of
 * events.
 */
export function rankOf(node: SeriesNode, math: SeriesMath): SeriesRank['rank'] | undefined {
  if (math === 'hogql') return (scope) => ({ by: expressionOf(scope, node), ascending: false })
  if (!isPropertyMath(math)) return undefined
  return (scope) => ({ by: aggregateOf(math)(mathValue(scope, node)), ascending: math === 'min' })
}

/** What the series' own expression makes of the events: a number, or else the engine refuses it. */
export const expressionOf = (scope: EventScope, node: SeriesNode): Fragment =>
  sql`(${scope.aggregate(node.math_hogql ?? '', ['series', 'math_hogql'])} + 0)`
