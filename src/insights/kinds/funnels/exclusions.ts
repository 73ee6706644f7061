/** Exclusion steps: events that, done between two steps, take a try out of the funnel. */

import type { FunnelsQuery, SeriesNode } from '../../../contract/queries/index.ts'
import { refuse } from '../../../lib/invalid-input.ts'
import { containsStep } from './same-step.ts'

export interface ExclusionPlan {
  readonly node: SeriesNode
  /** Positions among the required steps. */
  readonly from: number
  readonly to: number
}

export type FunnelOrder = 'ordered' | 'strict' | 'unordered'

/** Where they stood in the query. */
const EXCLUSIONS = ['funnelsFilter', 'exclusions']
const MAX_EXCLUSIONS = 20

type Exclusions = NonNullable<FunnelsQuery['funnelsFilter']>['exclusions']

export function planExclusions(
  exclusions: Exclusions,
  steps: readonly SeriesNode[],
  required: readonly number[],
  order: FunnelOrder,
): readonly ExclusionPlan[] {
  if (steps.length === 0) return []
  if (exclusions.length > MAX_EXCLUSIONS) refuse(`A funnel has at most ${MAX_EXCLUSIONS} exclusions.`, EXCLUSIONS)
  return exclusions.map(({ funnelFromStep: from, funnelToStep: to, ...node }) => {
    const last = steps.length - 1
    if (from >= to)
      refuse('The exclusion event range is invalid. End of range should be greater than start.', EXCLUSIONS)
    if (from >= last)
      refuse('The exclusion event range is invalid. Start of range is greater than number of steps.', EXCLUSIONS)
    if (to > last)
      refuse('The exclusion event range is invalid. End of range is greater than number of steps.', EXCLUSIONS)
    if (order === 'unordered' && (from !== 0 || to !== last)) {
      refuse(
        'Partial Exclusions not allowed in unordered funnels: the range must be from the first to the last step.',
        EXCLUSIONS,
      )
    }
    if (steps.slice(from, to + 1).some((step) => containsStep(node, step))) {
      refuse("The exclusion step can't be the same as (or hold) a funnel step in its range.", EXCLUSIONS)
    }
    if (!required.includes(from) || !required.includes(to)) {
      refuse('The range of an exclusion starts and ends at steps that are not optional.', EXCLUSIONS)
    }
    return { node, from: required.indexOf(from), to: required.indexOf(to) }
  })
}
