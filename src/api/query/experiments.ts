import type { ExperimentExposureQuery, ExperimentQuery } from '../../contract/queries/index.ts'
import { findExperiment, findFlag, type SavedExperiment, type SavedFlag } from '../../flags/index.ts'
import { ApiError } from '../../http/errors.ts'
import { type ExperimentSetup, MULTIPLE, runExperiment, runExposures, sampleRatioP } from '../../insights/index.ts'
import { asText, isObject, type Json, numberFrom } from '../../lib/json.ts'
import { requireScope } from '../frame/authenticate.ts'
import type { ProjectCall } from '../frame/context.ts'
import { insightContext } from '../insights/insight-question.ts'

type Asked = Pick<ProjectCall, 'sql' | 'clickhouse' | 'project' | 'now' | 'caller'>

interface Options {
  readonly signal?: AbortSignal
}

/** So unlikely by chance that the variants are not as large as they should be. */
const MISMATCH_BELOW = 0.001

export async function answerExperiment(call: Asked, query: ExperimentQuery, { signal }: Options) {
  const { experiment, setup } = await setupOf(call, query.experiment_id)
  const numbers = await runExperiment(await insightContext(call), setup, query.metric, { signal })
  const method =
    isObject(experiment.stats_config) && experiment.stats_config.method === 'frequentist' ? 'frequentist' : 'bayesian'
  const results = numbers.variants.map((variant) => ({
    ...sampleOf(variant),
    chance_to_win: variant.chanceToWin,
    credible_interval: variant.credibleInterval,
    p_value: variant.pValue,
    confidence_interval: variant.confidenceInterval,
    significant:
      method === 'bayesian'
        ? variant.count > 0 && (variant.chanceToWin >= 0.95 || variant.chanceToWin <= 0.05)
        : (variant.pValue ?? 1) < 0.05,
  }))
  const people = [numbers.baseline, ...numbers.variants].map(({ count }) => count)
  const mismatch = (numbers.ratioP ?? 1) < MISMATCH_BELOW
  return {
    metric_type: numbers.type,
    method,
    baseline: sampleOf(numbers.baseline),
    variant_results: results,
    results,
    excluded_multiple: numbers.multiple,
    sample_ratio: { p_value: numbers.ratioP, mismatch },
    warnings: warningsOf(experiment, people, mismatch, numbers.multiple),
    ...around(call),
  } as const
}

export async function answerExposures(call: Asked, query: ExperimentExposureQuery, { signal }: Options) {
  const { experiment, setup } = await setupOf(call, query.experiment_id)
  const { rows } = await runExposures(await insightContext(call), setup, { signal })
  const days = [...new Set(rows.map(({ day }) => day))].sort()
  const keys = [
    ...setup.variants.map(({ key }) => key),
    ...(rows.some(({ variant }) => variant === MULTIPLE) ? [MULTIPLE] : []),
  ]
  const timeseries = keys.map((variant) => {
    let sum = 0
    const counts = days.map((day) => {
      sum += rows.find((row) => row.variant === variant && row.day === day)?.people ?? 0
      return sum
    })
    return { variant, days, exposure_counts: counts }
  })
  const total = Object.fromEntries(
    timeseries.map(({ variant, exposure_counts }) => [variant, exposure_counts.at(-1) ?? 0]),
  )
  const ratioP = sampleRatioP(
    setup.variants.map(({ key }) => total[key] ?? 0),
    setup.variants.map(({ share }) => share),
  )
  return {
    total_exposures: total,
    timeseries,
    results: timeseries,
    sample_ratio: { p_value: ratioP, mismatch: (ratioP ?? 1) < MISMATCH_BELOW },
    date_range: {
      date_from: new Date(setup.from).toISOString(),
      date_to: experiment.end_date?.toISOString() ?? null,
    },
    ...around(call),
  } as const
}

const sampleOf = (numbers: {
  readonly key: string
  readonly count: number
  readonly sum: number
  readonly sumOfSquares: number
  readonly mean: number
  readonly steps: readonly number[] | null
}) => ({
  key: numbers.key,
  number_of_samples: numbers.count,
  sum: numbers.sum,
  sum_squares: numbers.sumOfSquares,
  mean: numbers.mean,
  step_counts: numbers.steps,
})

const around = ({ project, now }: Asked) => ({
  error: null,
  hogql: null,
  timezone: project.timezone,
  is_cached: false,
  last_refresh: now().toISOString(),
  modifiers: null,
  query_status: null,
  timings: [],
})

/** What whoever reads the numbers should know before believing them. */
function warningsOf(
  { parameters, end_date }: SavedExperiment,
  people: readonly number[],
  mismatch: boolean,
  multiple: number,
): string[] {
  const wanted = parameters.recommended_sample_size
  const fewest = Math.min(...people)
  return [
    ...(mismatch
      ? [
          'Sample ratio mismatch: the variants differ in size more than chance explains. Find out why before trusting the rest.',
        ]
      : []),
    ...(typeof wanted !== 'number'
      ? ['No sample size was chosen before the start, so there is no moment at which the answer is due.']
      : fewest < wanted && end_date === null
        ? [
            `Peeking: the smallest variant has ${fewest} of ${wanted} people. Differences that show up early often go away.`,
          ]
        : []),
    ...(multiple > 0
      ? [
          `${multiple} ${multiple === 1 ? 'person' : 'people'} met several variants and ${multiple === 1 ? 'is' : 'are'} left out.`,
        ]
      : []),
  ]
}

async function setupOf(call: Asked, id: number): Promise<{ experiment: SavedExperiment; setup: ExperimentSetup }> {
  requireScope(call.caller, 'experiment:read')
  const { sql, project, now } = call
  const experiment = await findExperiment(sql, project.id, String(id))
  const flag = experiment && (await findFlag(sql, project.id, String(experiment.feature_flag_id)))
  if (!experiment || experiment.deleted || !flag)
    throw new ApiError('invalid_input', `There is no experiment ${id}.`, { attr: 'query__experiment_id' })
  if (experiment.start_date === null)
    throw new ApiError('invalid_input', 'The experiment has not been started: set its start_date.', {
      attr: 'query__experiment_id',
    })
  const { exposure_criteria: criteria } = experiment
  const config = isObject(criteria.exposure_config) ? criteria.exposure_config : {}
  const event = config.event
  return {
    experiment,
    setup: {
      flagKey: flag.key,
      variants: variantsOf(flag),
      from: experiment.start_date.getTime(),
      to: (experiment.end_date ?? now()).getTime(),
      exposureEvent: typeof event === 'string' && event !== '$feature_flag_called' ? event : null,
      firstSeen: criteria.multiple_variant_handling === 'first_seen',
      filterTestAccounts: criteria.filterTestAccounts === true,
    },
  }
}

/** The baseline first: `control`, or else the first there is. */
function variantsOf({ filters }: SavedFlag): { key: string; share: number }[] {
  const given: Json | undefined =
    isObject(filters) && isObject(filters.multivariate) ? filters.multivariate.variants : []
  const variants = (Array.isArray(given) ? given : []).filter(isObject).map(({ key, rollout_percentage }) => ({
    key: asText(key),
    share: numberFrom(rollout_percentage) || 0,
  }))
  return variants.toSorted((a, b) => Number(b.key === 'control') - Number(a.key === 'control'))
}
