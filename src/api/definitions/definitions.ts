import { z } from 'zod'
import { pageOf } from '../../contract/envelopes.ts'
import {
  eventDefinitionQuerySchema,
  eventDefinitionSchema,
  propertyDefinitionQuerySchema,
  propertyDefinitionSchema,
  propertyValueSchema,
  propertyValuesQuerySchema,
} from '../../contract/resources/definition.ts'
import { ApiError } from '../../http/errors.ts'
import { listEventDefinitions, listPropertyDefinitions, propertyShares, propertyValues } from '../../identity/index.ts'
import { envelope } from '../frame/pagination.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'
import { eventRecord, propertyRecord } from './definition-records.ts'

export function addDefinitionRoutes(routes: ApiRoutes): void {
  routes.addToProject('event_definitions/', {
    GET: projectEndpoint({
      summary: 'The events of a project, the most frequent first',
      scope: 'event_definition:read',
      query: eventDefinitionQuerySchema,
      answer: pageOf(eventDefinitionSchema),
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
      query: propertyDefinitionQuerySchema,
      answer: pageOf(propertyDefinitionSchema),
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
      query: propertyValuesQuerySchema,
      answer: z.array(propertyValueSchema),
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
