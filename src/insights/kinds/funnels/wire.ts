/** Funnels as clients read them. */
import type {
  FunnelsResult as FunnelOnWire,
  FunnelStep,
  FunnelTimes,
  FunnelTrend,
  PeriodLabel,
  FunnelStepsResult as StepsOnWire,
} from '../../../contract/results/index.ts'
import { namesOf } from '../../plan/breakdown.ts'
import { daysOf, labelsOf } from '../../wire/labels.ts'
import { cohortOnWire, nameOf, valueOnWire } from '../../wire/names.ts'
import type { FunnelPlan } from './plan.ts'
import type { FunnelGroup, FunnelStepsResult, FunnelsResult, FunnelTimesResult, FunnelTrendsResult } from './result.ts'

/**
 * Where the people of a step are listed: those who reached it, or, with a negative number, those who dropped before it.
 */
export type StepLink = (step: number, breakdown?: readonly string[], period?: PeriodLabel) => string

/** Of steps without a breakdown; with one, each value's steps say their own. */
export const totalMedian = (result: FunnelsResult): { readonly total_median_conversion_time?: number | null } =>
  result.viz === 'steps' && result.plan.breakdown === undefined
    ? { total_median_conversion_time: result.groups[0]?.totalMedians.at(-1) ?? null }
    : {}

/** Everything says of which period it is when two are compared, and all of the current one comes first. */
export function funnelOnWire(result: FunnelsResult, link?: StepLink): FunnelOnWire {
  switch (result.viz) {
    case 'steps':
      return stepsOnWire(result, link)
    case 'time_to_convert': {
      const all = periodsOf(result).map(timesOnWire)
      return result.previous === undefined ? (all[0] as FunnelTimes) : all
    }
    case 'trends':
      return periodsOf(result).flatMap(trendsOnWire)
  }
}

interface InPeriod<R> {
  readonly result: R
  readonly compared: { readonly compare_label?: PeriodLabel }
}

export const periodsOf = <R extends { readonly previous?: R | undefined }>(result: R): InPeriod<R>[] =>
  result.previous === undefined
    ? [{ result, compared: {} }]
    : [
        { result, compared: { compare_label: 'current' } },
        { result: result.previous, compared: { compare_label: 'previous' } },
      ]

/** A list of steps; with a breakdown, a list of such lists. */
function stepsOnWire(result: FunnelStepsResult, link?: StepLink): StepsOnWire {
  const lists = funnelGroups(result, link)
  return result.plan.breakdown === undefined ? lists.flat() : lists
}

export const funnelGroups = (result: FunnelStepsResult, link?: StepLink): FunnelStep[][] =>
  periodsOf(result).flatMap(({ result: { plan, groups }, compared }) =>
    groups.map((group) => groupOnWire(plan, group, compared, link)),
  )

function groupOnWire(
  plan: FunnelPlan,
  group: FunnelGroup,
  compared: InPeriod<unknown>['compared'],
  link?: StepLink,
): FunnelStep[] {
  const value = plan.breakdown === undefined ? undefined : valueOnWire(group.labels)
  const to = (step: number): string => (link as StepLink)(step, value, compared.compare_label)
  return plan.steps.map((node, order) => ({
    ...identityOf(plan, order),
    order,
    people: [],
    count: group.counts[order] ?? 0,
    type: node.kind === 'ActionsNode' ? 'actions' : 'events',
    average_conversion_time: group.averages[order] ?? null,
    median_conversion_time: group.medians[order] ?? null,
    total_median_conversion_time: group.totalMedians[order] ?? null,
    ...(value === undefined ? {} : { breakdown: value, breakdown_value: value, ...ofCohort(plan, group.labels) }),
    ...compared,
    ...(link && {
      converted_people_url: to(order + 1),
      dropped_people_url: order === 0 ? null : to(-(order + 1)),
    }),
  }))
}

function identityOf(plan: FunnelPlan, order: number): Pick<FunnelStep, 'action_id' | 'name' | 'custom_name'> {
  const node = plan.steps[order]
  if (plan.order === 'unordered' || node === undefined) {
    return { action_id: null, name: `Completed ${order + 1} step${order === 0 ? '' : 's'}`, custom_name: null }
  }
  const id = node.kind === 'EventsNode' ? (node.event ?? null) : node.kind === 'ActionsNode' ? node.id : null
  return { action_id: id, name: nameOf(node), custom_name: node.custom_name ?? null }
}

/** A cohort is shown by its name and meant by its number. */
function ofCohort({ breakdown }: FunnelPlan, labels: readonly string[]) {
  if (breakdown?.names === undefined) return {}
  const name = namesOf(breakdown, labels).join()
  return { breakdown: name, breakdown_name: name, breakdown_value: cohortOnWire(labels[0] ?? '') }
}

const timesOnWire = ({ result, compared }: InPeriod<FunnelTimesResult>): FunnelTimes => ({
  bins: result.bins,
  average_conversion_time: result.average,
  median_conversion_time: result.median,
  ...compared,
})

function trendsOnWire({ result: { plan, groups }, compared }: InPeriod<FunnelTrendsResult>): FunnelTrend[] {
  const zone = plan.clock.timezone
  return groups.map(({ labels, rates }) => ({
    count: rates.length,
    data: rates,
    days: daysOf(plan.range, zone),
    labels: labelsOf(plan.range, zone),
    ...(plan.breakdown === undefined ? {} : { breakdown_value: valueOnWire(labels), ...ofCohort(plan, labels) }),
    ...compared,
  }))
}
