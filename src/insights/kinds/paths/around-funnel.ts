/** The part of what actors did that lies before a step of a funnel, after it, or between it and the step before. */

import type { PathsQuery } from '../../../contract/queries/index.ts'
import { type Fragment, sql } from '../../../engines/clickhouse-sql.ts'
import { refuse } from '../../../lib/invalid-input.ts'
import type { Facts } from '../../facts/facts.ts'
import { whole } from '../../sql/whole.ts'
import { type FunnelPlan, never, planFunnel, timeOfStep, triesStatement, windowEnd } from '../funnels/index.ts'

export interface FunnelStretch {
  readonly funnel: FunnelPlan
  readonly part: 'before' | 'between' | 'after'
  /** 2: those who did at least two steps, around the second. -2: those who did one and not two, around the first. */
  readonly step: number
}

const PARTS = {
  funnel_path_before_step: 'before',
  funnel_path_between_steps: 'between',
  funnel_path_after_step: 'after',
} as const

export function planStretch({ funnelPathsFilter: asked }: PathsQuery, facts: Facts): FunnelStretch | undefined {
  if (asked === undefined) return undefined
  // A breakdown would count an actor once for each of its values.
  const funnel = { ...planFunnel(asked.funnelSource, facts), breakdown: undefined }
  if (funnel.optional.length > 0)
    refuse('Steps around which one looks are all required.', ['funnelPathsFilter', 'funnelSource'])
  const part = PARTS[asked.funnelPathType]
  const most = funnel.steps.length
  const { funnelStep: step } = asked
  if (funnel.bySession)
    refuse('Sessions take no ways: count the funnel by person or group.', ['funnelPathsFilter', 'funnelSource'])
  if (step === undefined || step === 0 || step === -1 || Math.abs(step) > most) {
    return refuse(
      `Say around which step: 1 to ${most} for those who reached it, or -2 to -${most} for those who dropped before it.`,
      ['funnelPathsFilter', 'funnelStep'],
    )
  }
  if (part === 'between' && step < 2)
    refuse('Between two steps: say the later one, 2 or more.', ['funnelPathsFilter', 'funnelStep'])
  return { funnel, part, step }
}

/** One row an actor: actor, since and until (µs), of the earliest of its best tries. */
export function stretches({ funnel, part, step }: FunnelStretch): Fragment {
  const reached = Math.abs(step) - (step > 0 ? 0 : 1)
  const timeOf = (index: number): Fragment => sql`${timeOfStep(Math.max(0, index))}[best]`
  const at = timeOf(reached - 1)
  const bounds = {
    before: { since: whole(0), until: at },
    between: { since: timeOf(reached - 2), until: at },
    // Whoever dropped out might have gone on until the window closed.
    after: { since: step > 0 ? at : windowEnd(funnel, at), until: never },
  }[part]
  const wanted = step > 0 ? sql`level >= ${whole(reached)}` : sql`level = ${whole(reached)}`
  return sql`SELECT actor, toInt64(${bounds.since}) AS since, toInt64(${bounds.until}) AS until
FROM (
  SELECT *, arrayMax(levels) AS level,
    indexOf(${timeOfStep(0)}, arrayMin((each, began) -> if(each = level, began, ${never}), levels, ${timeOfStep(0)})) AS best
  FROM (${triesStatement(funnel)})
)
WHERE ${wanted}`
}
