import { z } from 'zod'
import {
  type ActorsSource,
  actorsNodeOfLegacyFilter,
  correlationActorsOfLegacyFilter,
  correlationOfLegacyFilter,
  dataNodeOf,
  type FunnelCorrelationQuery,
  type InsightContext,
  nodeOfLegacyFilter,
  openInsightContext,
  type Query,
  readQuery,
} from '../../insights/index.ts'
import { isObject } from '../../lib/json.ts'
import type { ProjectCall } from '../frame/context.ts'
import { validate } from '../frame/validate.ts'

export type Fields = Record<string, unknown>
type Asked = Pick<ProjectCall, 'query' | 'body'>

/** Everything that was asked, wherever it stood. The body wins over the query string. */
export const fieldsOf = ({ query, body }: Asked): Fields => ({
  ...(query as Fields),
  ...validate(z.record(z.string(), z.unknown()), body === undefined ? {} : body),
})

/** The query node that was sent, out of whatever it is wrapped in. */
function nodeIn({ query: node }: Fields): Fields | undefined {
  return node === undefined || node === null || node === '' ? undefined : dataNodeOf(node)
}

/** What an insight endpoint is asked: a `query` node (object or JSON text), else `filters`, else legacy keys at the top level. */
export function questionOf(call: Asked, insight = 'TRENDS'): Query {
  const fields = fieldsOf(call)
  const node = nodeIn(fields)
  return readQuery(node === undefined ? nodeOfLegacyFilter(fields, insight) : atOffset(node, fields.offset))
}

/** The page of breakdown values that `next` leads to stands beside the node, not in it. */
function atOffset(node: Fields, offset: unknown): Fields {
  const from = Number(offset ?? 0)
  if (node.kind !== 'TrendsQuery' || !isObject(node.breakdownFilter) || !Number.isSafeInteger(from) || from <= 0)
    return node
  return { ...node, breakdownFilter: { ...node.breakdownFilter, breakdown_offset: from } }
}

/** The same about correlations: the node may be the correlation itself or only its funnel. */
export function correlationOf(call: Asked): FunnelCorrelationQuery {
  return readQuery(correlationNode(fieldsOf(call))) as FunnelCorrelationQuery
}

function correlationNode(fields: Fields): Fields {
  const node = nodeIn(fields)
  if (node === undefined) return correlationOfLegacyFilter(fields)
  if (node.kind === 'FunnelCorrelationQuery') return node
  const source = node.kind === 'FunnelsActorsQuery' ? node : { kind: 'FunnelsActorsQuery', source: node }
  return { ...correlationOfLegacyFilter({ ...fields, query: undefined }), source }
}

/** Whom a list of people is about: the insight as above, and which of its numbers in the legacy keys. */
export function actorsOf(call: Asked, insight: string): ActorsSource {
  const fields = fieldsOf(call)
  const node = nodeIn(fields)
  if (node === undefined) return readQuery(actorsNodeOfLegacyFilter(fields, insight)) as ActorsSource
  if (String(node.kind).endsWith('ActorsQuery')) return readQuery(node) as ActorsSource
  const which = actorsNodeOfLegacyFilter({ ...fields, query: undefined, insight }, insight)
  return readQuery({ ...which, source: node }) as ActorsSource
}

export function correlationActorsOf(call: Asked): ActorsSource {
  const fields = fieldsOf(call)
  const which = correlationActorsOfLegacyFilter({ ...fields, query: undefined })
  return readQuery({ ...which, source: correlationNode(fields) }) as ActorsSource
}

/** What answering needs of the call's project. */
export const insightContext = (
  call: Pick<ProjectCall, 'sql' | 'clickhouse' | 'project' | 'now'>,
): Promise<InsightContext> => openInsightContext(call)
