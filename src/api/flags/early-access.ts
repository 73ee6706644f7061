import { pageOf } from '../../contract/envelopes.ts'
import {
  earlyAccessFeatureSchema,
  earlyAccessFieldsSchema,
  earlyAccessListQuerySchema,
  newEarlyAccessSchema,
} from '../../contract/resources/early-access.ts'
import {
  changeFlagIn,
  createEarlyAccess,
  createFlagIn,
  earlyAccessOfFlag,
  findEarlyAccess,
  findFlag,
  listEarlyAccess,
  removeEarlyAccess,
  type SavedEarlyAccess,
  type SavedFlag,
  updateEarlyAccess,
} from '../../flags/index.ts'
import { ApiError } from '../../http/errors.ts'
import { isObject, type JsonObject } from '../../lib/json.ts'
import { noContent } from '../frame/answer.ts'
import type { ProjectCall } from '../frame/context.ts'
import { envelope } from '../frame/pagination.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'
import { writerOf } from './feature-flags.ts'
import { flagRecord } from './flag-record.ts'

/** Stages in which people may turn a feature on for themselves; after them its flag decides for everybody alike. */
const OPEN_STAGES: readonly string[] = ['concept', 'alpha', 'beta']

/** Early access features: each is a flag that people may turn on for themselves. */
export function addEarlyAccessRoutes(routes: ApiRoutes): void {
  routes.addToProject('early_access_feature/', {
    GET: projectEndpoint({
      summary: 'Early access features, the newest first',
      scope: 'early_access_feature:read',
      query: earlyAccessListQuerySchema,
      answer: pageOf(earlyAccessFeatureSchema),
      handle: async (call) => {
        const { count, features } = await listEarlyAccess(call.sql, call.project.id, call.query)
        return envelope(call.url, call.query, count, await Promise.all(features.map((each) => recordOf(call, each))))
      },
    }),
    POST: projectEndpoint({
      summary: 'Create an early access feature on a feature flag, which is made if none is named',
      scope: 'early_access_feature:write',
      body: newEarlyAccessSchema,
      answer: earlyAccessFeatureSchema,
      status: 201,
      errors: ['required', 'unique', 'invalid_key'],
      handle: async (call) => {
        const { feature_flag_id: flagId = null, name, ...fields } = call.body
        if (!name) throw new ApiError('required', undefined, { attr: 'name' })
        const created = await call.sql.begin(async (tx) => {
          const given = flagId === null ? null : await flagFor(tx, call.project.id, flagId)
          const flag = given ?? (await createFlagIn(tx, writerOf(call), newFlag(name), 'early_access_features'))
          const feature = await createEarlyAccess(
            tx,
            { project: call.project.id, userId: call.caller.user.id, flagId: flag.id },
            { ...fields, name },
          )
          await openOrClose(tx, call, feature)
          return feature
        })
        return recordOf(call, created)
      },
    }),
  })
  const change = projectEndpoint({
    summary: 'Change an early access feature; its stage says whether people may still choose',
    scope: 'early_access_feature:write',
    body: earlyAccessFieldsSchema,
    answer: earlyAccessFeatureSchema,
    exists: featureOf,
    handle: async (call) => {
      const before = await featureOf(call)
      const changed = await call.sql.begin(async (tx) => {
        const feature = await updateEarlyAccess(tx, before, call.body)
        if (feature.stage !== before.stage) await openOrClose(tx, call, feature)
        return feature
      })
      return recordOf(call, changed)
    },
  })
  routes.addToProject('early_access_feature/:early_access_feature_id/', {
    GET: projectEndpoint({
      summary: 'One early access feature',
      scope: 'early_access_feature:read',
      answer: earlyAccessFeatureSchema,
      handle: async (call) => recordOf(call, await featureOf(call)),
    }),
    PATCH: change,
    PUT: change,
    DELETE: projectEndpoint({
      summary: 'Delete an early access feature; its flag stays, and people choose no more',
      scope: 'early_access_feature:write',
      answer: noContent,
      handle: async (call) => {
        const feature = await featureOf(call)
        await call.sql.begin(async (tx) => {
          await removeEarlyAccess(tx, feature)
          await openOrClose(tx, call, { ...feature, stage: 'archived' })
        })
      },
    }),
  })
}

type Tx = Parameters<typeof createFlagIn>[0]
type Caller = Pick<ProjectCall, 'project' | 'caller'>

const newFlag = (name: string) => ({
  key:
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 200) || 'early-access',
  name: `Early access: ${name}`,
  filters: { groups: [{ properties: [], rollout_percentage: 0 }] },
})

async function flagFor(tx: Tx, project: number, id: number): Promise<SavedFlag> {
  const refuse = (message: string) => new ApiError('invalid_input', message, { attr: 'feature_flag_id' })
  const flag = await findFlag(tx, project, String(id))
  if (!flag || flag.deleted || flag.id !== id) throw refuse(`There is no feature flag ${id}.`)
  if (isObject(flag.filters) && (flag.filters.aggregation_group_type_index ?? null) !== null)
    throw refuse('This flag is about groups: early access is a choice of people.')
  const other = await earlyAccessOfFlag(tx, id)
  if (other) throw refuse(`This flag is already that of "${other.name}".`)
  return flag
}

/** The flag asks people what they chose while the feature is in an open stage. */
async function openOrClose(tx: Tx, call: Caller, { feature_flag_id, stage }: SavedEarlyAccess): Promise<void> {
  if (feature_flag_id === null) return
  const isOpen = OPEN_STAGES.includes(stage)
  await changeFlagIn(tx, writerOf(call), String(feature_flag_id), ({ filters, deleted }) => {
    const document: JsonObject = isObject(filters) ? filters : {}
    if (deleted || (document.feature_enrollment === true) === isOpen) return null
    return { filters: { ...document, feature_enrollment: isOpen } }
  })
}

async function featureOf({
  sql,
  project,
  params,
}: Pick<ProjectCall, 'sql' | 'project' | 'params'>): Promise<SavedEarlyAccess> {
  const found = await findEarlyAccess(sql, project.id, params.early_access_feature_id ?? '')
  if (!found) throw new ApiError('not_found')
  return found
}

async function recordOf(call: Pick<ProjectCall, 'sql' | 'now' | 'project'>, feature: SavedEarlyAccess) {
  const { feature_flag_id: flagId } = feature
  const flag = flagId === null ? undefined : await findFlag(call.sql, call.project.id, String(flagId))
  return {
    id: feature.id,
    feature_flag: flag ? await flagRecord(call, flag) : null,
    name: feature.name,
    description: feature.description,
    stage: feature.stage,
    documentation_url: feature.documentation_url,
    payload: feature.payload,
    created_at: feature.created_at,
  }
}
