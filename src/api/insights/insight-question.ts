import { z } from 'zod'
import type { ActorsQuery, ActorsSource, FunnelCorrelationQuery, Query } from '../../contract/queries/index.ts'
import { ApiError } from '../../http/errors.ts'
import {
  actorsNodeOfLegacyFilter,
  correlationActorsOfLegacyFilter,
  correlationOfLegacyFilter,
  dataNodeIn,
  type InsightContext,
  innermost,
  nodeOfLegacyFilter,
  openInsightContext,
  type Place,
  placesOfLegacyFilter,
  readQuery,
} from '../../insights/index.ts'
import { InvalidInput, type Path } from '../../lib/invalid-input.ts'
import { asParsed, isObject, numberFrom } from '../../lib/json.ts'
import type { ProjectCall } from '../frame/context.ts'
import { validate } from '../frame/validate.ts'

export type Fields = Record<string, unknown>
type Asked = Pick<ProjectCall, 'query' | 'body'>

/** Everything that was asked, wherever it stood. The body wins over the query string. */
export const fieldsOf = ({ query, body }: Asked): Fields => ({
  ...Object.fromEntries(Object.entries(query as Fields).map(([name, given]) => [name, asInBody(given)])),
  ...validate(z.record(z.string(), z.unknown()), body === undefined ? {} : body),
})

const asInBody = (given: unknown): unknown =>
  typeof given === 'string' ? asParsed(given) : Array.isArray(given) ? given.map(asInBody) : given

/** The query node that was sent, out of whatever it is wrapped in, and where it stood. */
function nodeIn({ query: node }: Fields): { readonly fields: Fields; readonly path: Path } | undefined {
  if (node === undefined || node === null || node === '') return undefined
  const { fields, path } = dataNodeIn(node)
  return { fields, path: ['query', ...path] }
}

/**
 * Where a part of the question stood in the request. `wrapped`: so many nodes were put around the one that was sent, whose own fields
 * came from legacy keys beside it.
 */
function placeIn(fields: Fields, { wrapped = 0, ofActors = false } = {}): Place {
  const node = nodeIn(fields)
  const beside: Place = (path) => placesOfLegacyFilter({ ...fields, query: undefined }, ofActors)(path)
  if (node === undefined) return beside
  return (path) =>
    path.length >= wrapped && path.slice(0, wrapped).every((part) => part === 'source')
      ? [...node.path, ...path.slice(wrapped)]
      : beside(path)
}

/** What an insight endpoint is asked: a `query` node (object or JSON text), else `filters`, else legacy keys at the top level. */
export function questionOf(call: Asked, insight = 'TRENDS'): Query {
  const fields = fieldsOf(call)
  const node = nodeIn(fields)
  const asked = node === undefined ? nodeOfLegacyFilter(fields, insight) : atOffset(node.fields, fields.offset)
  return readQuery(asked, placeIn(fields))
}

/** Runs a question; what is wrong with it is told by the place where the client sent it. */
export async function asSent<T>(call: Asked, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof InvalidInput) || error.path.length === 0) throw error
    throw inRequest(error, fieldsOf(call))
  }
}

/** The parts of an insight's node, of which planning speaks. What else is named stands in the request under that name. */
const IN_NODE = /^(?:dateRange|interval|properties|series|samplingFactor|aggregation_group_type_index|[a-z]+Filter)$/

function inRequest(error: InvalidInput, fields: Fields): InvalidInput {
  const { path } = error
  if (!IN_NODE.test(String(path[0]))) return error
  const node = nodeIn(fields)
  const placed =
    node === undefined ? placesOfLegacyFilter(fields)(path) : [...node.path, ...innermost(node.fields), ...path]
  return new InvalidInput(error.message, placed, error.reason)
}

/** The page of breakdown values that `next` leads to stands beside the node, not in it. */
function atOffset(node: Fields, offset: unknown): Fields {
  const from = numberFrom(offset ?? 0)
  if (node.kind !== 'TrendsQuery' || !isObject(node.breakdownFilter) || !Number.isSafeInteger(from) || from <= 0)
    return node
  return { ...node, breakdownFilter: { ...node.breakdownFilter, breakdown_offset: from } }
}

/** The same about correlations: the node may be the correlation itself or only its funnel. */
export function correlationOf(call: Asked): FunnelCorrelationQuery {
  const fields = fieldsOf(call)
  const { node, wrapped } = correlationNode(fields)
  return readQuery(node, placeIn(fields, { wrapped })) as FunnelCorrelationQuery
}

/** `wrapped`: how many nodes are around the one that was sent. */
function correlationNode(fields: Fields): { readonly node: Fields; readonly wrapped: number } {
  const node = nodeIn(fields)?.fields
  if (node === undefined) return { node: correlationOfLegacyFilter(fields), wrapped: 0 }
  if (node.kind === 'FunnelCorrelationQuery') return { node, wrapped: 0 }
  const isActors = node.kind === 'FunnelsActorsQuery'
  const source = isActors ? node : { kind: 'FunnelsActorsQuery', source: node }
  return {
    node: { ...correlationOfLegacyFilter({ ...fields, query: undefined }), source },
    wrapped: isActors ? 1 : 2,
  }
}

/** Whom a list of people is about: the insight as above, and which of its numbers in the legacy keys. */
export function actorsOf(call: Asked, insight: string): ActorsSource {
  const fields = fieldsOf(call)
  const node = nodeIn(fields)?.fields
  const place = (wrapped: number) => placeIn(fields, { wrapped, ofActors: true })
  if (node === undefined) return readQuery(actorsNodeOfLegacyFilter(fields, insight), place(0)) as ActorsSource
  if (node.kind === 'ActorsQuery') return sourceOfActors(readQuery(node, place(0)) as ActorsQuery)
  if (typeof node.kind === 'string' && node.kind.endsWith('ActorsQuery'))
    return readQuery(node, place(0)) as ActorsSource
  const which = actorsNodeOfLegacyFilter({ ...fields, query: undefined, insight }, insight)
  return readQuery({ ...which, source: node }, place(1)) as ActorsSource
}

function sourceOfActors({ source }: ActorsQuery): ActorsSource {
  if (source && source.kind !== 'HogQLQuery') return source
  throw new ApiError('required', 'An ActorsQuery needs a source here: the query whose number is meant.', {
    attr: 'query__source',
  })
}

export function correlationActorsOf(call: Asked): ActorsSource {
  const fields = fieldsOf(call)
  const which = correlationActorsOfLegacyFilter({ ...fields, query: undefined })
  const { node, wrapped } = correlationNode(fields)
  return readQuery({ ...which, source: node }, placeIn(fields, { wrapped: wrapped + 1 })) as ActorsSource
}

/** What answering needs of the call's project. */
export const insightContext = (
  call: Pick<ProjectCall, 'sql' | 'clickhouse' | 'project' | 'now'>,
): Promise<InsightContext> => openInsightContext(call)
