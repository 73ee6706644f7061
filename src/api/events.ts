import type { z } from 'zod'
import { cursorPageOf } from '../contract/envelopes.ts'
import { readProperties } from '../contract/queries/index.ts'
import { eventListQuerySchema, eventSchema } from '../contract/resources/event.ts'
import { type EventCursor, elementsIn, findEvent, listEvents, type StoredEvent } from '../events/index.ts'
import { ApiError } from '../http/errors.ts'
import { findPerson, personsByDistinctIds, personsByUuid } from '../identity/index.ts'
import { eventsWith } from '../insights/index.ts'
import { type JsonObject, parseJson } from '../lib/json.ts'
import { parseTimestamp } from '../lib/timestamps.ts'
import { isUuid } from '../lib/uuid.ts'
import type { ProjectCall } from './frame/context.ts'
import { readOn } from './frame/list-positions.ts'
import { only } from './frame/only.ts'
import { type ApiRoutes, projectEndpoint } from './frame/route.ts'
import { insightContext } from './insights/insight-question.ts'
import { embeddedPerson } from './persons/person-record.ts'

/**
 * The same forms as a query's `properties`, as JSON text: a list, groups of groups, or the old map; given twice, a list
 * of texts.
 */
const properties = eventListQuerySchema.shape.properties.unwrap().transform((given, context) => {
  const refuse = (message: string, path: (string | number)[] = []) =>
    context.addIssue({ code: 'custom', message, path })
  try {
    const filters = Array.isArray(given) ? given.map(parseJson) : given === '' ? [] : parseJson(given)
    return readProperties(filters, refuse)
  } catch {
    refuse('Properties are unparsable!')
    return undefined
  }
})

const FILTERS = eventListQuerySchema.extend({ properties: properties.optional() })

export function addEventRoutes(routes: ApiRoutes): void {
  routes.addToProject('events/', {
    GET: projectEndpoint({
      summary: 'Events, newest first',
      scope: 'query:read',
      query: FILTERS,
      answer: cursorPageOf(eventSchema),
      handle: async (call) => {
        const { events, next } = await pageOf(call)
        return { results: await withPersons(call, events), next: next && nextPage(call, next) }
      },
    }),
  })
  routes.addToProject('events/:event_id/', {
    GET: projectEndpoint({
      summary: 'One event',
      scope: 'query:read',
      answer: eventSchema,
      handle: async (call) => {
        const id = call.params.event_id ?? ''
        const event = isUuid(id) ? await findEvent(call.clickhouse, call.project.id, id.toLowerCase()) : undefined
        if (!event) throw new ApiError('not_found')
        return only(await withPersons(call, [event]))
      },
    }),
  })
}

/** By cursor, or by offset: then behind the page that the caller read before this one. */
async function pageOf(call: ProjectCall<z.output<typeof FILTERS>>) {
  const { query, signal } = call
  const source = await sourceOf(call)
  const asked = {
    project: call.project.id,
    limit: query.limit,
    ...(query.event === undefined ? {} : { event: query.event }),
    ...(await wantedIds(call, query)),
    ...(source === undefined ? {} : { source }),
    ...(query.after === undefined ? {} : { after: query.after }),
    ...(query.before === undefined ? {} : { before: query.before }),
  }
  const read = (from: { cursor: EventCursor } | { offset: number }) =>
    listEvents(call.clickhouse, { ...asked, ...from }, { signal })
  if (query.cursor !== undefined) return read({ cursor: readCursor(query.cursor) })
  return readOn(call, async (behind) => {
    const [timestamp, uuid] = behind ?? []
    const page = await read(timestamp && uuid ? { cursor: { timestamp, uuid } } : { offset: query.offset })
    const last = page.events.length === query.limit ? page.events.at(-1) : undefined
    return { ...page, end: last === undefined ? null : ([last.timestamp, last.uuid] as const) }
  })
}

/** Filters on properties cost a join or two; who sends none is spared them. */
async function sourceOf(call: ProjectCall<z.output<typeof FILTERS>>) {
  const { properties, after, before } = call.query
  if (!properties || properties.values.length === 0) return undefined
  return eventsWith(await insightContext(call), properties, { from: after, to: before }, { signal: call.signal })
}

/**
 * A person is all its distinct ids, and whoever was merged into it is that person; with `distinct_id` as well, both
 * must fit. The uuid of nobody is still good for the events that carry it: those of a deleted person, or of a visitor
 * without a profile.
 */
async function wantedIds(
  { sql, project }: Pick<ProjectCall, 'sql' | 'project'>,
  { person_id: wanted, distinct_id: distinctId }: z.output<typeof FILTERS>,
): Promise<{ distinctIds?: readonly string[]; personId?: string }> {
  const alone = distinctId === undefined ? {} : { distinctIds: [distinctId] }
  if (wanted === undefined) return alone
  if (!isUuid(wanted)) return bothFit((await findPerson(sql, project.id, wanted))?.distinctIds ?? [], distinctId)
  const person = (await personsByUuid(sql, project.id, [wanted], { distinctIds: 1_000 })).get(wanted.toLowerCase())
  return person ? bothFit(person.distinctIds, distinctId) : { ...alone, personId: wanted.toLowerCase() }
}

const bothFit = (distinctIds: readonly string[], distinctId: string | undefined) => ({
  distinctIds: distinctId === undefined ? distinctIds : distinctIds.filter((id) => id === distinctId),
})

async function withPersons({ sql, project }: Pick<ProjectCall, 'sql' | 'project'>, events: readonly StoredEvent[]) {
  const ids = events.map(({ distinct_id }) => distinct_id)
  const persons = await personsByDistinctIds(sql, project.id, ids, { distinctIds: 100 })
  return events.map((event) => {
    const person = persons.get(event.distinct_id)
    return eventRecord(event, person ? embeddedPerson(person, project) : null)
  })
}

const eventRecord = (event: StoredEvent, person: ReturnType<typeof embeddedPerson> | null) => ({
  id: event.uuid,
  event: event.event,
  distinct_id: event.distinct_id,
  timestamp: event.timestamp.replace(/000Z$/, 'Z'),
  properties: parseJson(event.properties) as JsonObject,
  person,
  elements: elementsIn(event.elements_chain),
  elements_chain: event.elements_chain,
})

const nextPage = ({ url }: Pick<ProjectCall, 'url'>, { timestamp, uuid }: EventCursor) => {
  const next = new URL(url)
  next.searchParams.delete('offset')
  next.searchParams.set('cursor', Buffer.from(`${timestamp} ${uuid}`).toString('base64url'))
  return next.toString()
}

function readCursor(text: string): EventCursor {
  const [timestamp = '', uuid = ''] = Buffer.from(text, 'base64url').toString('utf8').split(' ')
  if (!isUuid(uuid) || parseTimestamp(timestamp) === null)
    throw new ApiError('invalid_input', 'Use the cursor of `next` as it is.', { attr: 'cursor' })
  return { timestamp, uuid }
}
