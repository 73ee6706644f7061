import { z } from 'zod'
import type { Project } from '../../accounts/index.ts'
import {
  copiedFlagsSchema,
  copyFlagsFieldsSchema,
  flagOfOrganizationSchema,
} from '../../contract/resources/flag-management.ts'
import { changeFlag, createFlag, findFlag, type SavedFlag, simpleRollout } from '../../flags/index.ts'
import { ApiError } from '../../http/errors.ts'
import { InvalidInput } from '../../lib/invalid-input.ts'
import type { JsonObject } from '../../lib/json.ts'
import { organizationOf } from '../accounts/organizations.ts'
import type { Call } from '../frame/context.ts'
import { visibleProjects } from '../frame/project-access.ts'
import { type ApiRoutes, endpoint } from '../frame/route.ts'
import { filtersElsewhere } from './copy-filters.ts'
import { flagRecord, usersOf } from './flag-record.ts'

/** The same flag in several projects of an organisation. */
export function addOrganizationFlagRoutes(routes: ApiRoutes): void {
  routes.add('/api/organizations/:organization_id/feature_flags/:feature_flag_key/', {
    GET: endpoint({
      summary: 'The feature flags with a key in the projects of an organisation',
      scope: 'feature_flag:read',
      answer: z.array(flagOfOrganizationSchema),
      handle: async (call) => {
        const found: SavedFlag[] = []
        for (const { id } of await projectsIn(call)) {
          const flag = await flagWithKey(call, id, call.params.feature_flag_key ?? '')
          if (flag) found.push(flag)
        }
        if (found.length === 0) throw new ApiError('not_found')
        const userOf = await usersOf(
          call,
          found.map(({ created_by }) => created_by),
        )
        return found.map((flag) => {
          const { is_simple_flag, percentage } = simpleRollout(flag.filters)
          return {
            flag_id: flag.id,
            project_id: flag.project_id,
            team_id: flag.project_id,
            created_by: userOf(flag.created_by),
            filters: flag.filters as JsonObject,
            created_at: flag.created_at,
            active: flag.active,
            is_simple_flag,
            rollout_percentage: percentage,
          }
        })
      },
    }),
  })
  routes.add('/api/organizations/:organization_id/feature_flags/copy_flags/', {
    POST: endpoint({
      summary: 'Copy a feature flag to other projects; one with the same key there is overwritten',
      scope: 'feature_flag:write',
      body: copyFlagsFieldsSchema,
      answer: copiedFlagsSchema,
      handle: async (call) => {
        const { feature_flag_key, from_project, target_project_ids } = call.body
        const projects = new Map((await projectsIn(call)).map((project) => [project.id, project]))
        const source = projects.has(from_project) && (await flagWithKey(call, from_project, feature_flag_key))
        if (!source)
          throw new ApiError('invalid_input', `Project ${from_project} has no feature flag "${feature_flag_key}".`, {
            attr: 'feature_flag_key',
          })
        const success: Awaited<ReturnType<typeof flagRecord>>[] = []
        const failed: { project_id: number; error_message: string }[] = []
        for (const target of new Set(target_project_ids)) {
          try {
            if (!projects.has(target)) throw new InvalidInput('Project not found.')
            if (target === from_project) throw new InvalidInput('This is the project the flag is copied from.')
            success.push(await flagRecord(call, await copied(call, source, target)))
          } catch (error) {
            if (!(error instanceof InvalidInput)) throw error
            failed.push({ project_id: target, error_message: error.message })
          }
        }
        return { success, failed }
      },
    }),
  })
}

async function projectsIn(call: Pick<Call, 'sql' | 'caller' | 'params'>): Promise<Project[]> {
  const organization = await organizationOf(call)
  return (await visibleProjects(call.sql, call.caller)).filter(
    ({ organization_id }) => organization_id === organization.id,
  )
}

async function flagWithKey({ sql }: Pick<Call, 'sql'>, project: number, key: string): Promise<SavedFlag | undefined> {
  const flag = await findFlag(sql, project, key)
  return flag && flag.key === key && !flag.deleted ? flag : undefined
}

async function copied({ sql, caller }: Pick<Call, 'sql' | 'caller'>, source: SavedFlag, target: number) {
  const { key, name, active, ensure_experience_continuity, evaluation_runtime, bucketing_identifier } = source
  const { evaluation_contexts, tags, is_remote_configuration } = source
  const fields = {
    key,
    name,
    active,
    ensure_experience_continuity,
    evaluation_runtime,
    bucketing_identifier,
    evaluation_contexts,
    tags,
    is_remote_configuration,
    filters: await filtersElsewhere({ sql, userId: caller.user.id, from: source.project_id, to: target }, source),
  }
  const writer = { projectId: target, userId: caller.user.id }
  const there = await flagWithKey({ sql }, target, key)
  const changed = there && (await changeFlag(sql, writer, String(there.id), fields))
  return changed ?? createFlag(sql, writer, fields)
}
