import type { Project } from '../../accounts/index.ts'
import { pageQuerySchema } from '../../contract/envelopes.ts'
import type { ActorsSource } from '../../contract/queries/index.ts'
import { insightPeopleBodySchema, insightPeopleQuerySchema } from '../../contract/resources/insight-question.ts'
import { type ActorBehind, type InsightPeople, insightPeopleSchema } from '../../contract/results/index.ts'
import type { Sql } from '../../engines/postgres/index.ts'
import { findGroup, personName, personsByUuid } from '../../identity/index.ts'
import { type Actor, type ActorsAnswer, runActors } from '../../insights/index.ts'
import type { ProjectCall } from '../frame/context.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'
import { validate } from '../frame/validate.ts'
import { samePage } from './insight-links.ts'
import { actorsOf, asSent, correlationActorsOf, insightContext } from './insight-question.ts'

/** Who stands behind a number: the lists that the links of insight answers lead to. */
export function addInsightPeopleRoutes(routes: ApiRoutes): void {
  const lists = (summary: string, sourceOf: (call: ProjectCall) => ActorsSource) =>
    projectEndpoint({
      summary,
      scope: 'person:read',
      rate: 'heavy',
      query: insightPeopleQuerySchema,
      answer: insightPeopleSchema,
      errors: ['query_too_heavy'],
      handle: (call) => people(call, sourceOf(call)),
    })
  for (const [path, summary, insight] of [
    ['trends', 'The people behind a point of a trend', 'TRENDS'],
    ['funnel', 'The people who reached a step of a funnel, or dropped before it', 'FUNNELS'],
    ['retention', 'The people behind a row or a cell of a retention table', 'RETENTION'],
    ['lifecycle', 'The people who are new, returning, resurrecting or dormant in an interval', 'LIFECYCLE'],
    ['stickiness', 'The people who were active in so many intervals', 'STICKINESS'],
    ['path', 'The people who took a way', 'PATHS'],
  ] as const) {
    const endpoint = lists(summary, (call) => actorsOf(call, insight))
    routes.addToProject(`persons/${path}/`, { GET: endpoint, POST: { ...endpoint, body: insightPeopleBodySchema } })
  }
  const correlation = lists('The people behind one side of a correlation', correlationActorsOf)
  routes.addToProject('persons/funnel/correlation/', {
    GET: correlation,
    POST: { ...correlation, body: insightPeopleBodySchema },
  })
}

async function people(call: ProjectCall, source: ActorsSource): Promise<InsightPeople> {
  const page = validate(pageQuerySchema, { ...pick(call.query), ...pick(call.body) })
  const context = await insightContext(call)
  const answer = await asSent(call, () => runActors(context, source, page, { signal: call.signal }))
  const shown = await peopleOf(call.sql, call.project, answer)
  return {
    results: [{ count: shown.length, people: shown }],
    next: answer.hasMore ? samePage(call, { limit: page.limit, offset: page.offset + page.limit }) : null,
    initial: samePage(call, { limit: page.limit }),
    is_cached: false,
    last_refresh: call.now().toISOString(),
  }
}

const pick = (given: unknown) => {
  const { limit, offset } = (given ?? {}) as { limit?: unknown; offset?: unknown }
  return { ...(limit === undefined ? {} : { limit }), ...(offset === undefined ? {} : { offset }) }
}

/** Actors as they are today; one of whom nothing is known any more is only its id. */
async function peopleOf(sql: Sql, project: Project, { actors, groupIndex }: ActorsAnswer): Promise<ActorBehind[]> {
  if (groupIndex !== undefined) return Promise.all(actors.map((actor) => groupOf(sql, project, actor, groupIndex)))
  const persons = await personsByUuid(
    sql,
    project.id,
    actors.map(({ id }) => id),
  )
  return actors.map((actor) => {
    const person = persons.get(actor.id)
    return {
      type: 'person' as const,
      id: actor.id,
      uuid: actor.id,
      name: person === undefined ? actor.id : personName(person, project.person_display_name_properties),
      distinct_ids: person?.distinctIds ?? [],
      properties: person?.properties ?? {},
      created_at: person?.createdAt.toISOString() ?? null,
      is_identified: person?.isIdentified ?? null,
      ...seenOf(actor),
    }
  })
}

async function groupOf(sql: Sql, project: Project, actor: Actor, index: number): Promise<ActorBehind> {
  const group = await findGroup(sql, project.id, index, actor.id)
  return {
    type: 'group' as const,
    id: actor.id,
    group_key: actor.id,
    group_type_index: index,
    properties: group?.properties ?? {},
    created_at: group?.createdAt.toISOString() ?? null,
    ...seenOf(actor),
  }
}

const seenOf = ({ recordings, eventCount }: Actor) => ({
  matched_recordings: recordings,
  value_at_data_point: eventCount,
})
