/** Which events a series is about. */

import type { SeriesNode } from '../../contract/queries/index.ts'
import { and, type Fragment, or, sql, str } from '../../engines/clickhouse-sql.ts'
import type { EventScope } from './event-scope.ts'
import { conditionsOf } from './filter.ts'
import type { OperatorContext } from './operators.ts'

/** The event's name, and the series' own filters. */
export const seriesConditions = (scope: EventScope, series: SeriesNode, context: OperatorContext): Fragment[] => [
  ...nameConditions(scope, series, context),
  ...conditionsOf(scope, series.properties, context),
  ...conditionsOf(scope, series.fixedProperties, context),
]

/**
 * The event's name alone. A series without a name is about all events; one about an action that is not there, about
 * none.
 */
export function nameConditions(scope: EventScope, series: SeriesNode, context: OperatorContext): Fragment[] {
  switch (series.kind) {
    case 'EventsNode':
      return series.event === undefined ? [] : [sql`e.event = ${str(series.event)}`]
    case 'ActionsNode':
      return [anyOf(scope, series.nodes ?? [], context)]
    case 'GroupNode':
      return [anyOf(scope, series.nodes, context)]
  }
}

/** An event that any of the series is about. */
export const anyOf = (scope: EventScope, series: readonly SeriesNode[], context: OperatorContext): Fragment =>
  or(series.map((node) => and(seriesConditions(scope, node, context))))

/** A series about an action that is not there has no result. */
export const isUnknownAction = (node: SeriesNode): boolean => node.kind === 'ActionsNode' && node.nodes === undefined
