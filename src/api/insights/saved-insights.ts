import { z } from 'zod'
import { pageOf } from '../../contract/envelopes.ts'
import {
  basicInsightSchema,
  insightFieldsSchema,
  insightListQuerySchema,
  insightSchema,
  refreshQuerySchema,
} from '../../contract/resources/insight.ts'
import { ApiError } from '../../http/errors.ts'
import {
  createInsight,
  findInsight,
  INSIGHT_ORDERS,
  type InsightOrder,
  listInsights,
  momentOf,
  placeInsight,
  type SavedInsight,
  updateInsight,
} from '../../insights/index.ts'
import { noneOfThem } from '../../lib/as-sent.ts'
import { isObject, type Json, parseJson } from '../../lib/json.ts'
import { notAllowed } from '../frame/answer.ts'
import type { ProjectCall } from '../frame/context.ts'
import { readOn } from '../frame/list-positions.ts'
import { envelope } from '../frame/pagination.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'
import { sendTable } from './insight-answers.ts'
import { numbersOf, rowsOf } from './insight-numbers.ts'
import { basicInsights, type FullInsight, fullInsights } from './insight-record.ts'
import { insightState, noteInsight } from './note-insight.ts'

const order = z
  .string()
  .refine((given) => (INSIGHT_ORDERS as readonly string[]).includes(given.replace(/^-/, '')), {
    error: ({ input }) =>
      `Order by one of ${INSIGHT_ORDERS.join(', ')}, with a "-" before it for descending: ${noneOfThem(input)}`,
  })
  .default('-last_modified_at')

const FILTERS = insightListQuerySchema.extend({ order })

/** Any JSON, but a query must look like one. */
const query = z.custom<Json>().transform((given, context): Json => {
  if (given === null || given === '') return null
  try {
    return dataNodeLike(given)
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message, params: { code: 'parse_error' } })
    return null
  }
})

/** Nodes of kinds we cannot answer are kept too: others may know them. */
function dataNodeLike(given: Json): Json {
  const opened = typeof given === 'string' ? parseJson(given) : given
  const node = typeof opened === 'string' ? parseJson(opened) : opened
  if (!isObject(node) || typeof node.kind !== 'string')
    throw new Error('A query is an object with a "kind", or its JSON text.')
  return node
}

const FIELDS = insightFieldsSchema.extend({
  query: query.optional(),
  short_id: z.string().optional().catch(undefined).meta({ description: 'Not written: says where the rest was read.' }),
})
type WrittenFields = z.output<typeof FIELDS>

