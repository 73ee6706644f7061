import type { FunnelsQuery } from '../../../contract/queries/index.ts'
import { askEach, cohortBreakdown, cohortsIn } from '../../definitions/by-cohort.ts'
import type { Facts } from '../../facts/facts.ts'
import type { StatementRunner } from '../../run/statement-runner.ts'
import { withShownValues } from './facts.ts'
import { type FunnelPlan, planFunnel, planPrevious } from './plan.ts'
import type { FunnelsResult } from './result.ts'
import { nobody, type StepsRow, stepsResult, stepsStatement } from './steps.ts'
import { type TimesRow, timesResult, timesStatement } from './times.ts'
import { type TrendRow, trendResult, trendStatement, withoutOpenWindows } from './trend.ts'

export async function runFunnel(query: FunnelsQuery, facts: Facts, runner: StatementRunner): Promise<FunnelsResult> {
  const cohorts = cohortsIn(query.breakdownFilter, facts.definitions)
  if (cohorts === undefined) return run(query, facts, runner)
  const viz = query.funnelsFilter?.funnelVizType
  if (viz === 'time_to_convert') return run({ ...query, breakdownFilter: undefined }, facts, runner)
  const results = await askEach(query, cohorts, (each) => run(each, facts, runner))
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

async function run(query: FunnelsQuery, facts: Facts, runner: StatementRunner): Promise<FunnelsResult> {
  const plan = await withShownValues(planFunnel(query, facts), runner)
  const previous = query.compareFilter?.compare ? await withShownValues(planPrevious(plan), runner) : undefined
  switch (plan.viz) {
    case 'steps':
      return comparedSteps(plan, previous, runner)
    case 'time_to_convert': {
      const [result, before] = await funnelTimes(previous ? [plan, previous] : [plan], runner)
      return { ...(result as NonNullable<typeof result>), previous: before }
    }
    case 'trends': {
      const result = await funnelTrend(plan, runner)
      return { ...result, previous: previous && (await funnelTrend(previous, runner)) }
    }
  }
}

/**
 * Both periods have the same values, in the order of the current one: what is missing in one of them is there with
 * nobody in it.
 */
async function comparedSteps(plan: FunnelPlan, earlier: FunnelPlan | undefined, runner: StatementRunner) {
  const result = await funnelSteps(plan, runner)
  if (earlier === undefined) return result
  const before = await funnelSteps(earlier, runner)
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

async function funnelSteps(plan: FunnelPlan, runner: StatementRunner) {
  return stepsResult(plan, plan.steps.length === 0 ? [] : await runner.ask<StepsRow>(stepsStatement(plan)))
}

async function funnelTimes(plans: readonly FunnelPlan[], runner: StatementRunner) {
  const isTooShort = plans.some(({ steps }) => steps.length < 2)
  const [row] = isTooShort ? [] : await runner.ask<TimesRow>(timesStatement(plans))
  return timesResult(plans, row)
}

async function funnelTrend(asked: FunnelPlan, runner: StatementRunner) {
  const plan = withoutOpenWindows(asked)
  return trendResult(plan, plan.steps.length === 0 ? [] : await runner.ask<TrendRow>(trendStatement(plan)))
}
