import { pageOf, pageQuerySchema } from '../contract/envelopes.ts'
import { deletionSchema } from '../contract/resources/service.ts'
import { deletionRecord, listDeletions } from '../jobs/index.ts'
import { envelope } from './frame/pagination.ts'
import { type ApiRoutes, projectEndpoint } from './frame/route.ts'

/** What was asked to be erased, and the receipts of what was. */
export function addDeletionRoutes(routes: ApiRoutes): void {
  routes.addToProject('deletions/', {
    GET: projectEndpoint({
      summary: 'Requested deletions and their receipts, newest first',
      scope: 'person:read',
      query: pageQuerySchema,
      answer: pageOf(deletionSchema),
      handle: async ({ sql, project, query, url }) => {
        const { count, deletions } = await listDeletions(sql, { project: project.id, ...query })
        return envelope(url, query, count, deletions.map(deletionRecord))
      },
    }),
  })
}
