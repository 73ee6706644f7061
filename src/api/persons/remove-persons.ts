import {
  changeAndCopy,
  type DeletedPerson,
  deletePersons,
  type PersonChoice,
  personName,
} from '../../identity/index.ts'
import { requestDeletion } from '../../jobs/index.ts'
import { noteActivities } from '../frame/activity.ts'
import type { ProjectCall } from '../frame/context.ts'

interface Removal {
  readonly deleteEvents: boolean
  readonly deleteRecordings: boolean
}

/** Deletes persons and, if asked, puts what they left behind into the queue of the week, all in one transaction. */
export function removePersons(
  call: Pick<ProjectCall, 'sql' | 'clickhouse' | 'log' | 'project' | 'caller' | 'now'>,
  choices: readonly PersonChoice[],
  removal: Removal,
): Promise<DeletedPerson[]> {
  const { project, caller } = call
  return changeAndCopy(call, async (tx) => {
    const removed: DeletedPerson[] = []
    const rows = { persons: [] as object[], cohort_people: [] as object[] }
    for (const choice of choices) {
      const { deleted, rows: copies } = await deletePersons(tx, project.id, choice)
      rows.persons.push(...copies.persons)
      rows.cohort_people.push(...copies.cohort_people)
      for (const person of deleted) {
        removed.push(person)
        if (removal.deleteEvents || removal.deleteRecordings)
          await requestDeletion(
            tx,
            {
              project: project.id,
              personUuid: person.uuid,
              formerUuids: person.formerUuids,
              distinctIds: person.everyDistinctId,
              ...removal,
              requestedBy: caller.user,
            },
            call.now(),
          )
      }
    }
    await noteActivities(
      tx,
      removed.map((person) => ({
        project: project.id,
        caller,
        scope: 'Person',
        itemId: person.id,
        activity: 'deleted',
        name: personName(person, project.person_display_name_properties),
      })),
    )
    return { result: removed, rows }
  })
}
