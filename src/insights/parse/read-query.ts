/**
 * A query node as clients send it (an object, its JSON text, or either wrapped in a view node) becomes one typed Query.
 */
import type { z } from 'zod'
import { parsedBy } from '../../contract/parsed-by.ts'
import { asFields, type Fields, QUERY_KINDS, type Query, querySchema, shown } from '../../contract/queries/index.ts'
import { InvalidQuery, type Path } from '../../lib/invalid-input.ts'
import type { Place } from './legacy-places.ts'

const MAX_WRAPPERS = 10

/** `place` says where a part of the data node stood in what the client sent. */
export function readQuery(node: unknown, place?: Place): Query {
  const { fields, path } = dataNodeIn(node)
  const parsed = parsedBy(querySchema, fields)
  if (!parsed.success) throw refusal(parsed.error, fields, place ?? ((inside) => [...path, ...inside]))
  return parsed.data
}

export const dataNodeOf = (node: unknown): Fields => dataNodeIn(node).fields

/**
 * The data node inside InsightVizNode, DataTableNode, DataVisualizationNode and whatever else only has a `source`, and
 * where it is.
 */
export function dataNodeIn(node: unknown): { readonly fields: Fields; readonly path: Path } {
  let fields = asFields(node)
  for (let depth = 0; depth < MAX_WRAPPERS; depth++) {
    const path = Array.from({ length: depth }, () => 'source')
    const at = (...name: string[]) => ['query', ...path, ...name]
    if (fields === undefined) throw new InvalidQuery('A query is an object with a "kind".', at())
    if (typeof fields.kind !== 'string') throw new InvalidQuery('A query needs a "kind".', at('kind'), 'required')
    if (QUERY_KINDS.has(fields.kind)) return { fields, path }
    if (fields.source === undefined || fields.source === null) {
      throw new InvalidQuery(`Unsupported query kind: ${fields.kind}`, at('kind'))
    }
    fields = asFields(fields.source)
  }
  throw new InvalidQuery('The query is wrapped in too many nodes.', ['query'])
}

function refusal(error: z.ZodError, fields: Fields, place: Place): InvalidQuery {
  const issue = error.issues[0]
  const inside = (issue?.path ?? []).map((part) => (typeof part === 'symbol' ? String(part) : part))
  const placed = place(inside)
  const path = placed.length === 0 ? ['query'] : placed
  const message = issue?.message ?? 'Invalid query.'
  // Messages of ours say what was sent.
  const sent = issue === undefined || issue.code === 'custom' ? '' : gotten(fields, inside, message)
  return new InvalidQuery(`${path.join('.')}: ${message}${sent}`, path)
}

function gotten(fields: Fields, path: Path, message: string): string {
  const value = path.reduce<unknown>(
    (at, part) => (at as Record<PropertyKey, unknown> | null | undefined)?.[part],
    fields,
  )
  return value === undefined ? '' : `${message.endsWith('.') ? '' : '.'} You sent ${shown(value)}.`
}

/** The node that holds the dates and filters, as far inside as there is a source: what planning speaks of. */
export function innermost(fields: Fields): Path {
  const source = asFields(fields.source)
  return source === undefined ? [] : ['source', ...innermost(source)]
}
