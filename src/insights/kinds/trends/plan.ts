/** A trends query, settled: which series, over which periods, cut how. */

import type { Display, SeriesMath, SeriesNode, TrendsQuery } from '../../../contract/queries/index.ts'
import { InvalidQuery } from '../../../lib/invalid-input.ts'
import type { Facts } from '../../facts/facts.ts'
import { type BreakdownPlan, planBreakdown } from '../../plan/breakdown.ts'
import { type DateRange, previousRange } from '../../plan/date-range.ts'
import { isShort } from '../../plan/interval.ts'
import { type Plan, planCommon } from '../../plan/plan.ts'
import type { SeriesRank } from '../../sql/breakdown.ts'
import { isUnknownAction } from '../../sql/series.ts'
import { isPropertyMath, rankOf } from './aggregates.ts'

export interface TrendSeriesPlan {
  readonly index: number
  readonly node: SeriesNode
  readonly math: SeriesMath
  readonly rank?: SeriesRank['rank'] | undefined
}

export interface Period {
  readonly label: 'current' | 'previous'
  readonly range: DateRange
}

export interface TrendsPlan extends Plan {
  readonly query: TrendsQuery
  readonly series: readonly TrendSeriesPlan[]
  readonly periods: readonly Period[]
  readonly display: Display
  /** One number for the whole range instead of one an interval. */
  readonly totalValue: boolean
  readonly cumulative: boolean
  readonly compare: boolean
  readonly breakdown: BreakdownPlan | undefined
}

const TOTAL_VALUE_DISPLAYS: ReadonlySet<Display> = new Set([
  'BoldNumber',
  'ActionsPie',
  'ActionsDonut',
  'ActionsBarValue',
  'ActionsTable',
  'WorldMap',
])

export function planTrends(query: TrendsQuery, facts: Facts): TrendsPlan {
  const display = query.trendsFilter?.display ?? 'ActionsLineGraph'
  const totalValue = TOTAL_VALUE_DISPLAYS.has(display)
  // One number needs no buckets: minutes of a year would only be too many.
  const interval = totalValue && isShort(query.interval) ? 'hour' : query.interval
  const common = planCommon(query, interval, facts)
  const compare = query.compareFilter?.compare ?? query.trendsFilter?.compare ?? false
  const periods: Period[] = [{ label: 'current', range: common.range }]
  if (compare) {
    periods.push({
      label: 'previous',
      range: previousRange(common.range, common.clock, query.compareFilter?.compare_to),
    })
  }
  return {
    ...common,
    query,
    series: query.series
      .map((node, index) => {
        const math = checkedMath(node, index)
        return { index, node, math, rank: rankOf(node, math) }
      })
      .filter(({ node }) => !isUnknownAction(node)),
    periods,
    display,
    totalValue,
    cumulative: display === 'ActionsLineGraphCumulative',
    compare,
    breakdown: planBreakdown(query.breakdownFilter, {
      worldMap: display === 'WorldMap',
      binCount: query.trendsFilter?.breakdown_histogram_bin_count,
    }),
  }
}

function checkedMath(node: SeriesNode, index: number): SeriesMath {
  const math = node.math ?? 'total'
  if (math === 'hogql' && !node.math_hogql?.trim()) {
    throw new InvalidQuery(
      'The math "hogql" needs an expression: send math_hogql.',
      ['series', index, 'math_hogql'],
      'required',
    )
  }
  if (isPropertyMath(math) && node.math_property === undefined) {
    throw new InvalidQuery(
      `The math "${math}" needs a property: send math_property.`,
      ['series', index, 'math_property'],
      'required',
    )
  }
  return math
}

export const nodesOf = ({ series }: TrendsPlan): SeriesNode[] => series.map(({ node }) => node)
