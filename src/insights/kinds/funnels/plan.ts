/** A funnel query, settled: its steps, how they must follow each other, how long a try may take. */

import type { FunnelsQuery, SeriesNode } from '../../../contract/queries/index.ts'
import { refuse } from '../../../lib/invalid-input.ts'
import type { Facts } from '../../facts/facts.ts'
import { type BreakdownPlan, planBreakdown } from '../../plan/breakdown.ts'
import { previousRange } from '../../plan/date-range.ts'
import { type Plan, planCommon } from '../../plan/plan.ts'
import { type ExclusionPlan, type FunnelOrder, planExclusions } from './exclusions.ts'
import { type OptionalStep, planOptional } from './optional.ts'

type FunnelViz = 'steps' | 'time_to_convert' | 'trends'
type WindowUnit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month'
type Attribution =
  | { readonly type: 'first_touch' | 'last_touch' | 'all_events' }
  | { readonly type: 'step'; readonly step: number }

export interface ShownValue {
  /** One for each property of the breakdown. */
  readonly labels: readonly string[]
  /** The same as one text, by which the engine finds its number. */
  readonly key: string
}

export interface FunnelPlan extends Plan {
  readonly query: FunnelsQuery
  /** As asked for. */
  readonly steps: readonly SeriesNode[]
  /** Which of them a try needs: positions in `steps`. Levels, times and exclusions count these only. */
  readonly required: readonly number[]
  /** The required steps themselves. */
  readonly chain: readonly SeriesNode[]
  readonly optional: readonly OptionalStep[]
  readonly order: FunnelOrder
  readonly viz: FunnelViz
  readonly window: { readonly count: number; readonly unit: WindowUnit }
  readonly exclusions: readonly ExclusionPlan[]
  readonly breakdown: BreakdownPlan | undefined
  /**
   * The values of the breakdown that are shown, the most frequent first; none until they were looked up (breakdown.ts).
   */
  readonly values: readonly ShownValue[]
  readonly attribution: Attribution
  /** 0-based; what the time to convert and the trend are measured between. */
  readonly fromStep: number
  readonly toStep: number
  /** Event properties whose values must be the same in all steps of a try. */
  readonly heldConstant: readonly string[]
  /** Tries are counted by session instead of by person. */
  readonly bySession: boolean
  /** Whoever tries is what this says of an event, unless it says nothing; a session, when there is no expression. */
  readonly byExpression: string | undefined
}

const MAX_STEPS = 30

export function planFunnel(query: FunnelsQuery, facts: Facts): FunnelPlan {
  const filter = query.funnelsFilter
  const steps = query.series.map(checkedStep)
  if (steps.length > MAX_STEPS) refuse(`A funnel has at most ${MAX_STEPS} steps.`, ['series'])
  const order = filter?.funnelOrderType ?? 'ordered'
  const viz = filter?.funnelVizType === 'flow' ? 'steps' : (filter?.funnelVizType ?? 'steps')
  const parts = planOptional(steps, order, viz)
  const exclusions = planExclusions(filter?.exclusions ?? [], steps, parts.required, order)
  const common = planCommon(query, viz === 'trends' ? query.interval : 'day', facts)
  return {
    ...common,
    query,
    steps,
    ...parts,
    order,
    viz,
    window: { count: filter?.funnelWindowInterval ?? 14, unit: filter?.funnelWindowIntervalUnit ?? 'day' },
    exclusions,
    breakdown: planBreakdown(query.breakdownFilter),
    values: [],
    attribution: attributionOf(query),
    ...stepsBetween(query),
    heldConstant: filter?.holdConstant ?? [],
    bySession: isNotPerson(filter?.funnelAggregateByHogQL),
    byExpression: expressionOf(filter?.funnelAggregateByHogQL),
  }
}

/** The same funnel over the period it is compared with. */
export const planPrevious = (plan: FunnelPlan): FunnelPlan => ({
  ...plan,
  range: previousRange(plan.range, plan.clock, plan.query.compareFilter?.compare_to),
  values: [],
})

function checkedStep(node: SeriesNode, index: number): SeriesNode {
  if (node.math === 'first_matching_event_for_user') {
    refuse('A step of a funnel says first_time_for_user_with_filters for this.', ['series', index, 'math'])
  }
  return node
}

function attributionOf(query: FunnelsQuery): Attribution {
  const { breakdownAttributionType: type = 'first_touch', breakdownAttributionValue: step } = query.funnelsFilter ?? {}
  if (type !== 'step') return { type }
  if (step === undefined || step >= query.series.length) {
    return refuse('Attribution to a step says which one: a number from 0.', [
      'funnelsFilter',
      'breakdownAttributionValue',
    ])
  }
  return { type, step }
}

function stepsBetween(query: FunnelsQuery): { fromStep: number; toStep: number } {
  const last = Math.max(0, query.series.length - 1)
  const { funnelFromStep: fromStep = 0, funnelToStep: toStep = last } = query.funnelsFilter ?? {}
  if (query.series.length > 1 && (fromStep >= toStep || toStep > last)) {
    refuse('funnelFromStep must come before funnelToStep, and both must be steps.', ['funnelsFilter', 'funnelToStep'])
  }
  return { fromStep, toStep }
}

const SESSION_EXPRESSIONS = new Set(['properties.$session_id', '$session_id', "properties['$session_id']"])

function isNotPerson(expression: string | undefined): boolean {
  const text = expression?.trim() ?? ''
  return text !== '' && text !== 'person_id' && text !== 'person.id'
}

/** Sessions have a column of their own. */
const expressionOf = (expression: string | undefined): string | undefined =>
  isNotPerson(expression) && !SESSION_EXPRESSIONS.has(expression?.trim() ?? '') ? expression : undefined
