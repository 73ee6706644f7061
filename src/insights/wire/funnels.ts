/** Funnels as clients read them. */
import type { FunnelPlan } from '../funnels/plan.ts'
import type { FunnelGroup, FunnelStepsResult, FunnelsResult, FunnelTrendsResult } from '../funnels/result.ts'
import { NULL_LABEL } from '../plan/breakdown.ts'
import { daysOf, labelsOf } from './labels.ts'
import { nameOf } from './names.ts'

export interface FunnelStepOnWire {
  readonly action_id: string | number | null
  readonly name: string
  readonly custom_name: string | null
  readonly order: number
  readonly people: readonly never[]
  readonly count: number
  readonly type: 'events' | 'actions'
  readonly average_conversion_time: number | null
  readonly median_conversion_time: number | null
  readonly breakdown?: readonly string[]
  readonly breakdown_value?: readonly string[]
  readonly converted_people_url?: string
  readonly dropped_people_url?: string | null
}

/** Where the people of a step are listed: those who reached it, or, with a negative number, those who dropped before it. */
export type StepLink = (step: number, breakdown?: readonly string[]) => string

export function funnelOnWire(result: FunnelsResult, link?: StepLink): unknown {
  switch (result.viz) {
    case 'steps':
      return stepsOnWire(result, link)
    case 'time_to_convert':
      return {
        bins: result.bins,
        average_conversion_time: result.average,
        median_conversion_time: result.median,
      }
    case 'trends':
      return trendsOnWire(result)
  }
}

/** A list of steps; with a breakdown, a list of such lists. */
function stepsOnWire(result: FunnelStepsResult, link?: StepLink) {
  const lists = result.groups.map((group) => groupOnWire(result.plan, group, link))
  return result.plan.breakdown === undefined ? (lists[0] ?? []) : lists
}

export const funnelGroups = (result: FunnelStepsResult): FunnelStepOnWire[][] =>
  result.groups.map((group) => groupOnWire(result.plan, group))

function groupOnWire(plan: FunnelPlan, group: FunnelGroup, link?: StepLink): FunnelStepOnWire[] {
  const value = plan.breakdown === undefined ? undefined : valueOnWire(group.labels)
  return plan.steps.map((node, order) => ({
    ...identityOf(plan, order),
    order,
    people: [],
    count: group.counts[order] ?? 0,
    type: node.kind === 'ActionsNode' ? 'actions' : 'events',
    average_conversion_time: group.averages[order] ?? null,
    median_conversion_time: group.medians[order] ?? null,
    ...(value === undefined ? {} : { breakdown: value, breakdown_value: value }),
    ...(link && {
      converted_people_url: link(order + 1, value),
      dropped_people_url: order === 0 ? null : link(-(order + 1), value),
    }),
  }))
}

function identityOf(plan: FunnelPlan, order: number): Pick<FunnelStepOnWire, 'action_id' | 'name' | 'custom_name'> {
  const node = plan.steps[order]
  if (plan.order === 'unordered' || node === undefined) {
    return { action_id: null, name: `Completed ${order + 1} step${order === 0 ? '' : 's'}`, custom_name: null }
  }
  const id = node.kind === 'EventsNode' ? (node.event ?? null) : node.kind === 'ActionsNode' ? node.id : null
  return { action_id: id, name: nameOf(node), custom_name: node.custom_name ?? null }
}

/** No value is the empty text. */
export const valueOnWire = (labels: readonly string[]): string[] =>
  labels.map((label) => (label === NULL_LABEL ? '' : label))

function trendsOnWire({ plan, groups }: FunnelTrendsResult) {
  const zone = plan.clock.timezone
  return groups.map(({ labels, rates }) => ({
    count: rates.length,
    data: rates,
    days: daysOf(plan.range, zone),
    labels: labelsOf(plan.range, zone),
    ...(plan.breakdown === undefined ? {} : { breakdown_value: valueOnWire(labels) }),
  }))
}
