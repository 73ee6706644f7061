import { z } from 'zod'
import {
  definitionNotesSchema,
  eventDefinitionSchema,
  propertyDefinitionSchema,
  propertyNotesSchema,
} from '../../contract/resources/definition.ts'
import { ApiError } from '../../http/errors.ts'
import { changeNotes, listEventDefinitions, listPropertyDefinitions } from '../../identity/index.ts'
import type { ProjectCall } from '../frame/context.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'
import { eventRecord, propertyRecord } from './definition-records.ts'

/** One definition, and what people write beside it. */
export function addDefinitionNoteRoutes(routes: ApiRoutes): void {
  routes.addToProject('event_definitions/:id/', {
    GET: projectEndpoint({
      summary: 'One event',
      scope: 'event_definition:read',
      answer: eventDefinitionSchema,
      handle: oneEvent,
    }),
    PATCH: projectEndpoint({
      summary: 'Describe, tag, verify or hide an event',
      scope: 'event_definition:write',
      body: definitionNotesSchema,
      answer: eventDefinitionSchema,
      handle: async (call) => {
        await change(call, 'event_definitions', call.body)
        return oneEvent(call)
      },
    }),
  })
  routes.addToProject('property_definitions/:id/', {
    GET: projectEndpoint({
      summary: 'One property',
      scope: 'property_definition:read',
      answer: propertyDefinitionSchema,
      handle: oneProperty,
    }),
    PATCH: projectEndpoint({
      summary: 'Describe, tag, verify or hide a property, or say of what type it is',
      scope: 'property_definition:write',
      body: propertyNotesSchema,
      answer: propertyDefinitionSchema,
      handle: async (call) => {
        await change(call, 'property_definitions', call.body)
        return oneProperty(call)
      },
    }),
  })
}

type Asked = Pick<ProjectCall, 'sql' | 'project' | 'params'>

function idOf({ params }: Asked): string {
  const id = z.uuid().safeParse(params.id)
  if (!id.success) throw new ApiError('not_found')
  return id.data
}

async function change(
  call: Asked & Pick<ProjectCall, 'caller'>,
  table: Parameters<typeof changeNotes>[1],
  changes: Parameters<typeof changeNotes>[3],
): Promise<void> {
  const about = { project: call.project.id, id: idOf(call), by: call.caller.user.id }
  const found = await changeNotes(call.sql, table, about, changes)
  if (!found) throw new ApiError('not_found')
}

async function oneEvent(call: Asked) {
  const { sql, project } = call
  const { results } = await listEventDefinitions(sql, project.id, { id: idOf(call), limit: 1 })
  const [found] = results.map(await eventRecord(sql, results))
  if (!found) throw new ApiError('not_found')
  return found
}

async function oneProperty(call: Asked) {
  const { sql, project } = call
  const { results } = await listPropertyDefinitions(sql, project.id, { id: idOf(call), limit: 1 })
  const [found] = results.map(await propertyRecord(sql, results))
  if (!found) throw new ApiError('not_found')
  return found
}
