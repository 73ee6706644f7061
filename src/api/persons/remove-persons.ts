import type { TransactionSql } from '../../engines/postgres/index.ts'
import { type DeletedPerson, deletePersons, type PersonChoice, personName } from '../../identity/index.ts'
import { requestDeletion } from '../../jobs/index.ts'
import { noteActivities } from '../activity.ts'
import { changeAndCopy } from '../change-and-copy.ts'
import type { ProjectCall } from '../context.ts'

export interface Removal {
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
    const rows: object[] = []
    for (const choice of choices) {
      const everyId = await distinctIdsOf(tx, project.id, choice)
      const { deleted, rows: copies } = await deletePersons(tx, project.id, choice)
      rows.push(...copies.persons)
      for (const person of deleted) {
        removed.push(person)
        if (removal.deleteEvents || removal.deleteRecordings)
          await requestDeletion(
            tx,
            {
              project: project.id,
              personUuid: person.uuid,
              formerUuids: person.formerUuids,
              distinctIds: everyId.get(person.id) ?? person.distinctIds,
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
        name: String(personName(person, project.person_display_name_properties)),
      })),
    )
    return { result: removed, rows: { persons: rows } }
  })
}

/** All of them, however many: a person shows at most a thousand. Locked first, so that none is added meanwhile. */
async function distinctIdsOf(
  tx: TransactionSql,
  project: number,
  choice: PersonChoice,
): Promise<Map<number, string[]>> {
  const chosen =
    'uuids' in choice
      ? tx`uuid = ANY(${[...choice.uuids]}::uuid[])`
      : 'ids' in choice
        ? tx`id = ANY(${[...choice.ids]}::bigint[])`
        : tx`id IN (SELECT person_id FROM person_distinct_ids WHERE project_id = ${project} AND distinct_id = ANY(${[...choice.distinctIds]}::text[]))`
  const locked = await tx<{ id: number }[]>`
    SELECT id FROM persons WHERE project_id = ${project} AND ${chosen} ORDER BY id FOR UPDATE`
  const found = await tx<{ id: number; ids: string[] }[]>`
    SELECT person_id AS id, array_agg(distinct_id) AS ids FROM person_distinct_ids
    WHERE person_id = ANY(${locked.map(({ id }) => id)}::bigint[]) GROUP BY person_id`
  return new Map(found.map(({ id, ids }) => [id, ids]))
}
