import { pageOf } from '../../contract/envelopes.ts'
import { featureFlagSchema } from '../../contract/resources/feature-flags.ts'
import { type FlagChanges, flagChangesSchema, flagListQuerySchema } from '../../contract/resources/flag-management.ts'
import { changeFlag, createFlag, type FlagFields, listFlags } from '../../flags/index.ts'
import { ApiError } from '../../http/errors.ts'
import { notAllowed } from '../frame/answer.ts'
import { OF_LISTS } from '../frame/body-limits.ts'
import type { ProjectCall } from '../frame/context.ts'
import { readOn } from '../frame/list-positions.ts'
import { envelope } from '../frame/pagination.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'
import { flagOf, flagRecord, flagRecords } from './flag-record.ts'

/** Feature flags as people keep them. What SDKs are answered is in capture/. */
export function addFeatureFlagRoutes(routes: ApiRoutes): void {
  routes.addToProject('feature_flags/', {
    GET: projectEndpoint({
      summary: 'Feature flags, the newest first',
      scope: 'feature_flag:read',
      query: flagListQuerySchema,
      answer: pageOf(featureFlagSchema),
      handle: async (call) => {
        const { count, flags, hasMore } = await readOn(call, (behind) =>
          listFlags(call.sql, call.project.id, call.query, behind),
        )
        return envelope(call.url, call.query, count, await flagRecords(call, flags), { hasMore })
      },
    }),
    POST: projectEndpoint({
      summary: 'Create a feature flag',
      scope: 'feature_flag:write',
      body: flagChangesSchema,
      answer: featureFlagSchema,
      mostBytes: OF_LISTS,
      status: 201,
      errors: ['required', 'unique', 'invalid_key'],
      handle: async (call) => {
        const { creation_context } = call.body
        return flagRecord(call, await createFlag(call.sql, writerOf(call), fieldsOf(call.body), creation_context))
      },
    }),
  })
  const change = (summary: string) =>
    projectEndpoint({
      summary,
      scope: 'feature_flag:write',
      body: flagChangesSchema,
      answer: featureFlagSchema,
      mostBytes: OF_LISTS,
      errors: ['unique', 'invalid_key', 'conflict'],
      exists: flagOf,
      handle: async (call) => {
        const { id } = await flagOf(call)
        const { version, original_flag } = call.body
        const changed = await changeFlag(call.sql, writerOf(call), String(id), fieldsOf(call.body), {
          readVersion: version ?? versionIn(original_flag),
        })
        if (!changed) throw new ApiError('not_found')
        return flagRecord(call, changed)
      },
    })
  routes.addToProject('feature_flags/:feature_flag_id/', {
    GET: projectEndpoint({
      summary: 'One feature flag, by its id or its key',
      scope: 'feature_flag:read',
      answer: featureFlagSchema,
      handle: async (call) => flagRecord(call, await flagOf(call)),
    }),
    PATCH: change('Change a feature flag; `deleted` takes it away and brings it back'),
    PUT: change('Change a feature flag, as PATCH does'),
    DELETE: projectEndpoint({
      summary: 'Refused: take a feature flag away by setting `deleted`',
      scope: 'feature_flag:write',
      answer: notAllowed,
      handle: () => undefined,
    }),
  })
}

export const writerOf = ({ project, caller }: Pick<ProjectCall, 'project' | 'caller'>) => ({
  projectId: project.id,
  userId: caller.user.id,
})

function fieldsOf(body: FlagChanges): FlagFields {
  const { version: _, original_flag: __, creation_context: ___, ...fields } = body
  return fields
}

const versionIn = (original: Record<string, unknown> | undefined): number | undefined =>
  typeof original?.version === 'number' ? original.version : undefined
