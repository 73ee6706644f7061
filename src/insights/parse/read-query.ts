/** A query node as clients send it (an object, its JSON text, or either wrapped in a view node) becomes one typed Query. */
import type { z } from 'zod'
import { ApiError } from '../../http/errors.ts'
import { type Query, querySchema } from './query-schema.ts'
import { asFields, type Fields } from './wire-values.ts'

const KINDS: ReadonlySet<string> = new Set(querySchema.options.map((option) => option.shape.kind.value))
const MAX_WRAPPERS = 10

export function readQuery(node: unknown): Query {
  const fields = dataNodeOf(node)
  const parsed = querySchema.safeParse(fields)
  if (!parsed.success) throw refusal(parsed.error)
  return parsed.data
}

/** The data node inside InsightVizNode, DataTableNode, DataVisualizationNode and whatever else only has a `source`. */
export function dataNodeOf(node: unknown): Fields {
  let fields = asFields(node)
  for (let depth = 0; depth < MAX_WRAPPERS; depth++) {
    if (fields === undefined)
      throw new ApiError('invalid_input', 'A query is an object with a "kind".', { attr: 'query' })
    if (typeof fields.kind !== 'string')
      throw new ApiError('required', 'A query needs a "kind".', { attr: 'query__kind' })
    if (KINDS.has(fields.kind)) return fields
    if (fields.source === undefined || fields.source === null) {
      throw new ApiError('invalid_input', `Unsupported query kind: ${fields.kind}`, { attr: 'query__kind' })
    }
    fields = asFields(fields.source)
  }
  throw new ApiError('invalid_input', 'The query is wrapped in too many nodes.', { attr: 'query' })
}

function refusal(error: z.ZodError): ApiError {
  const issue = error.issues[0]
  const path = issue === undefined || issue.path.length === 0 ? ['query'] : issue.path.map(String)
  const message = issue?.message ?? 'Invalid query.'
  return new ApiError('invalid_input', `${path.join('.')}: ${message}`, { attr: path.join('__') })
}
