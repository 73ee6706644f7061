import type { ActorsQuery, ActorsSource } from '../../contract/queries/index.ts'
import type { ActorsAnswer } from '../../contract/results/index.ts'
import { ApiError } from '../../http/errors.ts'
import { findGroup, type Group, type Person, personName, personsByUuid } from '../../identity/index.ts'
import { type Actor, runActors } from '../../insights/index.ts'
import type { ProjectCall } from '../frame/context.ts'
import { insightContext } from '../insights/insight-question.ts'
import { listPersons } from '../persons/list-persons.ts'

type Asked = Pick<ProjectCall, 'sql' | 'clickhouse' | 'project' | 'now'>

const OF_PERSONS = ['person', 'id', 'person.$delete']
const OF_GROUPS = ['group']

/** Who stands behind a number, or simply persons: rows of columns, as `select` asks for them. */
export async function answerActors(call: Asked, query: ActorsQuery, signal?: AbortSignal): Promise<ActorsAnswer> {
  const page = { limit: query.limit || 100, offset: query.offset ?? 0 }
  return query.source ? behindNumber(call, query, query.source, page, signal) : plainPersons(call, query, page)
}

async function behindNumber(
  call: Asked,
  query: Pick<ActorsQuery, 'select'>,
  source: ActorsSource,
  page: { limit: number; offset: number },
  signal?: AbortSignal,
) {
  const { actors, groupIndex, hasMore } = await runActors(await insightContext(call), source, page, { signal })
  const ids = actors.map(({ id }) => id)
  const persons =
    groupIndex === undefined ? await personsByUuid(call.sql, call.project.id, ids) : new Map<string, Person>()
  const groups = new Map<string, Group>()
  if (groupIndex !== undefined)
    for (const id of ids) {
      const group = await findGroup(call.sql, call.project.id, groupIndex, id)
      if (group) groups.set(id, group)
    }
  const select = chosen(query, groupIndex === undefined ? OF_PERSONS : OF_GROUPS)
  const results = actors.map((actor) => {
    const row = { actor, person: persons.get(actor.id), group: groups.get(actor.id), groupIndex }
    return select.map((column) => cell(call, column, row))
  })
  const known = groupIndex === undefined ? persons.size : groups.size
  return table(call, select, results, { ...page, hasMore }, actors.length - known)
}

async function plainPersons(call: Asked, query: ActorsQuery, page: { limit: number; offset: number }) {
  const asked = { ...page, ...(query.search ? { search: query.search } : {}), properties: query.properties }
  const { persons, count } = await listPersons(call, asked)
  const select = chosen(query, OF_PERSONS)
  const results = persons.map((person) => {
    const actor: Actor = { id: person.uuid, eventCount: 0, recordings: [] }
    return select.map((column) => cell(call, column, { actor, person, group: undefined, groupIndex: undefined }))
  })
  return table(call, select, results, { ...page, hasMore: page.offset + persons.length < count }, 0)
}

const chosen = ({ select }: Pick<ActorsQuery, 'select'>, usual: readonly string[]): readonly string[] =>
  select && select.length > 0 ? select : usual

interface Row {
  readonly actor: Actor
  readonly person: Person | undefined
  readonly group: Group | undefined
  readonly groupIndex: number | undefined
}

function cell({ project }: Pick<Asked, 'project'>, column: string, { actor, person, group, groupIndex }: Row): unknown {
  const properties = person?.properties ?? group?.properties ?? {}
  switch (column) {
    case 'id':
      return actor.id
    case 'actor':
      return groupIndex === undefined ? personCell(actor, person) : groupCell(actor, group, groupIndex)
    case 'person':
      return personCell(actor, person)
    case 'group':
      return groupCell(actor, group, groupIndex)
    case 'person_display_name':
      return {
        id: actor.id,
        display_name: person ? personName(person, project.person_display_name_properties) : actor.id,
      }
    case 'created_at':
      return person?.createdAt ?? group?.createdAt ?? null
    case 'person.$delete':
      return 1
    case 'event_count':
      return actor.eventCount
    case 'event_distinct_ids':
      return person?.distinctIds ?? []
    case 'matched_recordings':
      return actor.recordings
    case 'properties':
      return properties
  }
  const key = /^(?:person\.)?properties\.(.+)$/s.exec(column)?.[1]
  if (key === undefined)
    throw new ApiError('invalid_input', `Persons and groups have no column ${JSON.stringify(column)}.`, {
      attr: 'select',
    })
  return properties[key.replace(/^`(.*)`$/s, '$1')] ?? null
}

const personCell = (actor: Actor, person: Person | undefined) =>
  person
    ? {
        id: person.uuid,
        properties: person.properties,
        is_identified: person.isIdentified,
        created_at: person.createdAt,
        last_seen_at: person.lastSeenAt,
        distinct_ids: person.distinctIds,
      }
    : { id: actor.id }

/** A key that was only ever on events is a group too, of which nothing else is known. */
const groupCell = (actor: Actor, group: Group | undefined, groupIndex: number | undefined) => ({
  id: actor.id,
  type: 'group',
  group_key: actor.id,
  group_type_index: groupIndex ?? null,
  created_at: group?.createdAt ?? null,
  properties: group?.properties ?? {},
  group_properties: group?.properties ?? {},
})

const table = (
  { project, now }: Asked,
  columns: readonly string[],
  results: readonly (readonly unknown[])[],
  page: { readonly limit: number; readonly offset: number; readonly hasMore: boolean },
  missing: number,
): ActorsAnswer => ({
  results,
  columns,
  types: columns.map(() => 'Dynamic' as const),
  ...page,
  missing_actors_count: missing,
  hogql: null,
  error: null,
  timezone: project.timezone,
  is_cached: false,
  last_refresh: now().toISOString(),
})
