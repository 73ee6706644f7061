import { bulkDeletedSchema, bulkDeleteSchema } from '../../contract/resources/person.ts'
import { isUuid } from '../../lib/uuid.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'
import { removePersons } from './remove-persons.ts'

const MOST = 1_000
const isInteger = (id: string) => /^\d{1,15}$/.test(id)
const isOdd = (id: string) => !isUuid(id) && !isInteger(id)
const oddity = (id: string) =>
  `${JSON.stringify(id)} is no id of a person: send uuids or integers, or distinct_ids instead.`

const ASKED = bulkDeleteSchema.superRefine(({ distinct_ids, ids }, context) => {
  const refuse = (message: string, ...path: string[]) => context.addIssue({ code: 'custom', message, path })
  if ((distinct_ids?.length ?? 0) > MOST) return refuse(`You can only pass ${MOST} distinct_ids in one call`)
  if ((ids?.length ?? 0) > MOST) return refuse(`You can only pass ${MOST} ids in one call`)
  if (!distinct_ids?.length && !ids?.length) refuse('You need to specify either distinct_ids or ids')
  if (!distinct_ids?.length && ids?.length && ids.every(isOdd)) refuse(oddity(ids[0] as string), 'ids')
})

export function addBulkDeleteRoutes(routes: ApiRoutes): void {
  routes.addToProject('persons/bulk_delete/', {
    POST: projectEndpoint({
      summary: 'Delete up to 1000 persons, by id or by distinct id',
      scope: 'person:write',
      rate: 'person',
      body: ASKED,
      answer: bulkDeletedSchema,
      status: 202,
      handle: async (call) => {
        const { distinct_ids, ids, delete_events, delete_recordings } = call.body
        const choices = distinct_ids?.length
          ? [{ distinctIds: distinct_ids }]
          : [{ uuids: (ids ?? []).filter(isUuid) }, { ids: (ids ?? []).filter(isInteger).map(Number) }]
        const deleteEvents = delete_events ?? false
        const removal = { deleteEvents, deleteRecordings: delete_recordings ?? deleteEvents }
        const removed = await removePersons(call, choices, removal)
        return {
          persons_found: removed.length,
          persons_deleted: removed.length,
          events_queued_for_deletion: removal.deleteEvents,
          recordings_queued_for_deletion: removal.deleteRecordings,
          deletion_errors: distinct_ids?.length
            ? []
            : (ids ?? []).filter(isOdd).map((id) => ({ id, error: oddity(id) })),
        }
      },
      audit: ({ body }, answer) => ({
        scope: 'Person',
        activity: 'deleted',
        detail: {
          persons: answer.persons_deleted,
          delete_events: body.delete_events ?? false,
        },
      }),
    }),
  })
}
