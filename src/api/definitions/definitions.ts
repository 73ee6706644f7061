import { z } from 'zod'
import { pageQuerySchema } from '../../contract/envelopes.ts'
import { ApiError } from '../../http/errors.ts'
import { listEventDefinitions, listPropertyDefinitions, propertyShares, propertyValues } from '../../identity/index.ts'
import { envelope } from '../frame/pagination.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'
import { eventRecord, propertyRecord } from './definition-records.ts'

/** Names, as a JSON list or with commas between them. */
const names = z.string().transform((text, context): string[] => {
  if (!text.trim().startsWith('[')) return text.split(',').filter(Boolean)
  try {
    return z.array(z.string()).parse(JSON.parse(text))
  } catch {
    context.addIssue({ code: 'custom', message: 'Expected a list of names.' })
    return []
  }
})

const flag = z
  .string()
  .transform((text) => text === 'true' || text === '1')
  .default(false)
const kind = z.enum(['event', 'person', 'group']).optional()
const group = z
  .string()
  .regex(/^[0-4]$/, 'Must be an index of a group type, 0 to 4.')
  .transform(Number)
  .optional()

export function addDefinitionRoutes(routes: ApiRoutes): void {
  routes.addToProject('event_definitions/', {
    GET: projectEndpoint({
      summary: 'The events of a project, the most frequent first',
      scope: 'event_definition:read',
      query: pageQuerySchema.extend({ search: z.string().optional(), exclude_hidden: flag }),
      handle: async ({ sql, project, query, url }) => {
        const { count, results } = await listEventDefinitions(sql, project.id, {
          ...query,
          visibleOnly: query.exclude_hidden,
        })
        const record = await eventRecord(sql, results)
        return envelope(url, query, count, results.map(record))
      },
    }),
  })
  routes.addToProject('property_definitions/', {
    GET: projectEndpoint({
      summary: 'Properties of events, persons or groups, the most frequent first',
      scope: 'property_definition:read',
      query: pageQuerySchema.extend({
        search: z.string().optional(),
        type: kind,
        group_type_index: group,
        event_names: names.optional(),
        properties: names.optional(),
        exclude_hidden: flag,
        /** Also how large a share of events, persons or groups has each. */
        share: flag,
      }),
      handle: async ({ sql, clickhouse, project, query, url, signal }) => {
        const { search, limit, offset, type, group_type_index, event_names, properties } = query
        const { count, results } = await listPropertyDefinitions(sql, project.id, {
          search,
          limit,
          offset,
          ...(type === undefined ? {} : { type }),
          groupTypeIndex: group_type_index,
          eventNames: event_names,
          names: properties,
          visibleOnly: query.exclude_hidden,
        })
        const record = await propertyRecord(sql, results)
        if (!query.share) return envelope(url, query, count, results.map(record))
        const asked = {
          project: project.id,
          type: type ?? 'event',
          groupTypeIndex: group_type_index,
          eventNames: event_names,
        }
        const shareOf = await propertyShares({ sql, clickhouse }, asked, results, signal)
        const withShare = results.map((property) => ({ ...record(property), share: shareOf(property) }))
        return envelope(url, query, count, withShare)
      },
    }),
  })
  routes.addToProject('events/values/', {
    GET: projectEndpoint({
      summary: 'Values a property has had, for suggestions',
      scope: 'query:read',
      query: z.object({
        key: z.string().optional(),
        value: z.string().optional(),
        type: kind,
        group_type_index: group,
        event_name: names.optional(),
      }),
      handle: async ({ sql, project, query: { key, value, type, group_type_index, event_name } }) => {
        if (!key) throw new ApiError('required', undefined, { attr: 'key' })
        const values = await propertyValues(sql, project.id, {
          key,
          ...(type === undefined ? {} : { type }),
          ...(value === undefined ? {} : { search: value }),
          ...(group_type_index === undefined ? {} : { groupTypeIndex: group_type_index }),
          ...(event_name === undefined ? {} : { eventNames: event_name }),
        })
        return values.map((name) => ({ name }))
      },
    }),
  })
}
