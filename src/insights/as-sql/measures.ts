/** What each math counts, as an aggregate over events that people read. */

import type { SeriesMath, SeriesNode } from '../../contract/queries/index.ts'
import type { Plan } from '../plan/plan.ts'
import { actorOf, hasActor, numberIn, propertyText } from './conditions.ts'
import { notInSql } from './text.ts'

export interface Measure {
  /** Over the events that fit a condition, or over all. */
  readonly over: (condition?: string) => string
  /** What an event needs to be counted at all. */
  readonly conditions: readonly string[]
}

const LEVELS: Readonly<Record<string, number>> = { median: 0.5, p75: 0.75, p90: 0.9, p95: 0.95, p99: 0.99 }

/** An aggregate over values; NULL is none. */
export function aggregate(math: string, value: string, condition?: string): string {
  const level = LEVELS[math]
  const name = level === undefined ? math : 'quantileExactInclusive'
  const level_ = level === undefined ? '' : `(${level})`
  return condition === undefined ? `${name}${level_}(${value})` : `${name}If${level_}(${value}, ${condition})`
}

/** The property of a math, as a number. */
export const mathNumber = ({ math_property: key = '', math_property_type: of }: SeriesNode): string =>
  numberIn(
    propertyText({
      type: of === 'person_properties' ? 'person' : of === 'session_properties' ? 'session' : 'event',
      key,
    }),
  )

/** Undefined for maths that need more than one aggregate. */
export function simpleMeasure(math: SeriesMath, node: SeriesNode, plan: Plan): Measure | undefined {
  switch (math) {
    case 'total':
      return { over: (condition) => (condition === undefined ? 'count()' : `countIf(${condition})`), conditions: [] }
    case 'dau':
      return distinct(plan.groupIndex)
    case 'unique_group':
      return distinct(node.math_group_type_index ?? 0)
    case 'unique_session':
      return { over: (condition) => aggregate('uniqExact', '$session_id', condition), conditions: [] }
    case 'hogql':
      return { over: (condition) => (condition === undefined ? `(${node.math_hogql})` : notInSql('')), conditions: [] }
    default:
      if (!/^(sum|avg|min|max|median|p75|p90|p95|p99)$/.test(math) || node.math_property === '$session_duration')
        return undefined
      return { over: (condition) => aggregate(math, mathNumber(node), condition), conditions: [] }
  }
}

const distinct = (groupIndex: number | undefined): Measure => ({
  over: (condition) => aggregate('uniqExact', actorOf(groupIndex), condition),
  conditions: hasActor(groupIndex),
})
