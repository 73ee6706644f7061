import {
  createSecretKey,
  deleteSecretKey,
  findSecretKey,
  listSecretKeys,
  rollSecretKey,
  type SecretKey,
} from '../../accounts/index.ts'
import { resultsOf } from '../../contract/envelopes.ts'
import { secretKeyFieldsSchema, secretKeySchema } from '../../contract/resources/project.ts'
import { ApiError } from '../../http/errors.ts'
import { noContent } from '../frame/answer.ts'
import type { AuditNote } from '../frame/audit.ts'
import type { ProjectCall } from '../frame/context.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'
import { requireAdmin } from './project-admins.ts'

const MOST_KEYS = 20

/** Keys of servers that evaluate feature flags themselves. */
export function addSecretKeyRoutes(routes: ApiRoutes): void {
  routes.addToProject('project_secret_api_keys/', {
    GET: projectEndpoint({
      summary: 'The secret keys of the project, newest first',
      scope: 'project:read',
      answer: resultsOf(secretKeySchema),
      handle: async ({ sql, project }) => ({
        results: (await listSecretKeys(sql, project.id)).map((key) => record(key)),
      }),
    }),
    POST: projectEndpoint({
      summary: 'Create a secret key that reads feature flags; its value is in this answer and nowhere else',
      scope: 'project:write',
      body: secretKeyFieldsSchema,
      answer: secretKeySchema,
      status: 201,
      handle: async (call) => {
        await requireAdmin(call)
        const { sql, project, caller, body } = call
        if ((await listSecretKeys(sql, project.id)).length >= MOST_KEYS)
          throw new ApiError('invalid_input', `A project can have ${MOST_KEYS} secret keys. Delete one first.`)
        const { key, value } = await createSecretKey(sql, {
          projectId: project.id,
          label: body.label,
          userId: caller.user.id,
        })
        return record(key, value)
      },
      audit: (_, answer) => note('created', answer),
    }),
  })
  routes.addToProject('project_secret_api_keys/:key_id/', {
    DELETE: projectEndpoint({
      summary: 'Delete a secret key: servers that use it get no flags any more',
      scope: 'project:write',
      answer: noContent,
      handle: async (call) => {
        await requireAdmin(call)
        await deleteSecretKey(call.sql, await keyOf(call))
      },
      audit: ({ params }) => note('deleted', { id: params.key_id ?? '' }),
    }),
  })
  routes.addToProject('project_secret_api_keys/:key_id/roll/', {
    POST: projectEndpoint({
      summary: 'Give a secret key a new value; the old one ends at once',
      scope: 'project:write',
      answer: secretKeySchema,
      handle: async (call) => {
        await requireAdmin(call)
        const { key, value } = await rollSecretKey(call.sql, await keyOf(call))
        return record(key, value)
      },
      audit: (_, answer) => note('rolled', answer),
    }),
  })
}

async function keyOf({ sql, project, params }: Pick<ProjectCall, 'sql' | 'project' | 'params'>): Promise<SecretKey> {
  const key = await findSecretKey(sql, project.id, params.key_id ?? '')
  if (!key) throw new ApiError('not_found')
  return key
}

const record = ({ project_id: _, ...key }: SecretKey, value: string | null = null) => ({
  id: key.id,
  label: key.label,
  value,
  mask_value: key.mask_value,
  created_at: key.created_at,
  created_by: key.created_by,
  last_rolled_at: key.last_rolled_at,
  last_used_at: key.last_used_at,
})

const note = (activity: string, { id, label }: { readonly id: string; readonly label?: string }): AuditNote => ({
  scope: 'Project',
  activity: `secret_key_${activity}`,
  itemId: id,
  detail: label === undefined ? {} : { name: label },
})
