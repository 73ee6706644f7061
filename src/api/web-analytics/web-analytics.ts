import { webPageAnswerSchema, webPageRequestSchema } from '../../contract/resources/web-analytics.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'
import { answerWebTogether } from '../query/web.ts'
import { answerWebPage } from './answer-page.ts'

/** The parts of the page, in one round trip. */
export function addWebAnalyticsRoutes(routes: ApiRoutes): void {
  routes.addToProject('web_analytics/', {
    POST: projectEndpoint({
      summary: 'Answer several queries of web analytics at once',
      scope: 'query:read',
      rate: 'heavy',
      body: webPageRequestSchema,
      answer: webPageAnswerSchema,
      handle: async (call) => ({
        results: await answerWebPage(call, call.body.queries, (queries) =>
          answerWebTogether(call, queries, { signal: call.signal }),
        ),
      }),
    }),
  })
}
