import { z } from 'zod'
import { activityPageSchema, activityQuerySchema } from '../../contract/resources/activity.ts'
import {
  personNameSchema,
  personNamesQuerySchema,
  personPropertySchema,
  personValueSchema,
  personValuesQuerySchema,
} from '../../contract/resources/person.ts'
import { sql as ch, uint } from '../../engines/clickhouse/index.ts'
import { type Person, personName, personsByUuid } from '../../identity/index.ts'
import type { Json } from '../../lib/json.ts'
import { withoutNul } from '../../lib/without-nul.ts'
import { readActivity } from '../frame/activity.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'
import { personOfPath } from './find.ts'

/** What is known about persons besides themselves: values of their properties, and who changed them by hand. */
export function addPersonInsightRoutes(routes: ApiRoutes): void {
  routes.addToProject('persons/values/', {
    GET: projectEndpoint({
      summary: 'Values of a person property, the most frequent first',
      scope: 'person:read',
      rate: 'person',
      query: personValuesQuerySchema,
      answer: z.array(personValueSchema),
      handle: async ({ sql, project, query: { key, value } }) => {
        if (!key || key.startsWith('$virt')) return []
        const stored = withoutNul(key)
        return await sql<{ name: Json; count: number }[]>`
          SELECT properties -> ${stored} AS name, count(*) AS count FROM persons
          WHERE project_id = ${project.id} AND properties ->> ${stored} IS NOT NULL
            ${value ? sql`AND strpos(lower(properties ->> ${stored}), lower(${value.replaceAll('\0', '')})) > 0` : sql``}
          GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 25`
      },
    }),
  })
  routes.addToProject('persons/names/', {
    GET: projectEndpoint({
      summary: 'What persons are called, by the uuids that events have; those that are gone are left out',
      scope: 'person:read',
      rate: 'person',
      query: personNamesQuerySchema,
      answer: z.array(personNameSchema),
      handle: async ({ sql, project, query: { uuids } }) => {
        const found = await personsByUuid(sql, project.id, uuids)
        const name = (person: Person) => personName(person, project.person_display_name_properties)
        return [...found].map(([uuid, person]) => ({ uuid, name: name(person) }))
      },
    }),
  })
  routes.addToProject('persons/properties/', {
    GET: projectEndpoint({
      summary: 'The properties persons have, and how many have each',
      scope: 'person:read',
      rate: 'person',
      answer: z.array(personPropertySchema),
      handle: async ({ clickhouse, project, signal }) => {
        const { rows } = await clickhouse.query<{ name: string; count: number }>(
          ch`SELECT arrayJoin(JSONExtractKeys(properties)) AS name, count() AS count FROM persons FINAL
             WHERE project_id = ${uint(project.id)} AND is_deleted = 0 GROUP BY name ORDER BY count DESC, name LIMIT 10000`,
          { signal },
        )
        return rows
      },
    }),
  })
  routes.addToProject('persons/activity/', {
    GET: projectEndpoint({
      summary: 'Who changed which person by hand, newest first',
      scope: 'activity_log:read',
      query: activityQuerySchema,
      answer: activityPageSchema,
      handle: ({ sql, project, query, url }) => readActivity(sql, url, query, { project: project.id, scope: 'Person' }),
    }),
  })
  routes.addToProject('persons/:person_id/activity/', {
    GET: projectEndpoint({
      summary: 'Who changed this person by hand, newest first',
      scope: 'activity_log:read',
      query: activityQuerySchema,
      answer: activityPageSchema,
      handle: async (call) => {
        const { id } = await personOfPath(call)
        const of = { project: call.project.id, scope: 'Person', itemId: String(id) }
        return readActivity(call.sql, call.url, call.query, of)
      },
    }),
  })
}
