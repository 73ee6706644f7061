/** Who made, changed, took away and brought back which insight. */
import { activityPageSchema, activityQuerySchema } from '../../contract/resources/activity.ts'
import { readActivity } from '../frame/activity.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'
import { insightOf } from './saved-insights.ts'

export function addInsightActivityRoutes(routes: ApiRoutes): void {
  routes.addToProject('insights/activity/', {
    GET: projectEndpoint({
      summary: 'Who changed which insight, newest first',
      scope: 'activity_log:read',
      query: activityQuerySchema,
      answer: activityPageSchema,
      handle: ({ sql, project, query, url }) =>
        readActivity(sql, url, query, { project: project.id, scope: 'Insight' }),
    }),
  })
  routes.addToProject('insights/:insight_id/activity/', {
    GET: projectEndpoint({
      summary: 'Who changed this insight, newest first',
      scope: 'activity_log:read',
      query: activityQuerySchema,
      answer: activityPageSchema,
      handle: async (call) => {
        const { id } = await insightOf(call, { deletedToo: true })
        const of = { project: call.project.id, scope: 'Insight', itemId: String(id) }
        return readActivity(call.sql, call.url, call.query, of)
      },
    }),
  })
}
