import type { SeriesNode, StickinessQuery } from '../../../contract/queries/index.ts'
import type { Facts } from '../../facts/facts.ts'
import { type DateRange, previousRange } from '../../plan/date-range.ts'
import { type Plan, planCommon } from '../../plan/plan.ts'
import { isUnknownAction } from '../../sql/series.ts'

export interface StickinessPeriod {
  readonly label: 'current' | 'previous'
  readonly range: DateRange
}

export interface StickinessPlan extends Plan {
  readonly query: StickinessQuery
  readonly series: readonly {
    readonly index: number
    readonly node: SeriesNode
    readonly groupIndex: number | undefined
  }[]
  readonly periods: readonly StickinessPeriod[]
  readonly compare: boolean
  /** So many intervals together are one. */
  readonly together: number
  readonly cumulative: boolean
}

export function planStickiness(query: StickinessQuery, facts: Facts): StickinessPlan {
  const common = planCommon(query, query.interval, facts)
  const compare = query.compareFilter?.compare ?? query.stickinessFilter?.compare ?? false
  const periods: StickinessPeriod[] = [{ label: 'current', range: common.range }]
  if (compare) {
    const range = previousRange(common.range, common.clock, query.compareFilter?.compare_to)
    periods.push({ label: 'previous', range })
  }
  return {
    ...common,
    query,
    series: query.series
      .map((node, index) => ({ index, node, groupIndex: groupOf(node) ?? common.groupIndex }))
      .filter(({ node }) => !isUnknownAction(node)),
    periods,
    compare,
    together: query.intervalCount ?? 1,
    cumulative: query.stickinessFilter?.computedAs === 'cumulative',
  }
}

function groupOf(node: SeriesNode): number | undefined {
  return node.math === 'unique_group' ? (node.math_group_type_index ?? 0) : undefined
}

/** How many intervals there are to be active in. */
export const intervalsIn = (plan: StickinessPlan, range: DateRange): number =>
  Math.ceil(range.buckets.length / plan.together)
