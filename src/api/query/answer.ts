import type { EventsQuery, Fields, HogQLQuery } from '../../contract/queries/index.ts'
import type { QueryAnswers } from '../../contract/results/index.ts'
import { findPerson } from '../../identity/index.ts'
import {
  answerTaxonomy,
  queryEnvelope,
  refuseCrossed,
  runEventsQuery,
  runSql,
  sqlEnvelope,
  tableEnvelope,
  withOverride,
} from '../../insights/index.ts'
import type { ProjectCall } from '../frame/context.ts'
import { answerInsight } from '../insights/insight-answers.ts'
import { asSent, insightContext } from '../insights/insight-question.ts'
import { answerActors, answerPersonsNode } from './actors.ts'
import { answerExperiment, answerExposures } from './experiments.ts'
import { readNode } from './read-node.ts'
import { answerRecordingsQuery } from './recordings.ts'
import { answerWeb } from './web.ts'

type Asked = Pick<ProjectCall, 'sql' | 'reading' | 'clickhouse' | 'project' | 'now' | 'caller'>

interface Options {
  readonly signal?: AbortSignal
  readonly queryId?: string
  readonly explain?: boolean
  readonly refresh?: boolean
}

export type QueryAnswer = QueryAnswers[keyof QueryAnswers] | Awaited<ReturnType<typeof answerRecordingsQuery>>

/** Of a question that cannot be cancelled. */
const NEVER = new AbortController().signal

/** Answers a query node of any kind. */
export async function answerQuery(
  call: Asked,
  node: unknown,
  overrides: Fields | null,
  options: Options,
): Promise<QueryAnswer> {
  const query = readNode(node, overrides)
  switch (query.kind) {
    case 'HogQLQuery':
      return answerSql(call, query, options)
    case 'EventsQuery':
      return answerEvents(call, query, options)
    case 'ExperimentQuery':
      return answerExperiment(call, query, options)
    case 'ExperimentExposureQuery':
      return answerExposures(call, query, options)
    case 'RecordingsQuery':
      return answerRecordingsQuery({ ...call, signal: options.signal ?? NEVER }, query, overrides)
    case 'PersonsNode':
      return asSent({ query: {}, body: { query: node } }, () => answerPersonsNode(call, query))
    case 'DatabaseSchemaQuery':
    case 'TeamTaxonomyQuery':
    case 'EventTaxonomyQuery':
    case 'ActorsPropertyTaxonomyQuery':
    case 'GroupsQuery':
    case 'SessionAttributionExplorerQuery':
      return answerTaxonomy(await insightContext(call), query, options)
    case 'SessionsTimelineQuery': {
      const asked = { ...query, ...(await ofPerson(call, query.personId)) }
      return answerTaxonomy(await insightContext(call), asked, options)
    }
  }
  const asked = withOverride(query, overrides)
  return asSent({ query: {}, body: { query: node } }, async () => {
    if (asked.kind === 'ActorsQuery') return answerActors(call, asked, options.signal)
    const web = await answerWeb(call, asked, options)
    if (web !== undefined) return web
    const { answer, isCached, lastRefresh } = await answerInsight(call, asked, options)
    return queryEnvelope(answer, { isCached, lastRefresh, explain: options.explain === true })
  })
}

async function answerEvents(call: Asked, query: EventsQuery, options: Options) {
  const { personId, ...asked } = query
  refuseCrossed(asked.after, asked.before, clockOf(call), ['after', 'before'])
  const whose = await ofPerson(call, personId)
  const answer = await runEventsQuery(await insightContext(call), { ...asked, ...whose }, options)
  return tableEnvelope(answer, { timezone: call.project.timezone, lastRefresh: call.now().getTime() })
}

/** By its uuid or its number. A person that is not known has no events. */
async function ofPerson({ sql, project }: Asked, id: string | undefined): Promise<{ personId?: string }> {
  return id ? { personId: (await findPerson(sql, project.id, id))?.uuid ?? NOBODY } : {}
}

const clockOf = ({ project, now }: Asked) => ({ timezone: project.timezone, now: now().getTime() })

const NOBODY = '00000000-0000-0000-0000-000000000000'

async function answerSql(call: Asked, query: HogQLQuery, options: Options) {
  const { date_from, date_to } = query.filters?.dateRange ?? {}
  refuseCrossed(date_from, date_to, clockOf(call))
  const answer = await runSql(await insightContext(call), query, options)
  return sqlEnvelope(query.query, answer, {
    timezone: call.project.timezone,
    lastRefresh: call.now().getTime(),
    explain: options.explain === true,
  })
}
