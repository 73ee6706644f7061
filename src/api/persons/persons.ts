import { pageOf } from '../../contract/envelopes.ts'
import {
  listedPersonSchema,
  personPropertiesSchema,
  personRemovalSchema,
  personSchema,
} from '../../contract/resources/person.ts'
import { ApiError } from '../../http/errors.ts'
import { noContent, notAllowed } from '../frame/answer.ts'
import { sendCsv, writeCsv } from '../frame/csv.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'
import { changePerson } from './change-person.ts'
import { personOfPath } from './find.ts'
import { answerPersons, walkPersons } from './list-persons.ts'
import { PERSON_QUERY } from './person-query.ts'
import { listedPerson, personRecord } from './person-record.ts'
import { removePersons } from './remove-persons.ts'

/** Persons: meant for reading and deleting; events make and change them. */
export function addPersonRoutes(routes: ApiRoutes): void {
  routes.addToProject('persons/', {
    GET: projectEndpoint({
      summary: 'Persons, newest first',
      scope: 'person:read',
      rate: 'person',
      query: PERSON_QUERY,
      answer: pageOf(listedPersonSchema),
      handle: async (call) => {
        const { project, query, url, format, reply } = call
        if (format !== 'csv') return answerPersons(call)
        // A file may be as long as one likes: a limit counts as it was given, and without one everybody is in it.
        const limit = Math.min(Number(url.searchParams.get('limit')), Number.MAX_SAFE_INTEGER) || null
        const part = { limit, offset: query.offset }
        return sendCsv(reply, 'persons', (out) =>
          walkPersons(call, query, part, (walk) =>
            writeCsv(out, async function* () {
              for await (const page of walk()) yield page.map((person) => listedPerson(person, project))
            }),
          ),
        )
      },
    }),
    POST: projectEndpoint({
      summary: 'Refused: persons are made by events',
      scope: 'person:write',
      answer: notAllowed,
      handle: () => {
        throw new ApiError(
          'method_not_allowed',
          'Creating persons via this API is not allowed. Send an event instead, such as $identify with $set: the person follows from it.',
        )
      },
    }),
  })
  const patch = projectEndpoint({
    summary: 'Set properties of a person, one by one',
    scope: 'person:write',
    rate: 'person',
    body: personPropertiesSchema,
    answer: personSchema,
    handle: async (call) => {
      const person = await changePerson(call, await personOfPath(call), { set: call.body.properties })
      return personRecord(person, call.project)
    },
  })
  routes.addToProject('persons/:person_id/', {
    GET: projectEndpoint({
      summary: 'One person',
      scope: 'person:read',
      rate: 'person',
      answer: personSchema,
      errors: ['invalid_input'],
      handle: async (call) => personRecord(await personOfPath(call), call.project),
    }),
    PATCH: patch,
    PUT: patch,
    DELETE: projectEndpoint({
      summary:
        'Delete a person; with delete_events also its events and recordings, in the run of the week (Sunday, 05:00 UTC)',
      scope: 'person:write',
      rate: 'person',
      query: personRemovalSchema,
      answer: noContent,
      handle: async (call) => {
        const { id } = await personOfPath(call)
        const removed = await removePersons(call, [{ ids: [id] }], {
          deleteEvents: call.query.delete_events ?? false,
          deleteRecordings: call.query.delete_recordings ?? call.query.delete_events ?? false,
        })
        if (removed.length === 0) throw new ApiError('not_found')
        return removed
      },
      audit: ({ query }, removed) => ({
        scope: 'Person',
        activity: 'deleted',
        itemId: removed[0]?.uuid ?? null,
        detail: { delete_events: query.delete_events ?? false },
      }),
    }),
  })
}
