import { z } from 'zod'
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
  type: 'person',
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

/** The same in words of a schema, for the API's description. */
export const PERSON = z.object({
  id: z.int(),
  uuid: z.uuid(),
  name: z.string(),
  distinct_ids: z.array(z.string()),
  properties: z.record(z.string(), z.json()).nullable(),
  created_at: z.iso.datetime(),
  is_identified: z.boolean(),
  last_seen_at: z.iso.datetime().nullable(),
})
