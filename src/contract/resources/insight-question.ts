/** What the insight endpoints that are older than query nodes take, in a query string or a body. */
import { z } from 'zod'
import type { Json } from '../../lib/json.ts'
import { describedAs } from '../described-as.ts'
import { querySchema } from '../queries/index.ts'

const carried = (as: z.ZodType, description?: string) => {
  const schema = z.custom<Json>().optional()
  return describedAs(description === undefined ? schema : schema.meta({ description }), as)
}

const text = z.string()
const list = z.array(z.record(z.string(), z.unknown()))
const object = z.record(z.string(), z.unknown())

/** A query node, or its JSON text. */
export const queryField = carried(z.union([querySchema, text]), 'A query node, as an object or as JSON text.')

/** Filter keys that every kind of insight knows. Each kind knows more of them. */
const legacyFilter = {
  insight: carried(
    z.enum(['TRENDS', 'FUNNELS', 'RETENTION', 'PATHS', 'LIFECYCLE', 'STICKINESS']),
    'Which kind is asked for, when it is another than that of the path.',
  ),
  events: carried(list, 'Series or steps: [{"id": "$pageview", "math": "total", "order": 0}].'),
  actions: carried(list),
  properties: carried(z.union([list, object])),
  filter_test_accounts: carried(z.boolean()),
  date_from: carried(text, 'A date, or how long ago: 2026-01-31, -7d, mStart, all.'),
  date_to: carried(text),
  interval: carried(z.enum(['minute', 'hour', 'day', 'week', 'month'])),
  compare: carried(z.boolean()),
  breakdown: carried(z.union([text, z.array(z.union([text, z.int()]))])),
  breakdown_type: carried(z.enum(['event', 'person', 'group', 'session', 'cohort', 'hogql'])),
  breakdown_limit: carried(z.int()),
  display: carried(text),
  formula: carried(text),
}

const aboutTheRequest = {
  refresh: carried(z.union([z.boolean(), text]), 'true asks anew, whatever is at hand.'),
  client_query_id: carried(text, 'By which the question can be cancelled.'),
  explain: carried(z.literal('sql'), 'Answers with the statements too.'),
}

/** In the query string of a GET. */
export const insightQuestionQuerySchema = z.looseObject({
  query: queryField,
  filters: carried(object, 'The filter keys in one object, as JSON text.'),
  ...legacyFilter,
  ...aboutTheRequest,
})

/**
 * In a body: the fields of an insight, of which `query` and `filters` say what is asked, and legacy filter keys beside
 * them. Which of them count, and what is wrong with them, is decided where the question is read.
 */
export const insightQuestionSchema = z.looseObject({
  name: carried(text),
  derived_name: carried(text),
  filters: carried(object, 'The filter keys in one object.'),
  query: queryField,
  order: carried(z.int()),
  deleted: carried(z.boolean()),
  dashboards: carried(z.array(z.int()), 'Deprecated: replaced by dashboard_tiles.'),
  description: carried(text),
  tags: carried(z.array(text)),
  favorited: carried(z.boolean()),
  saved: carried(z.boolean()),
  ...legacyFilter,
  ...aboutTheRequest,
})

/** Of lists of people: the same, and which page. */
const page = { limit: carried(z.int()), offset: carried(z.int()) }
export const insightPeopleQuerySchema = insightQuestionQuerySchema.extend(page)

/** Whatever is sent; it is read together with the query string. */
export const insightPeopleBodySchema = describedAs(z.custom<Json>(), insightQuestionQuerySchema.extend(page))

/** `client_query_id`, in the query string or the body. */
export const cancelQuestionQuerySchema = z.looseObject({ client_query_id: carried(text) })
export const cancelQuestionBodySchema = describedAs(z.custom<Json>(), z.object({ client_query_id: text }))
