import { webPageAnswerSchema, webPageRequestSchema } from '../../contract/resources/web-analytics.ts'
import { questionsOf } from '../../engines/clickhouse/index.ts'
import { ApiError } from '../../http/errors.ts'
import type { PublicCall } from '../frame/context.ts'
import { type ApiRoutes, publicEndpoint } from '../frame/route.ts'
import { type answerWeb, answerWebTogether } from '../query/web.ts'
import { openPublicLink } from '../shares/public-link.ts'
import { answerWebPage } from './answer-page.ts'
import { refuseUnlessPublic } from './public-question.ts'
import { SharedAnswers } from './shared-answers.ts'

/** The numbers of web analytics for whoever has a link to them. */
export function addSharedWebRoutes(routes: ApiRoutes): void {
  const answers = new SharedAnswers<Awaited<ReturnType<typeof answerWeb>>>()
  routes.add('/api/shared/:token/web_analytics/', {
    POST: publicEndpoint({
      summary: 'Answer queries of web analytics behind a public link',
      body: webPageRequestSchema,
      answer: webPageAnswerSchema,
      exists: openWebLink,
      handle: async (call) => {
        const { share, project } = await openWebLink(call)
        const { sql, now, placesCredit } = call
        // Others wait for the same answer: it is finished even when whoever asked first has gone.
        const asking = { sql, now, placesCredit, project, clickhouse: questionsOf(call.clickhouse, project) }
        const results = await answerWebPage(call, call.body.queries, (queries) => {
          const answer = answerWebTogether(asking, queries)
          return async (query) => {
            refuseUnlessPublic(query)
            const key = JSON.stringify([project.id, query])
            return answers.answer({ link: share.id, key, now: now().getTime() }, () => answer(query))
          }
        })
        return { results }
      },
    }),
  })
}

async function openWebLink(call: Pick<PublicCall, 'sql' | 'params' | 'reply'>) {
  const link = await openPublicLink(call)
  if (link.share.page !== 'web') throw new ApiError('not_found')
  return link
}
