import { z } from 'zod'
import {
  groupFindQuerySchema,
  groupListQuerySchema,
  groupPageSchema,
  groupPropertiesSchema,
  groupSchema,
  groupTypeSchema,
  groupValueSchema,
  groupValuesQuerySchema,
} from '../contract/resources/group.ts'
import { ApiError } from '../http/errors.ts'
import {
  findGroup,
  type Group,
  type GroupCursor,
  groupPropertyNames,
  groupPropertyValues,
  listGroups,
  listGroupTypes,
} from '../identity/index.ts'
import type { ProjectCall } from './frame/context.ts'
import { type ApiRoutes, projectEndpoint } from './frame/route.ts'

export function addGroupRoutes(routes: ApiRoutes): void {
  routes.addToProject('groups_types/', {
    GET: projectEndpoint({
      summary: 'The types of groups',
      scope: 'group:read',
      answer: z.array(groupTypeSchema),
      handle: async ({ sql, project }) =>
        (await listGroupTypes(sql, project.id)).map((type) => ({
          group_type: type.groupType,
          group_type_index: type.groupTypeIndex,
          name_singular: type.nameSingular,
          name_plural: type.namePlural,
        })),
    }),
  })
  routes.addToProject('groups/', {
    GET: projectEndpoint({
      summary: 'Groups of a type, newest first',
      scope: 'group:read',
      query: groupListQuerySchema,
      answer: groupPageSchema,
      handle: async ({ sql, project, query, url }) => {
        const { results, next } = await listGroups(sql, project.id, {
          groupTypeIndex: query.group_type_index,
          search: query.search,
          groupKey: query.group_key,
          cursor: query.cursor === undefined ? null : readCursor(query.cursor),
          limit: query.limit,
        })
        return { next: next && nextPage(url, next), previous: null, results: results.map(groupRecord) }
      },
    }),
  })
  routes.addToProject('groups/find/', {
    GET: projectEndpoint({
      summary: 'One group',
      scope: 'group:read',
      query: groupFindQuerySchema,
      answer: groupSchema,
      handle: async ({ sql, project, query }) => {
        const group = await findGroup(sql, project.id, query.group_type_index, query.group_key)
        if (!group) throw new ApiError('not_found')
        return groupRecord(group)
      },
    }),
  })
  routes.addToProject('groups/property_definitions/', {
    GET: projectEndpoint({
      summary: 'The properties of groups by index of their type, the most frequent first',
      scope: 'group:read',
      answer: groupPropertiesSchema,
      handle: async ({ sql, project }) => {
        const byType: Record<string, { name: string; count: number }[]> = {}
        for (const { groupTypeIndex, name, count } of await groupPropertyNames(sql, project.id)) {
          byType[groupTypeIndex] ??= []
          byType[groupTypeIndex].push({ name, count })
        }
        return byType
      },
    }),
  })
  routes.addToProject('groups/property_values/', {
    GET: projectEndpoint({
      summary: 'Values of a property of groups, the most frequent first',
      scope: 'group:read',
      query: groupValuesQuerySchema,
      answer: z.array(groupValueSchema),
      handle: async ({ sql, project, query }) =>
        groupPropertyValues(sql, project.id, {
          groupTypeIndex: query.group_type_index,
          key: query.key,
          search: query.value,
        }),
    }),
  })
}

const groupRecord = (group: Group) => ({
  group_type_index: group.groupTypeIndex,
  group_key: group.groupKey,
  group_properties: group.properties,
  created_at: group.createdAt,
})

const nextPage = (url: ProjectCall['url'], { createdAt, groupKey }: GroupCursor) => {
  const next = new URL(url)
  next.searchParams.set('cursor', Buffer.from(JSON.stringify([createdAt, groupKey])).toString('base64url'))
  return next.toString()
}

function readCursor(text: string): GroupCursor {
  try {
    const [createdAt, groupKey] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    const date = new Date(createdAt)
    if (!Number.isNaN(date.getTime()) && typeof groupKey === 'string') return { createdAt: date, groupKey }
  } catch {}
  throw new ApiError('invalid_input', 'Use the cursor of `next` as it is.', { attr: 'cursor' })
}
