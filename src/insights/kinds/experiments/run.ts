/** Experiments: exposure, the goal by variant, and what can be said of the difference. */
import { type ExperimentMetric, type SeriesNode, trendsQuerySchema } from '../../../contract/queries/index.ts'
import { InvalidQuery } from '../../../lib/invalid-input.ts'
import { NO_DEFINITIONS } from '../../definitions/definitions.ts'
import { withActions } from '../../definitions/fill-actions.ts'
import type { InsightContext, RunOptions } from '../../facts/context.ts'
import { gatherFacts } from '../../facts/gather.ts'
import { planCommon } from '../../plan/plan.ts'
import { type Asked, StatementRunner } from '../../run/statement-runner.ts'
import { type ExperimentPlan, exposureStatement, MULTIPLE, metricStatement } from './statement.ts'
import { compare, type MetricType, meanOf, type Sample, sampleRatioP } from './statistics.ts'

/** An experiment, as its results need it. */
export interface ExperimentSetup {
  readonly flagKey: string
  /** The baseline first. */
  readonly variants: readonly { readonly key: string; readonly share: number }[]
  /** ms since epoch. */
  readonly from: number
  readonly to: number
  /** Another event than `$feature_flag_called`; it carries the variant as `$feature/<key>`. */
  readonly exposureEvent: string | null
  readonly firstSeen: boolean
  readonly filterTestAccounts: boolean
}

export interface VariantNumbers extends Sample {
  readonly key: string
  readonly mean: number
  readonly steps: readonly number[] | null
}

export interface ExperimentNumbers {
  readonly type: MetricType
  readonly baseline: VariantNumbers
  readonly variants: readonly (VariantNumbers & ReturnType<typeof compare>)[]
  readonly multiple: number
  readonly ratioP: number | null
  readonly asked: readonly Asked[]
}

interface Row {
  readonly variant: string
  readonly people: number
  readonly total: number
  readonly squares: number
  readonly steps: readonly number[]
}

export async function runExperiment(
  context: InsightContext,
  setup: ExperimentSetup,
  metric: ExperimentMetric,
  { signal }: RunOptions = {},
): Promise<ExperimentNumbers> {
  const { type, goals } = goalOf(metric)
  const runner = new StatementRunner(context.clickhouse, signal)
  const rows = await runner.ask<Row>(metricStatement(await planned(context, setup, runner, type, goals)))
  const numbersOf = (key: string): VariantNumbers => {
    const row = rows.find(({ variant }) => variant === key)
    const sample = { count: Number(row?.people ?? 0), sum: Number(row?.total ?? 0) }
    const steps = type === 'funnel' ? (row?.steps ?? []).slice(1).map(Number) : null
    return {
      key,
      ...sample,
      sumOfSquares: Number(row?.squares ?? 0),
      mean: meanOf({ ...sample, sumOfSquares: 0 }),
      steps,
    }
  }
  const [baseline, ...others] = setup.variants.map(({ key }) => numbersOf(key))
  if (baseline === undefined) throw new InvalidQuery('The flag of the experiment has no variants.', ['experiment_id'])
  return {
    type,
    baseline,
    variants: others.map((variant) => ({ ...variant, ...compare(type, baseline, variant) })),
    multiple: Number(rows.find(({ variant }) => variant === MULTIPLE)?.people ?? 0),
    ratioP: sampleRatioP(
      [baseline, ...others].map(({ count }) => count),
      setup.variants.map(({ share }) => share),
    ),
    asked: runner.asked,
  }
}

export interface Exposures {
  readonly rows: readonly { readonly variant: string; readonly day: string; readonly people: number }[]
  readonly asked: readonly Asked[]
}

export async function runExposures(
  context: InsightContext,
  setup: ExperimentSetup,
  { signal }: RunOptions = {},
): Promise<Exposures> {
  const runner = new StatementRunner(context.clickhouse, signal)
  const plan = await planned(context, setup, runner, 'funnel', [])
  const rows = await runner.ask<Exposures['rows'][number]>(exposureStatement(plan))
  return { rows: rows.map((row) => ({ ...row, people: Number(row.people) })), asked: runner.asked }
}

/** Funnels and trends that somebody saved are goals as well. */
function goalOf({ kind, metric_type, series, source }: ExperimentMetric): { type: MetricType; goals: SeriesNode[] } {
  const type = metric_type ?? (kind === 'TrendsQuery' || source !== undefined ? 'mean' : 'funnel')
  const goals = type === 'mean' ? [source ?? series?.[0]].filter((node) => node !== undefined) : (series ?? [])
  if (goals.length > 0) return { type, goals }
  const what = type === 'mean' ? '"source": {"kind": "EventsNode", "event": "..."}' : '"series": [...], its steps'
  throw new InvalidQuery(`A metric of type ${type} needs ${what}.`, ['metric', type === 'mean' ? 'source' : 'series'])
}

async function planned(
  context: InsightContext,
  { flagKey, variants, from, to, exposureEvent, firstSeen, filterTestAccounts }: ExperimentSetup,
  runner: StatementRunner,
  type: MetricType,
  goals: readonly SeriesNode[],
): Promise<ExperimentPlan> {
  const calls = [{ key: '$feature_flag', type: 'event', operator: 'exact', value: [flagKey] }]
  const first =
    exposureEvent === null
      ? { kind: 'EventsNode', event: '$feature_flag_called', properties: calls }
      : { kind: 'EventsNode', event: exposureEvent }
  const asked = trendsQuerySchema.parse({ kind: 'TrendsQuery', series: [first], filterTestAccounts })
  const query = withActions({ ...asked, series: [...asked.series, ...goals] }, context.definitions ?? NO_DEFINITIONS)
  const facts = await gatherFacts([query], context, runner)
  const [exposure, ...steps] = query.series
  return {
    ...planCommon(query, 'day', facts),
    from,
    to,
    exposure: exposure as SeriesNode,
    variantProperty: exposureEvent === null ? '$feature_flag_response' : `$feature/${flagKey}`,
    variants: variants.map(({ key }) => key),
    firstSeen,
    type,
    goals: steps,
  }
}
