import { z } from 'zod'
import { successSchema } from '../../contract/envelopes.ts'
import { viewedInsightSchema, viewedInsightsSchema } from '../../contract/resources/insight.ts'
import { lastViewed, noteViews } from '../../insights/index.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'
import { basicInsights } from './insight-record.ts'
import { insightOf } from './saved-insights.ts'

const SHOWN = 5

/**
 * Which insights somebody looked at last. Looking is said by the client; reading an insight over the API is not
 * looking.
 */
export function addInsightViewRoutes(routes: ApiRoutes): void {
  routes.addToProject('insights/my_last_viewed/', {
    GET: projectEndpoint({
      summary: 'The five insights the caller looked at last, newest first',
      scope: 'insight:read',
      csv: true,
      answer: z.array(viewedInsightSchema),
      handle: async (call) => {
        const viewed = await lastViewed(call.sql, call.project.id, call.caller.user.id, SHOWN)
        const records = await basicInsights(call, viewed)
        return records.map((record, at) => ({ ...record, last_viewed_at: viewed[at]?.viewed_at ?? null }))
      },
    }),
  })
  routes.addToProject('insights/viewed/', {
    POST: projectEndpoint({
      summary: 'Notes that the caller looked at insights',
      scope: 'insight:read',
      body: viewedInsightsSchema,
      answer: successSchema,
      status: 201,
      handle: async ({ sql, project, caller, body }) => {
        await noteViews(sql, project.id, caller.user.id, body.insight_ids)
        return { success: true }
      },
    }),
  })
  routes.addToProject('insights/:insight_id/viewed/', {
    POST: projectEndpoint({
      summary: 'Notes that the caller looked at an insight',
      scope: 'insight:read',
      answer: successSchema,
      status: 201,
      handle: async (call) => {
        const { id } = await insightOf(call)
        await noteViews(call.sql, call.project.id, call.caller.user.id, [id])
        return { success: true }
      },
    }),
  })
}
