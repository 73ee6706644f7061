import { z } from 'zod'
import { findPerson, propertyTypes } from '../../identity/index.ts'
import {
  dataNodeIn,
  dateFromSchema,
  dateToSchema,
  queryEnvelope,
  readQuery,
  refuseCrossed,
  runEventsQuery,
  runSql,
  type SqlContext,
  sqlEnvelope,
  tableEnvelope,
  withOverride,
} from '../../insights/index.ts'
import { isObject } from '../../lib/json.ts'
import type { ProjectCall } from '../frame/context.ts'
import { validate } from '../frame/validate.ts'
import { answerInsight } from '../insights/insight-answers.ts'
import { asSent, insightContext } from '../insights/insight-question.ts'
import { answerActors } from './actors.ts'
import { answerRecordingsQuery } from './recordings.ts'

type Asked = Pick<ProjectCall, 'sql' | 'clickhouse' | 'project' | 'now' | 'caller'>
type Fields = Record<string, unknown>

const MOST_WRAPPERS = 10
/** Of a question that nobody can call back. */
const NEVER = new AbortController().signal
const constant = z.union([z.string(), z.number(), z.boolean(), z.null()])
const value = z.union([constant, z.array(constant)])

const SQL_QUERY = z.object({
  query: z.string(),
  filters: z
    .object({
      properties: z.unknown().optional(),
      dateRange: z.object({ date_from: dateFromSchema, date_to: dateToSchema }).nullish(),
      filterTestAccounts: z.boolean().nullish(),
    })
    .nullish(),
  values: z.record(z.string(), value).nullish(),
  variables: z
    .record(z.string(), z.object({ code_name: z.string(), value: value.optional(), isNull: z.boolean().nullish() }))
    .nullish(),
})

const texts = z.array(z.string()).max(200)
const EVENTS_QUERY = z.object({
  select: texts,
  where: texts.nullish(),
  properties: z.unknown().optional(),
  fixedProperties: z.unknown().optional(),
  filterTestAccounts: z.boolean().nullish(),
  event: z.string().nullish(),
  events: texts.nullish(),
  actionId: z.coerce.number().int().nullish(),
  personId: z.union([z.string(), z.int().transform(String)]).nullish(),
  after: dateFromSchema,
  before: dateToSchema,
  orderBy: texts.nullish(),
  limit: z.int().min(1).nullish(),
  offset: z.int().min(0).nullish(),
})

/** Answers a query node: SQL by its own road, everything else by that of insights. */
export async function answerQuery(
  call: Asked,
  node: unknown,
  overrides: Fields | null,
  options: {
    readonly signal?: AbortSignal
    readonly queryId?: string
    readonly explain?: boolean
    readonly refresh?: boolean
  },
): Promise<object> {
  const data = dataNode(node)
  if (isObject(data) && data.kind === 'HogQLQuery')
    return answerSql(call, overrides ? withFilters(data, overrides) : data, options)
  if (isObject(data) && data.kind === 'EventsQuery') return answerEvents(call, data, options)
  if (isObject(data) && data.kind === 'RecordingsQuery')
    return answerRecordingsQuery({ ...call, signal: options.signal ?? NEVER }, data, overrides)
  const { path } = dataNodeIn(node)
  const query = withOverride(
    readQuery(data, (inside) => ['query', ...path, ...inside]),
    overrides,
  )
  return asSent({ query: {}, body: { query: node } }, async () => {
    if (query.kind === 'ActorsQuery') return answerActors(call, query, options.signal)
    const { answer, isCached, lastRefresh } = await answerInsight(call, query, options)
    return queryEnvelope(answer, { isCached, lastRefresh, explain: options.explain === true })
  })
}

