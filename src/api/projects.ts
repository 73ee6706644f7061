import { type Project, projectsOf } from '../accounts/index.ts'
import { envelope, PAGE } from './pagination.ts'
import { type ApiRoutes, endpoint, projectEndpoint } from './route.ts'

export function addProjectRoutes(routes: ApiRoutes): void {
  routes.add('/api/projects/', {
    GET: endpoint({
      summary: 'The projects the caller may see',
      scope: 'project:read',
      query: PAGE,
      handle: async ({ sql, caller, query, url }) => {
        const { scoped_organizations: only } = caller.key
        const visible = (await projectsOf(sql, caller.user.id)).filter(
          ({ organization_id }) => only.length === 0 || only.includes(organization_id),
        )
        return envelope(url, query, visible.length, visible.slice(query.offset, query.offset + query.limit).map(listed))
      },
    }),
  })
  routes.addToProject('', {
    GET: projectEndpoint({
      summary: 'One project',
      scope: 'project:read',
      handle: ({ project }) => projectRecord(project),
    }),
  })
}

const listed = (project: Project) => ({
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

const projectRecord = ({ organization_id, ...project }: Project) => ({ ...project, organization: organization_id })
