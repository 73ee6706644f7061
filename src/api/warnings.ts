import { resultsOf } from '../contract/envelopes.ts'
import { ingestionWarningSchema } from '../contract/resources/service.ts'
import { readLedger, WARNINGS, type WarningReason } from '../events/index.ts'
import { type ApiRoutes, projectEndpoint } from './frame/route.ts'

/** Everything dropped, mended or refused: one row a reason, with words for people and samples for engineers. */
export function addWarningRoutes(routes: ApiRoutes): void {
  routes.addToProject('ingestion_warnings/', {
    GET: projectEndpoint({
      summary: 'What was dropped, mended or refused, and why',
      scope: 'query:read',
      answer: resultsOf(ingestionWarningSchema),
      handle: async ({ sql, project }) => ({
        results: (await readLedger(sql, project.id)).map((row) => ({
          ...row,
          ...((WARNINGS as Record<string, WarningReason>)[row.type] ?? {}),
        })),
      }),
    }),
  })
}
