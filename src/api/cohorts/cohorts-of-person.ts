import { resultsOf } from '../../contract/envelopes.ts'
import { cohortOfPersonQuerySchema, cohortSchema } from '../../contract/resources/cohort.ts'
import { cohortsOfPerson, savedCohorts } from '../../insights/index.ts'
import { requireScope } from '../frame/authenticate.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'
import { insightContext } from '../insights/insight-question.ts'
import { personOfPath } from '../persons/find.ts'
import { cohortRecords } from './cohorts.ts'

export function addCohortsOfPersonRoutes(routes: ApiRoutes): void {
  routes.addToProject('persons/cohorts/', {
    GET: projectEndpoint({
      summary: 'The cohorts a person is in',
      scope: 'person:read',
      rate: 'person',
      query: cohortOfPersonQuerySchema,
      answer: resultsOf(cohortSchema),
      handle: async (call) => {
        requireScope(call.caller, 'cohort:read')
        const { uuid } = await personOfPath({ ...call, params: call.query })
        const ids = await cohortsOfPerson(await insightContext(call), uuid, { signal: call.signal })
        const found = await Promise.all(ids.map((id) => savedCohorts.find(call.sql, call.project.id, String(id))))
        return {
          results: await cohortRecords(
            call,
            found.filter((cohort) => cohort !== undefined),
          ),
        }
      },
    }),
  })
}
