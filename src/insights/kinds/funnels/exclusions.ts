/** Exclusion steps: events that, done between two steps, take a try out of the funnel. */

import type { FunnelsQuery, SeriesNode } from '../../../contract/queries/index.ts'
import { ApiError } from '../../../http/errors.ts'
import { containsStep } from './same-step.ts'

export interface ExclusionPlan {
  readonly node: SeriesNode
  /** Positions among the required steps. */
  readonly from: number
  readonly to: number
}

export type FunnelOrder = 'ordered' | 'strict' | 'unordered'

const MAX_EXCLUSIONS = 20

type Exclusions = NonNullable<FunnelsQuery['funnelsFilter']>['exclusions']

export function planExclusions(
  exclusions: Exclusions,
  steps: readonly SeriesNode[],
  required: readonly number[],
  order: FunnelOrder,
): readonly ExclusionPlan[] {
  if (steps.length === 0) return []
  if (exclusions.length > MAX_EXCLUSIONS) refuse(`A funnel has at most ${MAX_EXCLUSIONS} exclusions.`)
  return exclusions.map(({ funnelFromStep: from, funnelToStep: to, ...node }) => {
    const last = steps.length - 1
    if (from >= to) refuse('The exclusion event range is invalid. End of range should be greater than start.')
    if (from >= last) refuse('The exclusion event range is invalid. Start of range is greater than number of steps.')
    if (to > last) refuse('The exclusion event range is invalid. End of range is greater than number of steps.')
    if (order === 'unordered' && (from !== 0 || to !== last)) {
      refuse('Partial Exclusions not allowed in unordered funnels: the range must be from the first to the last step.')
    }
    if (steps.slice(from, to + 1).some((step) => containsStep(node, step))) {
      refuse("The exclusion step can't be the same as (or hold) a funnel step in its range.")
    }
    if (!required.includes(from) || !required.includes(to)) {
      refuse('The range of an exclusion starts and ends at steps that are not optional.')
    }
    return { node, from: required.indexOf(from), to: required.indexOf(to) }
  })
}

function refuse(message: string): never {
  throw new ApiError('invalid_input', message, { attr: 'funnelsFilter__exclusions' })
}
