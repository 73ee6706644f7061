import { activityPageSchema, activityQuerySchema } from '../../contract/resources/activity.ts'
import { readActivity } from '../frame/activity.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'
import { flagOf } from './flag-record.ts'

const SCOPE = 'FeatureFlag'

export function addFlagActivityRoutes(routes: ApiRoutes): void {
  routes.addToProject('feature_flags/activity/', {
    GET: projectEndpoint({
      summary: 'Who made and changed feature flags, the last first',
      scope: 'activity_log:read',
      query: activityQuerySchema,
      answer: activityPageSchema,
      handle: ({ sql, url, query, project }) => readActivity(sql, url, query, { project: project.id, scope: SCOPE }),
    }),
  })
  routes.addToProject('feature_flags/:feature_flag_id/activity/', {
    GET: projectEndpoint({
      summary: 'Who made and changed a feature flag, the last first',
      scope: 'activity_log:read',
      query: activityQuerySchema,
      answer: activityPageSchema,
      handle: async (call) => {
        const { id } = await flagOf(call)
        return readActivity(call.sql, call.url, call.query, {
          project: call.project.id,
          scope: SCOPE,
          itemId: String(id),
        })
      },
    }),
  })
}
