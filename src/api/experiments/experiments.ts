import { pageOf } from '../../contract/envelopes.ts'
import { parsedBy } from '../../contract/parsed-by.ts'
import { experimentMetricSchema } from '../../contract/queries/index.ts'
import {
  type ExperimentFields,
  experimentFieldsSchema,
  experimentListQuerySchema,
  experimentSchema,
} from '../../contract/resources/experiment.ts'
import { sampleSizeFor } from '../../contract/sample-size.ts'
import {
  createExperiment,
  createFlag,
  findExperiment,
  findFlag,
  listExperiments,
  type SavedExperiment,
  type SavedFlag,
  updateExperiment,
  variantKeys,
} from '../../flags/index.ts'
import { ApiError } from '../../http/errors.ts'
import { isObject, type Json, type JsonObject } from '../../lib/json.ts'
import { writerOf } from '../flags/feature-flags.ts'
import { flagRecord, usersOf } from '../flags/flag-record.ts'
import { notAllowed } from '../frame/answer.ts'
import type { ProjectCall } from '../frame/context.ts'
import { envelope } from '../frame/pagination.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'

const VARIANTS = ['control', 'test'].map((key) => ({ key, rollout_percentage: 50 }))

/** Experiments; their results are answers to ExperimentQuery and ExperimentExposureQuery. */
export function addExperimentRoutes(routes: ApiRoutes): void {
  routes.addToProject('experiments/', {
    GET: projectEndpoint({
      summary: 'Experiments, the newest first',
      scope: 'experiment:read',
      query: experimentListQuerySchema,
      answer: pageOf(experimentSchema),
      handle: async (call) => {
        const { count, experiments } = await listExperiments(call.sql, call.project.id, call.query)
        const records = await Promise.all(experiments.map((each) => experimentRecord(call, each)))
        return envelope(call.url, call.query, count, records)
      },
    }),
    POST: projectEndpoint({
      summary: 'Create an experiment on a feature flag, which is made if there is none of that key',
      scope: 'experiment:write',
      body: experimentFieldsSchema,
      answer: experimentSchema,
      status: 201,
      errors: ['required'],
      handle: async (call) => {
        const { name, feature_flag_key: key } = call.body
        if (!name) throw new ApiError('required', undefined, { attr: 'name' })
        if (!key) throw new ApiError('required', undefined, { attr: 'feature_flag_key' })
        const fields = checked(call.body)
        const found = await findFlag(call.sql, call.project.id, key)
        const known = found && found.key === key && !found.deleted ? found : undefined
        const flag = known ?? (await newFlag(call, key, fields.parameters ?? {}))
        if (variantKeys(flag.filters).length < 2)
          throw new ApiError('invalid_input', `The flag "${key}" has no variants to compare: give it two at least.`, {
            attr: 'feature_flag_key',
          })
        const owner = { project: call.project.id, userId: call.caller.user.id, flagId: flag.id }
        return experimentRecord(call, await createExperiment(call.sql, owner, { ...fields, name }))
      },
    }),
  })
  const change = projectEndpoint({
    summary: 'Change an experiment: start and end it, or take it away with `deleted`',
    scope: 'experiment:write',
    body: experimentFieldsSchema,
    answer: experimentSchema,
    exists: experimentOf,
    handle: async (call) => {
      const before = await experimentOf(call)
      return experimentRecord(call, await updateExperiment(call.sql, before, checked(call.body, before)))
    },
  })
  routes.addToProject('experiments/:experiment_id/', {
    GET: projectEndpoint({
      summary: 'One experiment',
      scope: 'experiment:read',
      answer: experimentSchema,
      handle: async (call) => experimentRecord(call, await experimentOf(call)),
    }),
    PATCH: change,
    PUT: change,
    DELETE: projectEndpoint({
      summary: 'Refused: take an experiment away by setting `deleted`',
      scope: 'experiment:write',
      answer: notAllowed,
      handle: () => undefined,
    }),
  })
}

function newFlag(call: ProjectCall, key: string, parameters: JsonObject): Promise<SavedFlag> {
  const given = parameters.feature_flag_variants
  const variants = Array.isArray(given) && given.length > 0 ? given : VARIANTS
  const filters = { groups: [{ properties: [], rollout_percentage: 100 }], multivariate: { variants } }
  return createFlag(call.sql, writerOf(call), { key, filters }, 'experiments')
}

function checked(body: ExperimentFields, before?: SavedExperiment): ExperimentFields {
  for (const list of ['metrics', 'metrics_secondary'] as const) checkMetrics(body[list], list)
  const [start, end] = [body.start_date ?? before?.start_date, body.end_date ?? before?.end_date]
  if (start && end && end < start)
    throw new ApiError('invalid_input', 'The end is before the start.', { attr: 'end_date' })
  if (!body.parameters) return body
  const { minimum_detectable_effect: effect, baseline_conversion_rate: rate } = body.parameters
  const size = typeof effect === 'number' && typeof rate === 'number' ? sampleSizeFor(rate, effect / 100) : null
  return size === null ? body : { ...body, parameters: { ...body.parameters, recommended_sample_size: size } }
}

function checkMetrics(metrics: Json | null | undefined, attr: string): void {
  if (metrics === undefined || metrics === null) return
  if (!Array.isArray(metrics)) throw new ApiError('invalid_input', 'Send a list of metrics.', { attr })
  metrics.forEach((metric, at) => {
    const read = parsedBy(
      experimentMetricSchema,
      isObject(metric) && isObject(metric.source) && metric.kind === 'InsightVizNode' ? metric.source : metric,
    )
    if (read.success) return
    const [issue] = read.error.issues
    throw new ApiError('invalid_input', issue?.message ?? 'This is not a metric.', {
      attr: [attr, at, ...(issue?.path ?? []).map(String)].join('__'),
    })
  })
}

export async function experimentOf({
  sql,
  project,
  params,
}: Pick<ProjectCall, 'sql' | 'project' | 'params'>): Promise<SavedExperiment> {
  const found = await findExperiment(sql, project.id, params.experiment_id ?? '')
  if (!found) throw new ApiError('not_found')
  return found
}

async function experimentRecord(call: Pick<ProjectCall, 'sql' | 'now'>, experiment: SavedExperiment) {
  const { project_id, feature_flag_id, ...fields } = experiment
  const flag = await findFlag(call.sql, project_id, String(feature_flag_id))
  if (!flag) throw new ApiError('not_found')
  const userOf = await usersOf(call, [experiment.created_by])
  return {
    id: fields.id,
    name: fields.name,
    description: fields.description,
    type: fields.type,
    start_date: fields.start_date,
    end_date: fields.end_date,
    feature_flag_key: flag.key,
    feature_flag: await flagRecord(call, flag),
    holdout: null,
    holdout_id: null,
    exposure_criteria: fields.exposure_criteria,
    parameters: fields.parameters,
    metrics: fields.metrics,
    metrics_secondary: fields.metrics_secondary,
    saved_metrics: [],
    stats_config: fields.stats_config,
    archived: fields.archived,
    deleted: fields.deleted,
    conclusion: fields.conclusion,
    conclusion_comment: fields.conclusion_comment,
    created_by: userOf(experiment.created_by),
    created_at: fields.created_at,
    updated_at: fields.updated_at,
  }
}
