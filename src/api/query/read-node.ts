import type { z } from 'zod'
import { parsedBy } from '../../contract/parsed-by.ts'
import { type Fields, type Query, querySchema } from '../../contract/queries/index.ts'
import { ApiError } from '../../http/errors.ts'
import { dataNodeIn, readQuery } from '../../insights/index.ts'
import { isObject } from '../../lib/json.ts'
import { toError } from '../frame/validate.ts'

/** Queries whose fields are named without the node around them in errors, and whose filters are a part of the SQL. */
const TABLES: ReadonlySet<unknown> = new Set(['HogQLQuery', 'EventsQuery', 'RecordingsQuery'])

/**
 * The query in a node that `query/` was sent. Dates and properties of an override replace or join those of SQL before
 * it is read.
 */
export function readNode(node: unknown, overrides: Fields | null): Query {
  const { fields, path } = dataNodeIn(node)
  if (!TABLES.has(fields.kind)) return readQuery(fields, (inside) => ['query', ...path, ...inside])
  const asked = fields.kind === 'HogQLQuery' && overrides ? withFilters(fields, overrides) : fields
  const parsed = parsedBy(querySchema, asked)
  if (parsed.success) return parsed.data
  throw refusal(parsed.error, asked)
}

function refusal({ issues }: z.ZodError, fields: Fields): ApiError {
  const issue = issues[0] as z.core.$ZodIssue
  return issue.path.some((part) => part === 'properties' || part === 'fixedProperties')
    ? new ApiError('invalid_input', issue.message, { attr: 'query' })
    : toError(issue, fields)
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
