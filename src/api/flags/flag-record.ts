import { userObject, usersById } from '../../accounts/index.ts'
import type { FeatureFlag } from '../../contract/resources/feature-flags.ts'
import { type FlagState, findFlag, type SavedFlag, simpleRollout, statusOf } from '../../flags/index.ts'
import { ApiError } from '../../http/errors.ts'
import type { JsonObject } from '../../lib/json.ts'
import type { ProjectCall } from '../frame/context.ts'
import { only } from '../frame/only.ts'

type Teller = Pick<ProjectCall, 'sql' | 'now'>

/** The flag of the path, by its id or its key; deleted ones by their id. */
export async function flagOf({
  sql,
  project,
  params,
}: Pick<ProjectCall, 'sql' | 'project' | 'params'>): Promise<SavedFlag> {
  const found = await findFlag(sql, project.id, params.feature_flag_id ?? '')
  if (!found) throw new ApiError('not_found')
  return found
}

export const flagRecord = async (call: Teller, flag: SavedFlag) => only(await flagRecords(call, [flag]))

/** Flags as the API answers them. */
export async function flagRecords({ sql, now }: Teller, flags: readonly SavedFlag[]) {
  const userOf = await usersOf(
    { sql },
    flags.flatMap(({ created_by, last_modified_by }) => [created_by, last_modified_by]),
  )
  const experiments = await experimentsOf(
    { sql },
    flags.map(({ id }) => id),
  )
  const features = await featuresOf(
    { sql },
    flags.map(({ id }) => id),
  )
  return flags.map((flag) => ({
    id: flag.id,
    ...stateRecord(flag),
    created_by: userOf(flag.created_by),
    created_at: flag.created_at,
    updated_at: flag.updated_at,
    version: flag.version,
    last_modified_by: userOf(flag.last_modified_by),
    ...besides(experiments.get(flag.id) ?? [], features.get(flag.id) ?? [], flag.creation_context),
    status: statusOf(flag, now()).status,
    last_called_at: flag.last_called_at,
  }))
}

/** The users behind ids, as answers embed them. */
export async function usersOf({ sql }: Pick<ProjectCall, 'sql'>, ids: readonly (number | null)[]) {
  const users = await usersById(sql, ids)
  return (id: number | null) => {
    const user = id === null ? undefined : users.get(id)
    return user ? userObject(user) : null
  }
}

/** What people decided about a flag, as answers have it. */
export function stateRecord(flag: FlagState) {
  const { is_simple_flag, percentage } = simpleRollout(flag.filters)
  return {
    name: flag.name,
    key: flag.key,
    filters: flag.filters as JsonObject,
    deleted: flag.deleted,
    active: flag.active,
    archived: flag.archived,
    is_simple_flag,
    rollout_percentage: percentage,
    ensure_experience_continuity: flag.ensure_experience_continuity,
    tags: flag.tags,
    evaluation_contexts: flag.evaluation_contexts,
    is_remote_configuration: flag.is_remote_configuration,
    has_encrypted_payloads: flag.has_encrypted_payloads,
    evaluation_runtime: flag.evaluation_runtime,
    bucketing_identifier: flag.bucketing_identifier,
  } satisfies Partial<Record<keyof FeatureFlag, unknown>>
}

interface Named {
  readonly id: number
  readonly name: string
}

export const besides = (experiments: readonly Named[], features: readonly JsonObject[], creationContext: string) => ({
  experiment_set: experiments.map(({ id }) => id),
  experiment_set_metadata: experiments.map(({ id, name }) => ({ id, name })),
  surveys: [],
  features,
  rollback_conditions: null,
  performed_rollback: false as const,
  can_edit: true,
  usage_dashboard: null,
  analytics_dashboards: [],
  has_enriched_analytics: false,
  user_access_level: 'editor',
  creation_context: creationContext,
})

export async function experimentsOf({ sql }: Pick<ProjectCall, 'sql'>, flagIds: readonly number[]) {
  const rows = await sql<(Named & { readonly flag_id: number })[]>`
    SELECT id, name, feature_flag_id AS flag_id FROM experiments
    WHERE feature_flag_id = ANY(${[...flagIds]}::int[]) AND NOT deleted ORDER BY id`
  return byFlag(rows)
}

export async function featuresOf({ sql }: Pick<ProjectCall, 'sql'>, flagIds: readonly number[]) {
  const rows = await sql<{ flag_id: number; id: string; name: string; description: string; stage: string }[]>`
    SELECT feature_flag_id AS flag_id, id, name, description, stage FROM early_access_features
    WHERE feature_flag_id = ANY(${[...flagIds]}::int[]) ORDER BY created_at`
  return byFlag(rows)
}

function byFlag<T extends { readonly flag_id: number }>(rows: readonly T[]): Map<number, Omit<T, 'flag_id'>[]> {
  const found = new Map<number, Omit<T, 'flag_id'>[]>()
  for (const { flag_id, ...row } of rows) found.set(flag_id, [...(found.get(flag_id) ?? []), row])
  return found
}
