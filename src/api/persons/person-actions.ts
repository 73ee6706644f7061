import { successSchema } from '../../contract/envelopes.ts'
import {
  distinctIdSchema,
  personSplitSchema,
  propertyRemovalSchema,
  propertyUpdateSchema,
} from '../../contract/resources/person.ts'
import { ApiError } from '../../http/errors.ts'
import { changeAndCopy, personName, splitPerson } from '../../identity/index.ts'
import { requestDeletion } from '../../jobs/index.ts'
import { noteActivities } from '../frame/activity.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'
import { changePerson } from './change-person.ts'
import { personOfPath } from './find.ts'

/** What else can be done to persons. */
export function addPersonActionRoutes(routes: ApiRoutes): void {
  routes.addToProject('persons/reset_person_distinct_id/', {
    POST: projectEndpoint({
      summary: 'Nothing to do: a distinct id whose person was deleted makes a new, visible person with its next event',
      scope: 'person:write',
      rate: 'person',
      body: distinctIdSchema,
      answer: successSchema,
      status: 202,
      handle: () => ({ success: true }),
    }),
  })
  routes.addToProject('persons/:person_id/split/', {
    POST: projectEndpoint({
      summary: 'Give every distinct id but the main one a person of its own',
      scope: 'person:write',
      rate: 'person',
      body: personSplitSchema,
      answer: successSchema,
      status: 201,
      handle: async (call) => {
        const { project, caller, body } = call
        const before = await personOfPath(call)
        await changeAndCopy(call, async (tx) => {
          const split = await splitPerson(tx, project.id, before.id, body.main_distinct_id ?? undefined)
          if (!split) throw new ApiError('not_found')
          const after = [split.person, ...split.created].map((person) => person.distinctIds[0] ?? null)
          await noteActivities(tx, [
            {
              project: project.id,
              caller,
              scope: 'Person',
              itemId: before.id,
              activity: 'split_person',
              name: personName(before, project.person_display_name_properties),
              changes: [{ type: 'Person', action: 'split', field: null, before: {}, after: { distinct_ids: after } }],
            },
          ])
          return { result: undefined, rows: split.rows }
        })
        return { success: true }
      },
    }),
  })
  routes.addToProject('persons/:person_id/update_property/', {
    POST: projectEndpoint({
      summary: 'Set one property of a person',
      scope: 'person:write',
      rate: 'person',
      body: propertyUpdateSchema,
      answer: successSchema,
      status: 202,
      handle: async (call) => {
        await changePerson(call, await personOfPath(call), { set: { [call.body.key]: call.body.value } })
        return { success: true }
      },
    }),
  })
  routes.addToProject('persons/:person_id/delete_property/', {
    POST: projectEndpoint({
      summary: 'Remove one property of a person',
      scope: 'person:write',
      rate: 'person',
      body: propertyRemovalSchema,
      answer: successSchema,
      status: 201,
      handle: async (call) => {
        await changePerson(call, await personOfPath(call), { unset: [call.body.$unset] }, 'delete_property')
        return { success: true }
      },
    }),
  })
  for (const what of ['events', 'recordings'] as const)
    routes.addToProject(`persons/:person_id/delete_${what}/`, {
      POST: projectEndpoint({
        summary: `Delete the ${what} of a person in the run of the week, and keep the person`,
        scope: 'person:write',
        rate: 'person',
        answer: successSchema,
        status: 202,
        handle: async (call) => {
          const person = await personOfPath(call)
          await call.sql.begin(async (tx) => {
            const [all] = await tx<[{ ids: string[] | null; former: string[] | null }]>`
              SELECT (SELECT array_agg(distinct_id) FROM person_distinct_ids WHERE person_id = ${person.id}) AS ids,
                (SELECT array_agg(old_person_uuid) FROM person_overrides WHERE project_id = ${call.project.id} AND person_uuid = ${person.uuid}) AS former`
            await requestDeletion(
              tx,
              {
                project: call.project.id,
                personUuid: person.uuid,
                formerUuids: all.former ?? [],
                distinctIds: all.ids ?? [],
                deleteEvents: what === 'events',
                deleteRecordings: what === 'recordings',
                requestedBy: call.caller.user,
              },
              call.now(),
            )
          })
          return { success: true }
        },
      }),
    })
}
