import type { Project } from '../accounts/index.ts'
import { envelope, PAGE } from './pagination.ts'
import { visibleProjects } from './project-access.ts'
import { type ApiRoutes, endpoint, projectEndpoint } from './route.ts'
import { basicProject } from './users.ts'

export function addProjectRoutes(routes: ApiRoutes): void {
  routes.add('/api/projects/', {
    GET: endpoint({
      summary: 'The projects the caller may see',
      scope: 'project:read',
      query: PAGE,
      handle: async ({ sql, caller, query, url }) => {
        const visible = await visibleProjects(sql, caller)
        return envelope(
          url,
          query,
          visible.length,
          visible.slice(query.offset, query.offset + query.limit).map(basicProject),
        )
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

const projectRecord = ({ organization_id, ...project }: Project) => ({ ...project, organization: organization_id })
