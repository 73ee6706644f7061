import { z } from 'zod'
import { successSchema } from '../../contract/envelopes.ts'
import { insightQuestionQuerySchema, insightQuestionSchema } from '../../contract/resources/insight-question.ts'
import { legacyAnswerSchema } from '../../contract/results/index.ts'
import { keepTiming, timesToConvert } from '../../insights/index.ts'
import { asText, type JsonObject } from '../../lib/json.ts'
import type { ProjectCall } from '../frame/context.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'
import { legacyAnswer } from './insight-answers.ts'
import { correlationOf, fieldsOf, questionOf } from './insight-question.ts'

/** Of what is no funnel there are no times. */
const timingAnswerSchema = z.union([legacyAnswerSchema, successSchema])

/** The insight endpoints. Each asks one kind of question by default; the road behind them is the same. */
export function addInsightRoutes(routes: ApiRoutes): void {
  const asks = (summary: string, insight: string) =>
    projectEndpoint({
      summary,
      scope: 'insight:read',
      rate: 'heavy',
      csv: true,
      query: insightQuestionQuerySchema,
      answer: legacyAnswerSchema,
      errors: ['query_too_heavy'],
      handle: (call) => legacyAnswer(call, questionOf(call, insight), insight),
    })
  for (const [path, summary, insight] of [
    ['trend', 'How often something happened, over time', 'TRENDS'],
    ['funnel', 'How many get from step to step, and how long it takes them', 'FUNNELS'],
    ['retention', 'Of those who came, how many came back', 'RETENTION'],
    ['path', 'Where people go from where', 'PATHS'],
  ] as const) {
    const endpoint = asks(summary, insight)
    routes.addToProject(`insights/${path}/`, { GET: endpoint, POST: { ...endpoint, body: insightQuestionSchema } })
  }
  const correlation = projectEndpoint({
    summary: 'Which events or properties go with getting through a funnel',
    scope: 'insight:read',
    rate: 'heavy',
    csv: true,
    query: insightQuestionQuerySchema,
    answer: legacyAnswerSchema,
    errors: ['query_too_heavy'],
    handle: (call) => legacyAnswer(call, correlationOf(call), 'FUNNELS'),
  })
  routes.addToProject('insights/funnel/correlation/', {
    GET: correlation,
    POST: { ...correlation, body: insightQuestionSchema },
  })
  routes.addToProject('insights/timing/', {
    POST: projectEndpoint({
      summary: 'Keeps how long somebody waited for data; for a funnel, answers how long its conversions take',
      scope: 'insight:read',
      rate: 'heavy',
      csv: true,
      query: insightQuestionQuerySchema,
      body: insightQuestionSchema,
      answer: timingAnswerSchema,
      handle: async (call) => {
        await keepTiming(call.sql, call.project.id, call.caller.user.id, call.body as JsonObject)
        return timesOf(call)
      },
    }),
  })
}

async function timesOf(call: ProjectCall) {
  if (!describesFunnel(call)) return { success: true as const }
  const question = questionOf(call, 'FUNNELS')
  if (question.kind !== 'FunnelsQuery') return { success: true as const }
  return legacyAnswer(call, timesToConvert(question), 'FUNNELS')
}

/** By its query node, or by what its filters say they are. */
function describesFunnel(call: Pick<ProjectCall, 'query' | 'body'>): boolean {
  const { query, filters, insight } = fieldsOf(call)
  const text = typeof query === 'string' ? query : JSON.stringify(query ?? '')
  if (query !== undefined && query !== null && query !== '') return text.includes('FunnelsQuery')
  const said = (filters as { insight?: unknown } | null | undefined)?.insight ?? insight
  return asText(said).toUpperCase() === 'FUNNELS'
}
