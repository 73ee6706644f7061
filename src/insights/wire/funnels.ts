/** Funnels as clients read them. */
import type { FunnelPlan } from '../funnels/plan.ts'
import type {
  FunnelGroup,
  FunnelStepsResult,
  FunnelsResult,
  FunnelTimesResult,
  FunnelTrendsResult,
} from '../funnels/result.ts'
import { NULL_LABEL, namesOf } from '../plan/breakdown.ts'
import { daysOf, labelsOf } from './labels.ts'
import { cohortOnWire, nameOf } from './names.ts'

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
  /** From the first step to this one: half of those who reached it took less. */
  readonly total_median_conversion_time: number | null
  readonly breakdown?: readonly string[] | string
  readonly breakdown_value?: readonly string[] | string | number
  readonly compare_label?: PeriodLabel
  readonly converted_people_url?: string
  readonly dropped_people_url?: string | null
}

/** Where the people of a step are listed: those who reached it, or, with a negative number, those who dropped before it. */
export type StepLink = (step: number, breakdown?: readonly string[], period?: PeriodLabel) => string

/** Everything says of which period it is when two are compared, and all of the current one comes first. */
export function funnelOnWire(result: FunnelsResult, link?: StepLink): unknown {
  switch (result.viz) {
    case 'steps':
      return stepsOnWire(result, link)
    case 'time_to_convert': {
      const all = periodsOf(result).map(timesOnWire)
      return result.previous === undefined ? all[0] : all
    }
    case 'trends':
      return periodsOf(result).flatMap(trendsOnWire)
  }
}

type PeriodLabel = 'current' | 'previous'
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
function stepsOnWire(result: FunnelStepsResult, link?: StepLink) {
  const lists = funnelGroups(result, link)
  return result.plan.breakdown === undefined ? lists.flat() : lists
}

export const funnelGroups = (result: FunnelStepsResult, link?: StepLink): FunnelStepOnWire[][] =>
  periodsOf(result).flatMap(({ result: { plan, groups }, compared }) =>
    groups.map((group) => groupOnWire(plan, group, compared, link)),
  )

function groupOnWire(
  plan: FunnelPlan,
  group: FunnelGroup,
  compared: InPeriod<unknown>['compared'],
  link?: StepLink,
): FunnelStepOnWire[] {
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

function identityOf(plan: FunnelPlan, order: number): Pick<FunnelStepOnWire, 'action_id' | 'name' | 'custom_name'> {
  const node = plan.steps[order]
  if (plan.order === 'unordered' || node === undefined) {
    return { action_id: null, name: `Completed ${order + 1} step${order === 0 ? '' : 's'}`, custom_name: null }
  }
  const id = node.kind === 'EventsNode' ? (node.event ?? null) : node.kind === 'ActionsNode' ? node.id : null
  return { action_id: id, name: nameOf(node), custom_name: node.custom_name ?? null }
}

/** A cohort is shown by its name and meant by its number. */
const ofCohort = ({ breakdown }: FunnelPlan, labels: readonly string[]) =>
  breakdown?.names === undefined
    ? {}
    : { breakdown: namesOf(breakdown, labels).join(), breakdown_value: cohortOnWire(labels[0] ?? '') }

/** No value is the empty text. */
export const valueOnWire = (labels: readonly string[]): string[] =>
  labels.map((label) => (label === NULL_LABEL ? '' : label))

const timesOnWire = ({ result, compared }: InPeriod<FunnelTimesResult>) => ({
  bins: result.bins,
  average_conversion_time: result.average,
  median_conversion_time: result.median,
  ...compared,
})

function trendsOnWire({ result: { plan, groups }, compared }: InPeriod<FunnelTrendsResult>) {
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
