import type { TransactionSql } from '../../engines/postgres/index.ts'
import { InvalidInput } from '../../lib/invalid-input.ts'
import { uuidV7 } from '../../lib/uuid.ts'
import { personUuid } from '../rules/person-uuid.ts'
import type { PersonOverrideRow, PersonRow } from '../rules/types.ts'
import { findPerson, type Person } from '../store/persons.ts'
import { lockPerson, rowOf } from './change-persons.ts'

interface SplitResult {
  readonly person: Person
  readonly created: readonly Person[]
  readonly rows: { persons: PersonRow[]; person_overrides: PersonOverrideRow[] }
}

/**
 * Undoes merges: every distinct id except the main one becomes a person of its own, without properties. If a main id is
 * given the person keeps its properties, otherwise it loses them. Past events move with their ids: unfolded ones at
 * once, the others with the next folding.
 */
export async function splitPerson(
  tx: TransactionSql,
  project: number,
  idOrUuid: string | number,
  mainDistinctId?: string,
): Promise<SplitResult | null> {
  const person = await lockPerson(tx, project, idOrUuid)
  if (!person) return null
  const main = mainDistinctId ?? person.distinctIds[0]
  if (main === undefined || !person.distinctIds.includes(main))
    throw new InvalidInput('The main distinct id must be one of the distinct ids of this person.', ['main_distinct_id'])
  const leaving = person.distinctIds.filter((id) => id !== main)
  if (leaving.length === 0) return { person, created: [], rows: { persons: [], person_overrides: [] } }
  const former = await tx<{ uuid: string }[]>`
    SELECT old_person_uuid AS uuid FROM person_overrides WHERE project_id = ${project} AND person_uuid = ${person.uuid}`
  const created: Person[] = []
  for (const distinctId of leaving.toSorted()) created.push(await newPerson(tx, project, person, distinctId))
  const person_overrides = await tx<PersonOverrideRow[]>`
    DELETE FROM person_overrides WHERE project_id = ${project} AND old_person_uuid = ANY(${created.map(({ uuid }) => uuid)}::uuid[])
    RETURNING project_id, old_person_uuid AS old_person_id, person_uuid AS person_id, 1 AS is_deleted,
              nextval('person_override_versions') AS version`
  const from = [person.uuid, ...former.map(({ uuid }) => uuid)]
  for (const distinctId of person.distinctIds)
    await tx`
      INSERT INTO person_event_moves (project_id, distinct_id, from_person_uuids)
      VALUES (${project}, ${distinctId}, ${from}::uuid[])`
  await tx`
    UPDATE persons SET version = version + 1, properties = CASE WHEN ${mainDistinctId !== undefined} THEN properties ELSE '{}' END
    WHERE id = ${person.id}`
  const rest = (await findPerson(tx, project, person.id)) as Person
  return {
    person: rest,
    created,
    rows: { persons: [rest, ...created].map((p) => rowOf(project, p)), person_overrides },
  }
}

async function newPerson(tx: TransactionSql, project: number, from: Person, distinctId: string): Promise<Person> {
  const own = personUuid(project, distinctId)
  const [row] = await tx<{ id: number }[]>`
    INSERT INTO persons (project_id, uuid, created_at, version, is_identified)
    SELECT ${project}, CASE WHEN EXISTS (SELECT FROM persons WHERE project_id = ${project} AND uuid = ${own})
                        OR EXISTS (SELECT FROM person_overrides WHERE project_id = ${project} AND old_person_uuid = ${own} AND folding) THEN ${uuidV7()}::uuid ELSE ${own}::uuid END,
           ${from.createdAt}, coalesce((SELECT version + 1 FROM person_tombstones WHERE project_id = ${project} AND uuid = ${own}), 0), false
    RETURNING id`
  const { id } = row as { id: number }
  await tx`
    UPDATE person_distinct_ids SET person_id = ${id} WHERE project_id = ${project} AND distinct_id = ${distinctId}`
  return (await findPerson(tx, project, id)) as Person
}
