import { insightQuestionQuerySchema } from '../../contract/resources/insight-question.ts'
import { propertiesTimelineSchema } from '../../contract/resources/person.ts'
import { ApiError } from '../../http/errors.ts'
import { propertiesTimeline } from '../../insights/index.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'
import { insightContext, questionOf } from '../insights/insight-question.ts'
import { personOfPath } from './find.ts'

export function addPropertiesTimelineRoutes(routes: ApiRoutes): void {
  routes.addToProject('persons/:person_id/properties_timeline/', {
    GET: projectEndpoint({
      summary:
        'How the properties of a person that a trend asks about changed, and how many of its events each value saw',
      scope: 'person:read',
      rate: 'heavy',
      query: insightQuestionQuerySchema,
      answer: propertiesTimelineSchema,
      errors: ['query_too_heavy'],
      handle: async (call) => {
        const { uuid } = await personOfPath(call)
        const question = questionOf(call)
        if (question.kind !== 'TrendsQuery')
          throw new ApiError('invalid_input', 'A timeline of properties is asked for with the filters of a trend.', {
            attr: 'insight',
          })
        return propertiesTimeline(await insightContext(call), question, uuid, { signal: call.signal })
      },
    }),
  })
}
