import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { ROLES_AT_ORGANIZATION } from '../contract/resources/user.ts'
import type { Sql, TransactionSql } from '../engines/postgres/index.ts'
import { hashPassword } from './password-hashing.ts'
import { createPersonalKey, type PersonalKey } from './personal-keys.ts'
import { announceProjects, createProject } from './projects.ts'
import { isScope } from './scopes.ts'
import { hashOf } from './secrets.ts'
import { createUser, findUserByEmail, joinOrganization } from './users.ts'

/** The provisioning file: applied at every start, adds what is missing, removes nothing. */
const timezone = z.string().refine(isTimezone, { error: 'must be an IANA time zone such as "Europe/Berlin"' })

const personalKey = z.strictObject({
  label: z.string().min(1).max(40),
  value: z.string().regex(/^phx_[\x21-\x7e]{4,}$/, 'must be "phx_" and at least 4 printable ASCII characters'),
  scopes: z.array(z.string().refine(isScope, { error: 'must be a scope such as "person:read", or "*"' })).min(1),
  scoped_projects: z.array(z.int().positive()).default([]),
})

const FILE = z.strictObject({
  organization: z.strictObject({ name: z.string().min(1) }),
  projects: z
    .array(
      z.strictObject({
        id: z.int().positive(),
        name: z.string().min(1),
        api_token: z
          .string()
          .regex(/^(?!phx_)[\x21-\x7e]{1,64}$/, 'must be 1 to 64 printable ASCII characters and not start with "phx_"'),
        timezone: timezone.default('UTC'),
      }),
    )
    .default([]),
  users: z
    .array(
      z.strictObject({
        email: z.email(),
        first_name: z.string().default(''),
        last_name: z.string().default(''),
        password: z.string().min(8, 'must have at least 8 characters').optional(),
        role_at_organization: z.enum(ROLES_AT_ORGANIZATION).optional(),
        personal_api_keys: z.array(personalKey).default([]),
      }),
    )
    .default([]),
})

type Provisioning = z.output<typeof FILE>

class ProvisionError extends Error {
  override name = 'ProvisionError'
}

export function readProvisioning(file: string): Provisioning {
  let content: unknown
  try {
    content = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new ProvisionError(`provisioning file ${file}: ${(error as Error).message}`)
  }
  const parsed = FILE.safeParse(content)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new ProvisionError(`provisioning file ${file}: at ${jsonPath(issue?.path ?? [])}: ${issue?.message}`)
}

export async function applyProvisioning(sql: Sql, wanted: Provisioning): Promise<void> {
  await sql.begin(async (tx) => {
    // Two processes may start with the same file.
    await tx`SELECT pg_advisory_xact_lock(hashtext('footfall provisioning'))`
    const organizationId = await ensureOrganization(tx, wanted.organization.name)
    for (const [i, project] of wanted.projects.entries()) {
      const [same] = await tx<{ id: number; api_token: string; organization_id: string }[]>`
        SELECT id, api_token, organization_id FROM projects WHERE id = ${project.id} OR api_token = ${project.api_token}`
      // A key that was replaced since still belongs to this project.
      const [retired] = await tx<{ project_id: number }[]>`
        SELECT project_id FROM retired_project_tokens WHERE api_token = ${project.api_token}`
      if (retired?.project_id === project.id) continue
      if (retired)
        throw new ProvisionError(
          `at $.projects[${i}].api_token: this was a key of project ${retired.project_id}: choose another one`,
        )
      if (same && (same.id !== project.id || same.api_token !== project.api_token)) {
        throw new ProvisionError(
          `at $.projects[${i}]: project ${same.id} already exists with another ${same.id === project.id ? 'api_token' : 'id'}`,
        )
      }
      if (!same)
        await createProject(tx, {
          organizationId,
          name: project.name,
          id: project.id,
          apiToken: project.api_token,
          timezone: project.timezone,
        })
    }
    for (const [i, user] of wanted.users.entries()) {
      const found = await findUserByEmail(tx, user.email)
      const level = i === 0 ? 'owner' : 'member'
      if (found) await joinOrganization(tx, organizationId, found.id, level)
      const { id } =
        found ??
        (await createUser(tx, {
          organizationId,
          email: user.email,
          firstName: user.first_name,
          lastName: user.last_name,
          role: user.role_at_organization ?? '',
          level,
          ...(user.password === undefined ? {} : { passwordHash: await hashPassword(user.password) }),
        }))
      for (const [k, key] of user.personal_api_keys.entries()) {
        const at = `$.users[${i}].personal_api_keys[${k}]`
        await expectProjects(tx, organizationId, key.scoped_projects, at)
        await ensureKey(tx, id, key, at)
      }
    }
    await announceProjects(tx)
  })
}

async function ensureOrganization(tx: TransactionSql, name: string): Promise<string> {
  const [row] = await tx<{ id: string }[]>`
    INSERT INTO organizations (name) VALUES (${name})
    ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id`
  return (row as { id: string }).id
}

/** A key for a project that does not exist would silently have no access. */
async function expectProjects(
  tx: TransactionSql,
  organizationId: string,
  ids: readonly number[],
  at: string,
): Promise<void> {
  const found = await tx<{ id: number }[]>`
    SELECT id FROM projects WHERE organization_id = ${organizationId} AND id = ANY(${ids as number[]}::bigint[])`
  const known = new Set(found.map(({ id }) => id))
  const missing = ids.findIndex((id) => !known.has(id))
  if (missing >= 0)
    throw new ProvisionError(
      `at ${at}.scoped_projects[${missing}]: there is no project ${ids[missing]} in this organisation: add it to $.projects, or correct the id`,
    )
}

async function ensureKey(
  tx: TransactionSql,
  userId: number,
  key: z.output<typeof personalKey>,
  at: string,
): Promise<void> {
  const [same] = await tx<PersonalKey[]>`SELECT * FROM personal_api_keys WHERE hash = ${hashOf(key.value)}`
  if (!same) {
    await createPersonalKey(tx, {
      userId,
      label: key.label,
      value: key.value,
      scopes: key.scopes,
      scopedProjects: key.scoped_projects,
    })
  } else if (same.user_id !== userId) {
    throw new ProvisionError(`at ${at}.value: this key already belongs to another user`)
  } else {
    await tx`
      UPDATE personal_api_keys SET label = ${key.label}, scopes = ${tx.array(key.scopes)}::text[],
        scoped_projects = ${tx.array(key.scoped_projects)}::integer[]
      WHERE id = ${same.id}`
  }
}

const jsonPath = (path: readonly PropertyKey[]) =>
  `$${path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('')}`

export function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
