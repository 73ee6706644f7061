import { acceptedTokens, endGrace, rotateProjectToken } from '../../accounts/index.ts'
import { resultsOf } from '../../contract/envelopes.ts'
import { acceptedTokenSchema, rotatedProjectSchema, tokenRotationSchema } from '../../contract/resources/project.ts'
import { noContent } from '../frame/answer.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'
import type { GuessingGuard } from './guessing-guard.ts'
import { confirm, requireAdmin } from './project-admins.ts'

/** A new API key for a project, and the ones it replaced. */
export function addProjectTokenRoutes(routes: ApiRoutes, guard: GuessingGuard): void {
  routes.addToProject('reset_token/', {
    PATCH: projectEndpoint({
      summary: 'Give a project a new API key; the old one is accepted for grace_hours (a week unless told otherwise)',
      scope: 'project:write',
      body: tokenRotationSchema,
      answer: rotatedProjectSchema,
      errors: ['throttled'],
      handle: async (call) => {
        await requireAdmin(call)
        await confirm(call, guard)
        const { sql, project, body, projectsChanged } = call
        const { organization_id, ...rotated } = await sql.begin((tx) =>
          rotateProjectToken(tx, project, body.grace_hours),
        )
        await projectsChanged?.()
        return { ...rotated, organization: organization_id, accepted_tokens: await acceptedTokens(sql, project.id) }
      },
      audit: ({ project, body }) => ({
        scope: 'Project',
        activity: 'token_rotated',
        itemId: String(project.id),
        detail: { name: project.name, grace_hours: body.grace_hours },
      }),
    }),
  })
  routes.addToProject('accepted_tokens/', {
    GET: projectEndpoint({
      summary: 'Replaced API keys of the project that are still accepted',
      scope: 'project:read',
      answer: resultsOf(acceptedTokenSchema),
      handle: async ({ sql, project }) => ({ results: await acceptedTokens(sql, project.id) }),
    }),
    DELETE: projectEndpoint({
      summary: 'Stop accepting the replaced API keys now',
      scope: 'project:write',
      answer: noContent,
      handle: async (call) => {
        await requireAdmin(call)
        await call.sql.begin((tx) => endGrace(tx, call.project.id))
        await call.projectsChanged?.()
      },
      audit: ({ project }) => ({
        scope: 'Project',
        activity: 'token_grace_ended',
        itemId: String(project.id),
        detail: { name: project.name },
      }),
    }),
  })
}