export function addSavedInsightRoutes(routes: ApiRoutes): void {
  routes.addToProject('insights/', {
    GET: projectEndpoint({
      summary: 'Saved insights, last changed first',
      scope: 'insight:read',
      query: FILTERS,
      answer: pageOf(z.union([insightSchema, basicInsightSchema])),
      handle: async (call) => {
        const { count, insights, hasMore } = await readOn(call, (behind) =>
          listInsights(call.sql, { ...wanted(call), behind }),
        )
        const basic = call.query.basic !== undefined && call.query.basic !== 'false'
        const records = basic ? await basicInsights(call, insights) : await fullInsights(call, insights)
        return envelope<(typeof records)[number]>(call.url, call.query, count, records, { hasMore })
      },
    }),
    POST: projectEndpoint({
      summary: 'Save an insight',
      scope: 'insight:write',
      body: FIELDS,
      answer: insightSchema,
      status: 201,
      handle: async (call) => {
        const { sql, project, caller, body } = call
        const isFromElsewhere = body.short_id !== undefined && !(await findInsight(sql, project.id, body.short_id))
        const created = await sql.begin(async (tx) => {
          const insight = await createInsight(tx, project.id, caller.user.id, written(body))
          // Of an answer of another service, the numbers of dashboards mean dashboards there.
          if (!isFromElsewhere) await place(tx, call, insight, body)
          await noteInsight(tx, call, null, await insightState(tx, insight))
          return insight
        })
        return recordOf(call, created)
      },
    }),
  })
  const change = (summary: string) =>
    projectEndpoint({
      summary,
      scope: 'insight:write',
      body: FIELDS,
      answer: insightSchema,
      handle: async (call) => {
        const { sql, caller, body } = call
        const insight = await insightOf(call, { deletedToo: body.deleted === false })
        const changed = await sql.begin(async (tx) => {
          const before = await insightState(tx, insight)
          await place(tx, call, insight, body)
          const after = await updateInsight(tx, insight, caller.user.id, written(body))
          await noteInsight(tx, call, before, await insightState(tx, after))
          return after
        })
        return recordOf(call, changed)
      },
    })
  routes.addToProject('insights/:insight_id/', {
    GET: projectEndpoint({
      summary:
        'One saved insight, with its numbers when they are at hand or a refresh is asked for; as CSV, the numbers alone',
      scope: 'insight:read',
      query: refreshQuerySchema,
      answer: insightSchema,
      errors: ['query_too_heavy'],
      handle: async (call) => {
        const insight = await insightOf(call)
        const table = call.format === 'csv' ? await rowsOf(call, insight) : undefined
        if (table !== undefined) return sendTable(call.reply, insight.short_id, table)
        return { ...(await recordOf(call, insight)), ...(await numbersOf(call, insight)) }
      },
    }),
    PATCH: change('Change an insight; `deleted` takes it away and brings it back'),
    PUT: change('Change an insight, as PATCH does'),
    DELETE: projectEndpoint({
      summary: 'Refused: take an insight away by setting `deleted`',
      scope: 'insight:write',
      answer: notAllowed,
      handle: () => undefined,
    }),
  })
}

/** The insight of the path, by number or short id, or 404. */
export async function insightOf(
  { sql, project, params }: Pick<ProjectCall, 'sql' | 'project' | 'params'>,
  options: { deletedToo?: boolean } = {},
): Promise<SavedInsight> {
  const found = await findInsight(sql, project.id, params.insight_id ?? '', options)
  if (!found) throw new ApiError('not_found')
  return found
}

const written = ({ dashboards: _, short_id: __, ...fields }: WrittenFields) => fields

type Transaction = Parameters<Parameters<ProjectCall['sql']['begin']>[0]>[0]

/** `dashboards` still does what it did; the header says that it will not for ever. */
async function place(
  tx: Transaction,
  { project, reply }: Pick<ProjectCall, 'project' | 'reply'>,
  insight: SavedInsight,
  { dashboards }: WrittenFields,
): Promise<void> {
  if (dashboards === undefined) return
  reply.header('deprecation', 'true')
  const unknown = await placeInsight(tx, project.id, insight.id, dashboards)
  if (unknown.length > 0) {
    throw new ApiError('invalid_input', `Dashboard not found: ${unknown.join(', ')}.`, { attr: 'dashboards' })
  }
}

const recordOf = async (call: Pick<ProjectCall, 'sql' | 'project'>, insight: SavedInsight): Promise<FullInsight> =>
  (await fullInsights(call, [insight]))[0] as FullInsight

function wanted({ project, caller, query, now }: ProjectCall<z.output<typeof FILTERS>>) {
  const time = { timezone: project.timezone, now: now().getTime() }
  const mine = query.user !== undefined && query.user !== 'false'
  return {
    project: project.id,
    viewer: caller.user.id,
    saved: query.saved,
    favorited: query.favorited,
    createdBy: query.created_by ?? (mine ? caller.user.id : undefined),
    shortId: query.short_id,
    search: query.search || undefined,
    insight: query.insight,
    dashboards: query.dashboards,
    modifiedAfter: query.date_from ? new Date(momentOf(query.date_from, time, ['date_from'])) : undefined,
    modifiedBefore: query.date_to ? new Date(momentOf(query.date_to, time, ['date_to'])) : undefined,
    order: query.order.replace(/^-/, '') as InsightOrder,
    descending: query.order.startsWith('-'),
    limit: query.limit,
    offset: query.offset,
  }
}
