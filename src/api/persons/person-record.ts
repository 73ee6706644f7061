import type { Project } from '../../accounts/index.ts'
import { type Person, personName } from '../../identity/index.ts'

type Naming = Pick<Project, 'person_display_name_properties'>

/** A person on the wire. */
export const personRecord = (person: Person, project: Naming) => ({
  id: person.id,
  uuid: person.uuid,
  name: personName(person, project.person_display_name_properties),
  distinct_ids: person.distinctIds,
  properties: person.properties,
  created_at: person.createdAt,
  is_identified: person.isIdentified,
  last_seen_at: person.lastSeenAt,
})

/** A person in a list of persons. */
export const listedPerson = (person: Person, project: Naming) => ({
  type: 'person' as const,
  ...personRecord(person, project),
  matched_recordings: [],
  value_at_data_point: null,
})

/** A person as embedded in an event or a recording. */
export const embeddedPerson = (person: Person, project: Naming) => ({
  id: person.id,
  uuid: person.uuid,
  name: personName(person, project.person_display_name_properties),
  distinct_ids: person.distinctIds,
  properties: person.properties,
  created_at: person.createdAt,
  is_identified: person.isIdentified,
})
