import { z } from 'zod'
import { featureFlagSchema } from '../../contract/resources/feature-flags.ts'
import { dependentFlagSchema, flagStatusSchema, flagVersionSchema } from '../../contract/resources/flag-management.ts'
import { changeFlag, type FlagFields, findVersion, flagsThatDependOn, rolloutOf, statusOf } from '../../flags/index.ts'
import { ApiError } from '../../http/errors.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'
import { writerOf } from './feature-flags.ts'
import { besides, experimentsOf, featuresOf, flagOf, flagRecord, stateRecord, usersOf } from './flag-record.ts'

const OF_ONE = 'feature_flags/:feature_flag_id/'

/** Each changes one thing and nothing else. */
const STATES = {
  enable: { summary: 'Enable a feature flag', fields: { active: true } },
  disable: { summary: 'Disable a feature flag: everybody gets false', fields: { active: false } },
  archive: { summary: 'Archive a feature flag: lists leave it out', fields: { archived: true } },
  unarchive: { summary: 'Take a feature flag out of the archive', fields: { archived: false } },
} as const satisfies Record<string, { summary: string; fields: FlagFields }>

export function addFlagStateRoutes(routes: ApiRoutes): void {
  for (const [name, { summary, fields }] of Object.entries(STATES))
    routes.addToProject(`${OF_ONE}${name}/`, {
      POST: projectEndpoint({
        summary,
        scope: 'feature_flag:write',
        answer: featureFlagSchema,
        handle: async (call) => {
          const { id, deleted } = await flagOf(call)
          if (deleted) throw new ApiError('invalid_input', 'The flag has been deleted: bring it back first.')
          const changed = await changeFlag(call.sql, writerOf(call), String(id), (flag) => ending(flag, fields))
          if (!changed) throw new ApiError('not_found')
          return flagRecord(call, changed)
        },
      }),
    })
  routes.addToProject(`${OF_ONE}status/`, {
    GET: projectEndpoint({
      summary: 'Whether a feature flag is in use, and how far it is rolled out',
      scope: 'feature_flag:read',
      answer: flagStatusSchema,
      handle: async (call) => {
        const flag = await flagOf(call)
        return { ...statusOf(flag, call.now()), rollout: rolloutOf(flag.filters) }
      },
    }),
  })
  routes.addToProject(`${OF_ONE}dependent_flags/`, {
    GET: projectEndpoint({
      summary: 'The feature flags whose conditions name this one',
      scope: 'feature_flag:read',
      answer: z.array(dependentFlagSchema),
      handle: async (call) => {
        const { id } = await flagOf(call)
        const found = await flagsThatDependOn(call.sql, call.project.id, id)
        return found.map((flag) => ({ id: flag.id, key: flag.key, name: flag.name, active: flag.active }))
      },
    }),
  })
  routes.addToProject(`${OF_ONE}versions/:version_number/`, {
    GET: projectEndpoint({
      summary: 'A feature flag as it was at a version',
      scope: 'feature_flag:read',
      answer: flagVersionSchema,
      handle: async (call) => {
        const flag = await flagOf(call)
        const wanted = call.params.version_number ?? ''
        const version = /^\d{1,9}$/.test(wanted) ? await findVersion(call.sql, flag.id, Number(wanted)) : undefined
        if (!version) throw new ApiError('not_found', `The flag has no version ${wanted.slice(0, 20)}.`)
        const userOf = await usersOf(call, [flag.created_by, version.modified_by])
        const experiments = (await experimentsOf(call, [flag.id])).get(flag.id) ?? []
        const features = (await featuresOf(call, [flag.id])).get(flag.id) ?? []
        return {
          id: flag.id,
          ...stateRecord(version.flag),
          created_by: userOf(flag.created_by),
          created_at: flag.created_at,
          updated_at: version.created_at,
          version: version.version,
          last_modified_by: userOf(version.modified_by),
          ...besides(experiments, features, flag.creation_context),
          version_timestamp: version.created_at,
          modified_by: userOf(version.modified_by),
          is_historical: version.version !== flag.version,
        }
      },
    }),
  })
}

/** Nothing is written where nothing changes. */
const ending = (flag: { active: boolean; archived: boolean }, fields: { active?: boolean; archived?: boolean }) =>
  (fields.active ?? flag.active) === flag.active && (fields.archived ?? flag.archived) === flag.archived ? null : fields
