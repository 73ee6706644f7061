import { z } from 'zod'
import {
  createPersonalKey,
  deleteKey,
  findKey,
  isScope,
  keysOf,
  MOST_KEYS_PER_USER,
  organizationsOf,
  type PersonalKey,
  rollKey,
  updateKey,
} from '../../accounts/index.ts'
import { personalKeyFieldsSchema, personalKeySchema } from '../../contract/resources/personal-key.ts'
import { faultyNetwork } from '../../http/client-address.ts'
import { ApiError } from '../../http/errors.ts'
import { noContent } from '../frame/answer.ts'
import type { AuditNote } from '../frame/audit.ts'
import type { Call } from '../frame/context.ts'
import { visibleProjects } from '../frame/project-access.ts'
import { type ApiRoutes, endpoint } from '../frame/route.ts'

const FIELDS = personalKeyFieldsSchema.shape

const scopes = FIELDS.scopes.superRefine((given, context) => {
  const wrong = given.find((scope) => !isScope(scope))
  if (wrong !== undefined) context.addIssue({ code: 'custom', message: `Invalid scope: ${wrong}` })
})

const KEY = personalKeyFieldsSchema.extend({
  scopes,
  allowed_addresses: z
    .array(
      z
        .string()
        .trim()
        .refine((text) => faultyNetwork([text]) === null, {
          error: 'Must be addresses or networks such as 203.0.113.7 or 203.0.113.0/24.',
        }),
    )
    .max(100)
    .nullish(),
})

/**
 * Keys for scripts. Only a person signed in in a browser may make or change them: a key that could make keys could not
 * be taken back.
 */
export function addPersonalKeyRoutes(routes: ApiRoutes): void {
  routes.add('/api/personal_api_keys/', {
    GET: endpoint({
      summary: 'The personal API keys of the caller, newest first',
      scope: null,
      access: 'session',
      answer: z.array(personalKeySchema),
      handle: async ({ sql, caller }) => (await keysOf(sql, caller.user.id)).map((key) => keyRecord(key)),
    }),
    POST: endpoint({
      summary: 'Create a personal API key; its value is in this answer and nowhere else',
      scope: null,
      access: 'session',
      body: KEY,
      answer: personalKeySchema,
      status: 201,
      handle: async (call) => {
        const { sql, caller, body } = call
        if ((await keysOf(sql, caller.user.id)).length >= MOST_KEYS_PER_USER)
          throw new ApiError(
            'invalid_input',
            `You can only have ${MOST_KEYS_PER_USER} personal API keys. Remove an existing key before creating a new one.`,
          )
        await refuseForeign(call, body)
        const { key, value } = await createPersonalKey(sql, {
          userId: caller.user.id,
          label: body.label,
          scopes: body.scopes,
          scopedProjects: body.scoped_teams ?? [],
          scopedOrganizations: body.scoped_organizations ?? [],
          expiresAt: body.expires_at ?? null,
          allowedAddresses: body.allowed_addresses ?? [],
        })
        return keyRecord(key, value)
      },
      audit: (_, answer) => keyNote('created', answer),
    }),
  })
  routes.add('/api/personal_api_keys/@current/', {
    GET: endpoint({
      summary: 'The calling key',
      scope: null,
      forScopedKeys: true,
      answer: personalKeySchema,
      handle: ({ caller }) => {
        if (caller.key === null) throw new ApiError('not_found')
        return keyRecord(caller.key)
      },
    }),
  })
  routes.add('/api/personal_api_keys/:key_id/', {
    GET: endpoint({
      summary: 'One personal API key',
      scope: null,
      access: 'session',
      answer: personalKeySchema,
      handle: async (call) => keyRecord(await ownKey(call)),
    }),
    PATCH: endpoint({
      summary: 'Change a personal API key',
      scope: null,
      access: 'session',
      body: KEY.partial(),
      answer: personalKeySchema,
      handle: async (call) => {
        const key = await ownKey(call)
        const { label, scopes, scoped_teams, scoped_organizations, expires_at, allowed_addresses } = call.body
        await refuseForeign(call, call.body)
        return keyRecord(
          await updateKey(call.sql, key, {
            label,
            scopes,
            scoped_projects: scoped_teams === null ? [] : scoped_teams,
            scoped_organizations: scoped_organizations === null ? [] : scoped_organizations,
            expires_at,
            allowed_addresses: allowed_addresses === null ? [] : allowed_addresses,
          }),
        )
      },
      audit: (_, answer) => keyNote('updated', answer),
    }),
    DELETE: endpoint({
      summary: 'Delete a personal API key: it stops working at once',
      scope: null,
      access: 'session',
      answer: noContent,
      handle: async (call) => {
        const key = await ownKey(call)
        await deleteKey(call.sql, key)
        return keyRecord(key)
      },
      audit: (_, answer) => keyNote('deleted', answer),
    }),
  })
  routes.add('/api/personal_api_keys/:key_id/roll/', {
    POST: endpoint({
      summary: 'Give a personal API key a new value: the old one stops working at once',
      scope: null,
      access: 'session',
      answer: personalKeySchema,
      handle: async (call) => {
        const { key, value } = await rollKey(call.sql, await ownKey(call))
        return keyRecord(key, value)
      },
      audit: (_, answer) => keyNote('rolled', answer),
    }),
  })
}

async function ownKey({ sql, caller, params }: Pick<Call, 'sql' | 'caller' | 'params'>): Promise<PersonalKey> {
  const key = await findKey(sql, caller.user.id, params.key_id ?? '')
  if (!key) throw new ApiError('not_found')
  return key
}

/** A key cannot be restricted to what its user cannot see. */
async function refuseForeign(
  { sql, caller }: Pick<Call, 'sql' | 'caller'>,
  given: { scoped_teams?: number[] | null | undefined; scoped_organizations?: string[] | null | undefined },
): Promise<void> {
  const projects = new Set((await visibleProjects(sql, caller)).map(({ id }) => id))
  if ((given.scoped_teams ?? []).some((id) => !projects.has(id)))
    throw new ApiError('invalid_input', 'Must be projects you have access to.', { attr: 'scoped_teams' })
  const organizations = new Set((await organizationsOf(sql, caller.user.id)).map(({ id }) => id))
  if ((given.scoped_organizations ?? []).some((id) => !organizations.has(id)))
    throw new ApiError('invalid_input', 'Must be organisations you belong to.', { attr: 'scoped_organizations' })
}

function keyNote(activity: string, key: KeyRecord): AuditNote {
  const { id, label, mask_value, scopes, scoped_teams, expires_at, allowed_addresses } = key
  const detail = { name: label, mask_value, scopes, scoped_teams, expires_at, allowed_addresses }
  return { scope: 'PersonalAPIKey', activity, itemId: id, detail }
}

type KeyRecord = ReturnType<typeof keyRecord>

const keyRecord = (key: PersonalKey, value: string | null = null) => ({
  id: key.id,
  label: key.label,
  value,
  mask_value: key.mask_value,
  created_at: key.created_at,
  last_used_at: key.last_used_at,
  last_rolled_at: key.last_rolled_at,
  user_id: key.user_id,
  scopes: key.scopes,
  scoped_teams: key.scoped_projects,
  scoped_organizations: key.scoped_organizations,
  expires_at: key.expires_at,
  allowed_addresses: key.allowed_addresses,
})
