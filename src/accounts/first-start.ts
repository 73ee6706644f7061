import type { Sql } from '../engines/postgres/index.ts'
import { createPersonalKey } from './personal-keys.ts'
import { createProject } from './projects.ts'
import { createSignInLink } from './sign-in.ts'
import { createUser } from './users.ts'

export interface FirstStartSecrets {
  readonly email: string
  readonly signInToken: string
  readonly projectToken: string
  readonly personalKey: string
}

const FIRST_USER = 'owner@localhost.localdomain'

/**
 * Creates one organisation, one user and project 1 in an empty database; null when there is an organisation already.
 */
export async function firstStart(sql: Sql): Promise<FirstStartSecrets | null> {
  return sql.begin(async (tx) => {
    await tx`SELECT pg_advisory_xact_lock(hashtext('footfall provisioning'))`
    const [inhabited] = await tx`SELECT 1 FROM organizations LIMIT 1`
    if (inhabited) return null
    const [organization] = await tx<
      { id: string }[]
    >`INSERT INTO organizations (name) VALUES ('My organisation') RETURNING id`
    const organizationId = (organization as { id: string }).id
    const user = await createUser(tx, {
      organizationId,
      email: FIRST_USER,
      firstName: 'Owner',
      level: 'owner',
    })
    const project = await createProject(tx, { organizationId, name: 'Default', id: 1 })
    const { value: personalKey } = await createPersonalKey(tx, { userId: user.id, label: 'First start', scopes: ['*'] })
    const signInToken = await createSignInLink(tx, user.id)
    return { email: FIRST_USER, signInToken, projectToken: project.api_token, personalKey }
  })
}
