import type { FunnelsQuery } from '../../../contract/queries/index.ts'
import { askEach, cohortBreakdown, cohortsIn } from '../../definitions/by-cohort.ts'
import type { InsightContext } from '../../facts/context.ts'
import type { Conversation } from '../../run/statement-runner.ts'
import { withShownValues } from './breakdown.ts'
import { type FunnelPlan, planFunnel, planPrevious } from './plan.ts'
import type { FunnelsResult } from './result.ts'
import { funnelSteps, nobody } from './steps.ts'
import { funnelTimes } from './times.ts'
import { funnelTrend } from './trend.ts'

export async function runFunnel(
  query: FunnelsQuery,
  context: InsightContext,
  conversation: Conversation,
): Promise<FunnelsResult> {
  const cohorts = cohortsIn(query.breakdownFilter, context.definitions)
  if (cohorts === undefined) return run(query, context, conversation)
  const viz = query.funnelsFilter?.funnelVizType
  if (viz === 'time_to_convert') return run({ ...query, breakdownFilter: undefined }, context, conversation)
  const results = await askEach(query, cohorts, (each) => run(each, context, conversation))
  const breakdown = cohortBreakdown(cohorts)
  const together = (parts: readonly (FunnelsResult | undefined)[]): FunnelsResult | undefined => {
    const [first] = parts
    if (first === undefined || first.viz === 'time_to_convert') return undefined
    const groups = parts.flatMap((part, at) =>
      part === undefined || part.viz === 'time_to_convert'
        ? []
        : part.groups.map((group) => ({ ...group, labels: [cohorts[at]?.id ?? ''] })),
    )
    return { ...first, plan: { ...first.plan, query, breakdown }, groups } as FunnelsResult
  }
  const result = together(results.map(({ result }) => result)) as FunnelsResult
  const previous = together(results.map(({ result }) => result.previous))
  return { ...result, previous } as FunnelsResult
}

async function run(query: FunnelsQuery, context: InsightContext, conversation: Conversation): Promise<FunnelsResult> {
  const plan = await withShownValues(await planFunnel(query, context, conversation), conversation)
  const previous = query.compareFilter?.compare ? await withShownValues(planPrevious(plan), conversation) : undefined
  switch (plan.viz) {
    case 'steps':
      return comparedSteps(plan, previous, conversation)
    case 'time_to_convert': {
      const [result, before] = await funnelTimes(previous ? [plan, previous] : [plan], conversation)
      return { ...(result as NonNullable<typeof result>), previous: before }
    }
    case 'trends': {
      const result = await funnelTrend(plan, conversation)
      return { ...result, previous: previous && (await funnelTrend(previous, conversation)) }
    }
  }
}

/** Both periods have the same values, in the order of the current one: what is missing in one of them is there with nobody in it. */
async function comparedSteps(plan: FunnelPlan, earlier: FunnelPlan | undefined, conversation: Conversation) {
  const result = await funnelSteps(plan, conversation)
  if (earlier === undefined) return result
  const before = await funnelSteps(earlier, conversation)
  const values = new Map([...result.groups, ...before.groups].map(({ labels }) => [JSON.stringify(labels), labels]))
  const aligned = (groups: typeof result.groups) =>
    [...values].map(
      ([key, labels]) => groups.find((group) => JSON.stringify(group.labels) === key) ?? nobody(plan, labels),
    )
  return {
    ...result,
    groups: aligned(result.groups),
    previous: { ...before, groups: aligned(before.groups) },
  }
}
