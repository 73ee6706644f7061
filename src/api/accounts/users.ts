import {
  type Caller,
  isInstanceAdmin,
  LEVELS,
  type Membership,
  organizationsOf,
  type Project,
  reachesOrganization,
  updateUser,
  userObject,
} from '../../accounts/index.ts'
import { accountChangesSchema, accountSchema } from '../../contract/resources/user.ts'
import type { Sql } from '../../engines/postgres/index.ts'
import { visibleProjects } from '../frame/project-access.ts'
import { type ApiRoutes, endpoint } from '../frame/route.ts'

/** The caller's own account. */
export function addUserRoutes(routes: ApiRoutes): void {
  routes.add('/api/users/@me/', {
    GET: endpoint({
      summary: 'The calling user, with organisations and projects',
      scope: 'user:read',
      forScopedKeys: true,
      answer: accountSchema,
      handle: ({ sql, caller }) => account(sql, caller),
    }),
    PATCH: endpoint({
      summary: 'Change the calling user',
      scope: 'user:write',
      forScopedKeys: true,
      body: accountChangesSchema,
      answer: accountSchema,
      handle: async ({ sql, caller, body }) =>
        account(sql, { ...caller, user: await updateUser(sql, caller.user.id, body) }),
    }),
  })
}

async function account(sql: Sql, caller: Caller) {
  const { user } = caller
  const [all, projects, isStaff] = await Promise.all([
    organizationsOf(sql, user.id),
    visibleProjects(sql, caller),
    isInstanceAdmin(sql, user.id),
  ])
  const organizations = all.filter(({ id }) => reachesOrganization(caller, id))
  return {
    ...userObject(user),
    date_joined: user.date_joined,
    pending_email: null,
    has_password: user.password_hash !== null,
    notification_settings: {},
    anonymize_data: false,
    toolbar_mode: 'toolbar',
    is_staff: isStaff,
    is_2fa_enabled: false,
    has_social_auth: false,
    has_seen_product_intro_for: {},
    scene_personalisation: [],
    theme_mode: null,
    events_column_config: { active: 'DEFAULT' as const },
    team: projects[0] ? basicProject(projects[0]) : null,
    organization: organizations[0]
      ? { ...basicOrganization(organizations[0]), teams: projects.map(basicProject) }
      : null,
    organizations: organizations.map(basicOrganization),
  }
}

/** A project as embedded in its user and in lists. */
export const basicProject = (project: Project) => ({
  id: project.id,
  uuid: project.uuid,
  organization: project.organization_id,
  api_token: project.api_token,
  name: project.name,
  completed_snippet_onboarding: project.ingested_event,
  has_completed_onboarding_for: {},
  ingested_event: project.ingested_event,
  is_demo: false,
  timezone: project.timezone,
  access_control: false,
})

export const basicOrganization = ({ id, name, level, created_at }: Membership) => ({
  id,
  name,
  slug: name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, ''),
  logo_media_id: null,
  membership_level: LEVELS[level],
  created_at,
})
