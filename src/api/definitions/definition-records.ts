import { type User, userObject, usersById } from '../../accounts/index.ts'
import type { Sql } from '../../engines/postgres/index.ts'
import type { EventDefinition, Notes, PropertyDefinition } from '../../identity/index.ts'

/** Definitions as answers name them, with the people who verified and changed them. */
export async function eventRecord(sql: Sql, listed: readonly EventDefinition[]) {
  const people = await peopleOf(sql, listed)
  return (definition: EventDefinition) => ({
    id: definition.id,
    name: definition.name,
    count: definition.count,
    created_at: definition.createdAt,
    last_seen_at: definition.lastSeenAt,
    ...notesRecord(definition, people),
  })
}

export async function propertyRecord(sql: Sql, listed: readonly PropertyDefinition[]) {
  const people = await peopleOf(sql, listed)
  return (definition: PropertyDefinition) => ({
    id: definition.id,
    name: definition.name,
    type: definition.type,
    group_type_index: definition.groupTypeIndex,
    property_type: definition.propertyType,
    is_numerical: definition.propertyType === 'Numeric',
    count: definition.count,
    example: definition.samples[0] ?? null,
    samples: definition.samples.slice(0, 5),
    last_seen_at: definition.lastSeenAt,
    ...notesRecord(definition, people),
  })
}

const peopleOf = (sql: Sql, listed: readonly Notes[]) =>
  usersById(
    sql,
    listed.flatMap(({ verifiedBy, updatedBy }) => [verifiedBy, updatedBy]),
  )

function notesRecord(notes: Notes, people: ReadonlyMap<number, User>) {
  const person = (id: number | null) => {
    const user = id === null ? undefined : people.get(id)
    return user ? userObject(user) : null
  }
  return {
    description: notes.description,
    tags: notes.tags,
    hidden: notes.hidden,
    verified: notes.verified,
    verified_at: notes.verifiedAt,
    verified_by: person(notes.verifiedBy),
    updated_at: notes.updatedAt,
    updated_by: person(notes.updatedBy),
  }
}
