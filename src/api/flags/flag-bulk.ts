import {
  bulkDeletedSchema,
  bulkKeysSchema,
  bulkTagsFieldsSchema,
  bulkTagsSchema,
  flagIdsSchema,
} from '../../contract/resources/flag-management.ts'
import { changeFlag, flagsById } from '../../flags/index.ts'
import { InvalidInput } from '../../lib/invalid-input.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'
import { writerOf } from './feature-flags.ts'

/** Several flags at once: what cannot be done to one is said, and done to the others. */
export function addFlagBulkRoutes(routes: ApiRoutes): void {
  routes.addToProject('feature_flags/bulk_keys/', {
    POST: projectEndpoint({
      summary: 'The keys of feature flags, by id',
      scope: 'feature_flag:read',
      body: flagIdsSchema,
      answer: bulkKeysSchema,
      handle: async ({ sql, project, body }) => {
        const flags = await flagsById(sql, project.id, body.ids)
        return { keys: Object.fromEntries(flags.map(({ id, key }) => [String(id), key])) }
      },
    }),
  })
  routes.addToProject('feature_flags/bulk_delete/', {
    POST: projectEndpoint({
      summary: 'Take several feature flags away, as `deleted` does',
      scope: 'feature_flag:write',
      body: flagIdsSchema,
      answer: bulkDeletedSchema,
      handle: async (call) => {
        const deleted: { id: number; key: string }[] = []
        const errors: { id: number; key: string | null; reason: string }[] = []
        const flags = new Map(
          (await flagsById(call.sql, call.project.id, call.body.ids)).map((each) => [each.id, each]),
        )
        for (const id of new Set(call.body.ids)) {
          const flag = flags.get(id)
          const reason = flag
            ? await refusal(() => changeFlag(call.sql, writerOf(call), String(id), { deleted: true }))
            : 'Flag not found.'
          if (flag && reason === null) deleted.push({ id, key: flag.key })
          else errors.push({ id, key: flag?.key ?? null, reason: reason ?? '' })
        }
        return { deleted, errors }
      },
    }),
  })
  routes.addToProject('feature_flags/bulk_update_tags/', {
    POST: projectEndpoint({
      summary: 'Add tags to several feature flags, remove them, or set them',
      scope: 'feature_flag:write',
      body: bulkTagsFieldsSchema,
      answer: bulkTagsSchema,
      handle: async (call) => {
        const { ids, action, tags } = call.body
        const updated: { id: number; tags: readonly string[] }[] = []
        const skipped: { id: number; reason: string }[] = []
        for (const id of new Set(ids)) {
          const reason = await refusal(async () => {
            const changed = await changeFlag(call.sql, writerOf(call), String(id), (flag) =>
              flag.deleted ? null : { tags: tagsAfter(action, flag.tags, tags) },
            )
            if (!changed || changed.deleted) throw new InvalidInput('Flag not found.')
            updated.push({ id, tags: changed.tags })
          })
          if (reason !== null) skipped.push({ id, reason })
        }
        return { updated, skipped }
      },
    }),
  })
}

async function refusal(act: () => Promise<unknown>): Promise<string | null> {
  try {
    await act()
    return null
  } catch (error) {
    if (error instanceof InvalidInput) return error.message
    throw error
  }
}

function tagsAfter(action: 'add' | 'remove' | 'set', before: readonly string[], tags: readonly string[]): string[] {
  if (action === 'set') return [...tags]
  return action === 'add' ? [...before, ...tags] : before.filter((tag) => !tags.includes(tag))
}
