/**
 * Steps that a conversion does not need. They change nothing about the others: a try goes from required step to
 * required step, and an optional one was done when its event lies between the two around it. Several in a row are each
 * looked for on their own.
 */

import type { SeriesNode } from '../../../contract/queries/index.ts'
import { type Path, refuse } from '../../../lib/invalid-input.ts'
import type { FunnelOrder } from './exclusions.ts'
import { containsStep } from './same-step.ts'

export interface OptionalStep {
  /** Position in the funnel. */
  readonly step: number
  /** The required step before it: position among those. */
  readonly after: number
}

interface StepParts {
  readonly required: readonly number[]
  readonly chain: readonly SeriesNode[]
  readonly optional: readonly OptionalStep[]
}

export function planOptional(steps: readonly SeriesNode[], order: FunnelOrder, viz: string): StepParts {
  const all = steps.map((_, step) => step)
  const required = all.filter((step) => !steps[step]?.optionalInFunnel)
  const chain = steps.filter(({ optionalInFunnel }) => !optionalInFunnel)
  const [first] = all.filter((step) => steps[step]?.optionalInFunnel)
  if (first === undefined) return { required, chain, optional: [] }
  if (order !== 'ordered' || viz !== 'steps') {
    refuse('Steps can be optional in ordered funnels that show steps (funnelVizType "steps").', flagOf(first))
  }
  if (first === 0) refuse('The first step of a funnel cannot be optional.', flagOf(first))
  return {
    required,
    chain,
    optional: all.filter((step) => !required.includes(step)).map((step) => placeOf(steps, required, step)),
  }
}

function placeOf(steps: readonly SeriesNode[], required: readonly number[], step: number): OptionalStep {
  const next = required.find((each) => each > step)
  if (next === step + 1 && containsStep(steps[next] as SeriesNode, steps[step] as SeriesNode)) {
    refuse('An optional step cannot be the same as (or held by) the required step that follows it.', flagOf(step))
  }
  return { step, after: required.filter((each) => each < step).length - 1 }
}

const flagOf = (step: number): Path => ['series', step, 'optionalInFunnel']
