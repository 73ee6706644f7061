/**
 * A breakdown by cohort: the same question, asked of each cohort by itself. Other breakdowns cut events into parts; a
 * person may well be in several cohorts.
 */

import { type ActorsSource, allOf, type BreakdownFilter, type PropertyGroup } from '../../contract/queries/index.ts'
import { InvalidQuery } from '../../lib/invalid-input.ts'
import { asText } from '../../lib/json.ts'
import type { BreakdownPlan } from '../plan/breakdown.ts'
import { type Definitions, findNamed, NO_DEFINITIONS } from './definitions.ts'

const ALL_USERS = 'all'

interface CohortValue {
  /** The cohort's id as text, or `all`. */
  readonly id: string
  readonly name: string
}

/** At least one: a breakdown by no cohort is none. */
type Cohorts = readonly [CohortValue, ...CohortValue[]]

interface BrokenDown {
  readonly properties: PropertyGroup
  readonly breakdownFilter: BreakdownFilter | undefined
}

/** The cohorts a question is broken down by; undefined when it is broken down by something else, or not at all. */
export function cohortsIn(
  filter: BreakdownFilter | undefined,
  { cohorts }: Definitions = NO_DEFINITIONS,
): Cohorts | undefined {
  const [first, ...rest] = idsIn(filter).map((id): CohortValue => {
    if (id === ALL_USERS || id === '0') return { id: ALL_USERS, name: 'all users' }
    const cohort = findNamed(cohorts, id)
    if (cohort === undefined)
      throw new InvalidQuery(`There is no cohort ${JSON.stringify(id)} in this project.`, [
        'breakdownFilter',
        'breakdown',
      ])
    return { id: String(cohort.id), name: cohort.name ?? String(cohort.id) }
  })
  return first === undefined ? undefined : [first, ...rest]
}

function idsIn(filter: BreakdownFilter | undefined): string[] {
  const several = filter?.breakdowns ?? []
  const ofCohorts = several.filter(({ type }) => type === 'cohort')
  if (ofCohorts.length > 0 && ofCohorts.length < several.length)
    throw new InvalidQuery('A breakdown by cohorts cannot be combined with others.', ['breakdownFilter', 'breakdowns'])
  if (ofCohorts.length > 0) return ofCohorts.map(({ property }) => String(property))
  if (several.length > 0 || filter?.breakdown_type !== 'cohort') return []
  return [filter.breakdown ?? []].flat().map(String)
}

/** The same question about the members of one cohort. */
function withinCohort<Q extends BrokenDown>(query: Q, id: string): Q {
  const plain = { ...query, breakdownFilter: undefined }
  if (id === ALL_USERS) return plain
  const member = { kind: 'property', type: 'cohort', key: 'id', operator: 'in', values: [id] } as const
  return { ...plain, properties: allOf(query.properties, member) }
}

interface Answered<R> {
  readonly cohort: CohortValue
  readonly result: R
}

/** Asks it of each, one after the other. */
export async function askEach<Q extends BrokenDown, R>(
  query: Q,
  [first, ...rest]: Cohorts,
  ask: (query: Q) => Promise<R>,
): Promise<readonly [Answered<R>, ...Answered<R>[]]> {
  const answered = async (cohort: CohortValue) => ({ cohort, result: await ask(withinCohort(query, cohort.id)) })
  const answers: [Answered<R>, ...Answered<R>[]] = [await answered(first)]
  for (const cohort of rest) answers.push(await answered(cohort))
  return answers
}

export const cohortBreakdown = (cohorts: readonly CohortValue[]): BreakdownPlan => ({
  parts: [],
  multiple: false,
  offset: 0,
  hideOther: false,
  names: new Map(cohorts.map(({ id, name }) => [id, name])),
})

/** Whoever stands behind a number of one of the cohorts. */
export function actorsWithinCohort(query: ActorsSource, definitions?: Definitions): ActorsSource {
  if (query.kind === 'InsightActorsQuery' && 'breakdownFilter' in query.source) {
    const source = narrowed(query.source, query.breakdown, definitions)
    return source === undefined ? query : { ...query, source, breakdown: undefined }
  }
  if (query.kind !== 'FunnelsActorsQuery') return query
  const source = narrowed(query.source, query.funnelStepBreakdown, definitions)
  return source === undefined ? query : { ...query, source, funnelStepBreakdown: undefined }
}

function narrowed<Q extends BrokenDown>(source: Q, value: unknown, definitions?: Definitions): Q | undefined {
  const cohorts = cohortsIn(source.breakdownFilter, definitions)
  if (cohorts === undefined) return undefined
  const [asked = ALL_USERS] = [value ?? []].flat().map(asText)
  if (asked !== ALL_USERS && !cohorts.some(({ id }) => id === asked))
    throw new InvalidQuery(`The question is not broken down by the cohort ${JSON.stringify(asked)}.`, ['breakdown'])
  return withinCohort(source, asked)
}
