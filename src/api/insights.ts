import { csvRowsOf, csvText, legacyEnvelope, runInsight } from '../insights/index.ts'
import type { ProjectCall } from './context.ts'
import { insightContext, questionOf } from './insight-question.ts'
import { type ApiRoutes, projectEndpoint } from './route.ts'

/** The insight endpoints. Each asks one kind of question by default; the road behind them is the same. */
export function addInsightRoutes(routes: ApiRoutes): void {
  const trend = projectEndpoint({
    summary: 'How often something happened, over time',
    scope: 'insight:read',
    csv: true,
    handle: (call) => answer(call, 'TRENDS'),
  })
  routes.addToProject('insights/trend/', { GET: trend, POST: trend })
}

async function answer(call: ProjectCall, insight: string): Promise<unknown> {
  const question = questionOf(call, insight)
  const answered = await runInsight(await insightContext(call), question, { signal: call.signal })
  if (call.format === 'csv') {
    return call.reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', `attachment; filename="${insight.toLowerCase()}.csv"`)
      .send(csvText(csvRowsOf(answered.result)))
  }
  const explain = (call.query as Record<string, unknown>).explain === 'sql'
  return legacyEnvelope(answered, { lastRefresh: call.now().getTime(), explain })
}
