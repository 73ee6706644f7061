import { ApiError } from '../../http/errors.ts'
import { type CohortPersonRow, changeAndCopy, joinCohort } from '../../identity/index.ts'
import { personsBehind, readQuery, runSql, type SavedCohort } from '../../insights/index.ts'
import { asText, isObject, type Json } from '../../lib/json.ts'
import { isUuid } from '../../lib/uuid.ts'
import { withoutNul } from '../../lib/without-nul.ts'
import type { ProjectCall } from '../frame/context.ts'
import { insightContext } from '../insights/insight-question.ts'
import type { Listed } from './cohort-fields.ts'

type Changing = Pick<ProjectCall, 'sql' | 'clickhouse' | 'log' | 'project' | 'now' | 'signal'>

/**
 * Puts persons into a static cohort; whom nobody knows, and who is in it already, changes nothing. Answers how many
 * came in.
 */
export function addToCohort(call: Changing, cohort: SavedCohort, listed: Listed): Promise<number> {
  return changeAndCopy(call, async (tx) => {
    const byEmail = await tx<{ uuid: string }[]>`
      SELECT uuid FROM persons WHERE project_id = ${cohort.project_id}
        AND lower_email = ANY(${listed.emails.map((email) => email.toLowerCase())}::text[])`
    const uuids = [...listed.uuids, ...byEmail.map(({ uuid }) => uuid)]
    const rows: CohortPersonRow[] = []
    if (uuids.length > 0) rows.push(...(await joinCohort(tx, cohort, { uuids })))
    const distinctIds = listed.distinctIds.map(withoutNul)
    if (distinctIds.length > 0) rows.push(...(await joinCohort(tx, cohort, { distinctIds })))
    return { result: rows.length, rows: { cohort_people: rows } }
  })
}

const PERSON_COLUMNS = ['person_id', 'actor_id', 'id']

/** The persons a question is about: an actors query, or SQL that selects their ids. */
export async function personsOf(call: Changing, query: Json): Promise<string[]> {
  const asked = isObject(query) && query.kind === 'ActorsQuery' && isObject(query.source) ? query.source : query
  if (!isObject(asked)) throw refused('A query is an object with a "kind".')
  const context = await insightContext(call)
  if (asked.kind === 'HogQLQuery') {
    const { columns, results } = await runSql(
      { ...context, propertyTypes: async () => () => null },
      { query: asText(asked.query) },
      { signal: call.signal },
    )
    const at = columns.findIndex((name) => PERSON_COLUMNS.includes(name))
    if (at < 0) throw refused('The SQL selects persons as person_id or id.')
    return results.map((row) => asText(row[at])).filter(isUuid)
  }
  const source = readQuery(asked)
  switch (source.kind) {
    case 'InsightActorsQuery':
    case 'StickinessActorsQuery':
    case 'FunnelsActorsQuery':
    case 'FunnelCorrelationActorsQuery':
      return personsBehind(context, source, { signal: call.signal })
  }
  throw refused(`A cohort is made of an actors query or of SQL, not of a ${source.kind}.`)
}

const refused = (message: string) => new ApiError('invalid_input', message, { attr: 'query' })