async function answerEvents(
  call: Asked,
  node: Fields,
  options: { readonly signal?: AbortSignal; readonly queryId?: string },
) {
  const { properties, fixedProperties, personId, ...asked } = validate(EVENTS_QUERY, node)
  refuseCrossed(asked.after, asked.before, clockOf(call), ['after', 'before'])
  const person = personId ? await findPerson(call.sql, call.project.id, personId) : null
  const both = [properties, fixedProperties].filter((each) => each !== undefined && each !== null).map(grouped)
  const answer = await runEventsQuery(
    await sqlContext(call),
    {
      ...asked,
      ...(both.length === 0 ? {} : { properties: { type: 'AND', values: both } }),
      // A person nobody has ever heard of has no events.
      ...(personId ? { personId: person?.uuid ?? NOBODY } : {}),
    },
    options,
  )
  return tableEnvelope(answer, { timezone: call.project.timezone, lastRefresh: call.now().getTime() })
}

const clockOf = ({ project, now }: Asked) => ({ timezone: project.timezone, now: now().getTime() })

const NOBODY = '00000000-0000-0000-0000-000000000000'

async function sqlContext(call: Asked): Promise<SqlContext> {
  const types = await propertyTypes(call.sql, call.project.id)
  return { ...(await insightContext(call)), propertyType: (of, key) => types.get(`${of}/${key}`) ?? null }
}

async function answerSql(
  call: Asked,
  node: Fields,
  options: { readonly signal?: AbortSignal; readonly queryId?: string; readonly explain?: boolean },
) {
  const asked = validate(SQL_QUERY, node)
  refuseCrossed(asked.filters?.dateRange?.date_from, asked.filters?.dateRange?.date_to, clockOf(call))
  const variables = Object.values(asked.variables ?? {}).map(
    ({ code_name, value, isNull }) => [code_name, isNull ? null : (value ?? null)] as const,
  )
  const answer = await runSql(
    await sqlContext(call),
    {
      query: asked.query,
      filters: asked.filters
        ? {
            properties: asked.filters.properties,
            dateRange: asked.filters.dateRange
              ? {
                  date_from: asked.filters.dateRange.date_from ?? null,
                  date_to: asked.filters.dateRange.date_to ?? null,
                }
              : null,
            filterTestAccounts: asked.filters.filterTestAccounts ?? null,
          }
        : null,
      values: asked.values ?? {},
      variables: Object.fromEntries(variables),
    },
    options,
  )
  return sqlEnvelope(asked.query, answer, {
    timezone: call.project.timezone,
    lastRefresh: call.now().getTime(),
    explain: options.explain === true,
  })
}

/** The node that is to be run: view nodes only wrap it. */
export function dataNode(node: unknown): unknown {
  let at = parsed(node)
  for (let depth = 0; depth < MOST_WRAPPERS && isObject(at) && at.kind !== 'HogQLQuery'; depth++) {
    const source = parsed(at.source)
    if (!isObject(source) || !isView(at.kind)) break
    at = source as typeof at
  }
  return at
}

const isView = (kind: unknown) =>
  kind === 'InsightVizNode' || kind === 'DataTableNode' || kind === 'DataVisualizationNode'

function parsed(node: unknown): unknown {
  if (typeof node !== 'string') return node
  try {
    return JSON.parse(node)
  } catch {
    return node
  }
}

/** Dates replace those of the query, properties are added to them. */
function withFilters(node: Fields, { date_from, date_to, properties }: Fields): Fields {
  const filters = isObject(node.filters) ? node.filters : {}
  const dates =
    date_from === undefined && date_to === undefined
      ? {}
      : { dateRange: { date_from: date_from ?? null, date_to: date_to ?? null } }
  const both = [filters.properties, properties].filter((each) => each !== undefined && each !== null).map(grouped)
  return {
    ...node,
    filters: { ...filters, ...dates, ...(both.length === 0 ? {} : { properties: { type: 'AND', values: both } }) },
  }
}

const grouped = (filters: unknown) => (Array.isArray(filters) ? { type: 'AND', values: filters } : filters)
