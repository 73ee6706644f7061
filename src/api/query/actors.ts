import {
  type ActorsQuery,
  type ActorsSource,
  allOf,
  type HogQLQuery,
  NO_FILTERS,
  type PersonsNode,
  readProperties,
} from '../../contract/queries/index.ts'
import type { ActorsAnswer } from '../../contract/results/index.ts'
import { ApiError } from '../../http/errors.ts'
import { findGroup, type Group, type Person, personName, personsByUuid } from '../../identity/index.ts'
import { type Actor, isSummed, runActors, runSql } from '../../insights/index.ts'
import { asText } from '../../lib/json.ts'
import { isUuid } from '../../lib/uuid.ts'
import type { ProjectCall } from '../frame/context.ts'
import { insightContext } from '../insights/insight-question.ts'
import { listPersons } from '../persons/list-persons.ts'

type Asked = Pick<ProjectCall, 'sql' | 'reading' | 'clickhouse' | 'project' | 'now'>

const OF_PERSONS = ['person', 'id', 'person.$delete']
const OF_GROUPS = ['group']

/** Who stands behind a number, or simply persons: rows of columns, as `select` asks for them. */
export async function answerActors(call: Asked, query: ActorsQuery, signal?: AbortSignal): Promise<ActorsAnswer> {
  const page = { limit: query.limit || 100, offset: query.offset ?? 0 }
  const { source } = query
  if (query.select?.some(isSummed)) return summedPersons(call, query, page, signal)
  if (!source) return plainPersons(call, query, page)
  return source.kind === 'HogQLQuery'
    ? inSql(call, query, source, page, signal)
    : behindNumber(call, query, source, page, signal)
}

/** Of more persons than this, SQL over `persons` is asked directly: a sum over some of them would be a wrong number. */
const MOST_SUMMED = 10_000

/** Columns that sum persons up, by the columns that do not. */
async function summedPersons(
  call: Asked,
  query: ActorsQuery,
  { limit, offset }: { limit: number; offset: number },
  signal?: AbortSignal,
): Promise<ActorsAnswer> {
  const { source, search, properties, select = [], orderBy = [] } = query
  const isFiltered = source !== undefined || Boolean(search) || properties.values.length > 0
  const whose = { ...query, select: ['id'], limit: MOST_SUMMED, offset: 0 }
  const found = isFiltered ? await answerActors(call, whose, signal) : undefined
  if (found?.hasMore)
    throw new ApiError(
      'query_too_heavy',
      `This sums up more than ${MOST_SUMMED.toLocaleString('en-US')} persons: filter further, or ask SQL over persons or events.`,
      { attr: 'select' },
    )
  const ids = found?.results.map(([id]) => asText(id))
  const groups = select.filter((column) => !isSummed(column)).map((column) => column.replace(/\s+as\s+[\w$`"]+$/i, ''))
  const statement = `select ${select.join(', ')} from persons ${ids ? 'where toString(id) in {ids}' : ''}
    ${groups.length > 0 ? `group by ${groups.join(', ')}` : ''}
    ${orderBy.length > 0 ? `order by ${orderBy.join(', ')}` : ''} limit ${limit + 1} offset ${offset}`
  const asked = { query: statement, values: { ids: ids ?? [] } }
  const { results, columns } = await runSql(await insightContext(call), asked, { signal })
  return table(call, columns, results.slice(0, limit), { limit, offset, hasMore: results.length > limit }, 0)
}

const ID_COLUMNS = ['person_id', 'actor_id', 'id']

/** The persons whose ids a query of the client answers, in its order. */
async function inSql(
  call: Asked,
  query: Pick<ActorsQuery, 'select'>,
  source: HogQLQuery,
  { limit, offset }: { limit: number; offset: number },
  signal?: AbortSignal,
) {
  const paged = { ...source, query: `select * from (${source.query}\n) as source limit ${limit + 1} offset ${offset}` }
  const { columns, results: rows } = await runSql(await insightContext(call), paged, { signal })
  const named = columns.findIndex((name) => ID_COLUMNS.includes(name))
  const ids = rows.slice(0, limit).map((row) => asText(row[Math.max(0, named)] ?? ''))
  const persons = await personsByUuid(call.sql, call.project.id, ids.filter(isUuid))
  const select = chosen(query, OF_PERSONS)
  const computed = await computedColumns(call, select, ids, signal)
  const results = ids.map((id) => {
    const actor: Actor = { id, eventCount: 0, recordings: [] }
    const row = { actor, person: persons.get(id), group: undefined, groupIndex: undefined }
    return select.map((column) => cell(call, column, row, computed))
  })
  return table(call, select, results, { limit, offset, hasMore: rows.length > limit }, ids.length - persons.size)
}

const CELLS = new Set(
  'id actor person group person_display_name created_at person.$delete event_count event_distinct_ids matched_recordings properties'.split(
    ' ',
  ),
)

type Computed = ReadonlyMap<string, ReadonlyMap<string, unknown>>

/** Columns that are expressions about persons, by column and person. */
async function computedColumns(
  call: Asked,
  select: readonly string[],
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<Computed> {
  const expressions = select.filter((column) => !CELLS.has(column) && propertyIn(column) === undefined)
  if (expressions.length === 0 || ids.length === 0) return new Map()
  const query = `select toString(id), ${expressions.join(', ')} from persons where toString(id) in {ids} limit ${ids.length}`
  const { results } = await runSql(await insightContext(call), { query, values: { ids: [...ids] } }, { signal })
  return new Map(expressions.map((text, i) => [text, new Map(results.map((row) => [asText(row[0]), row[i + 1]]))]))
}

const propertyIn = (column: string): string | undefined =>
  /^(?:person\.)?properties\.([^\s(),]+|`.+`)$/s.exec(column)?.[1]

/** The list of persons of older clients. */
export async function answerPersonsNode(call: Asked, node: PersonsNode): Promise<ActorsAnswer> {
  const { search, properties, fixedProperties, cohort, distinctId, limit, offset } = node
  const inCohort =
    cohort === undefined ? NO_FILTERS : readProperties([{ key: 'id', type: 'cohort', value: cohort }], refuse)
  const query = {
    ...(search ? { search } : {}),
    ...(distinctId ? { distinct_id: distinctId } : {}),
    properties: allOf(properties, fixedProperties, inCohort),
  }
  return plainPersons(call, query, { limit: limit ?? 100, offset: offset ?? 0 })
}

const refuse = (message: string): never => {
  throw new ApiError('invalid_input', message, { attr: 'query__cohort' })
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
  const computed = groupIndex === undefined ? await computedColumns(call, select, ids, signal) : new Map()
  const results = actors.map((actor) => {
    const row = { actor, person: persons.get(actor.id), group: groups.get(actor.id), groupIndex }
    return select.map((column) => cell(call, column, row, computed))
  })
  const known = groupIndex === undefined ? persons.size : groups.size
  return table(call, select, results, { ...page, hasMore }, actors.length - known)
}

type AskedPersons = Pick<ActorsQuery, 'properties'> &
  Partial<Pick<ActorsQuery, 'search' | 'select'>> & { readonly distinct_id?: string }

async function plainPersons(call: Asked, query: AskedPersons, page: { limit: number; offset: number }) {
  const { search, distinct_id, properties } = query
  const given = { ...(search ? { search } : {}), ...(distinct_id ? { distinct_id } : {}), properties }
  const { persons, count } = await listPersons(call, { ...page, ...given })
  const select = chosen(query, OF_PERSONS)
  const computed = await computedColumns(
    call,
    select,
    persons.map(({ uuid }) => uuid),
  )
  const results = persons.map((person) => {
    const actor: Actor = { id: person.uuid, eventCount: 0, recordings: [] }
    const row = { actor, person, group: undefined, groupIndex: undefined }
    return select.map((column) => cell(call, column, row, computed))
  })
  return table(call, select, results, { ...page, hasMore: page.offset + persons.length < count }, 0)
}

const chosen = ({ select }: Partial<Pick<ActorsQuery, 'select'>>, usual: readonly string[]): readonly string[] =>
  select && select.length > 0 ? select : usual

interface Row {
  readonly actor: Actor
  readonly person: Person | undefined
  readonly group: Group | undefined
  readonly groupIndex: number | undefined
}

function cell(
  { project }: Pick<Asked, 'project'>,
  column: string,
  { actor, person, group, groupIndex }: Row,
  computed: Computed,
): unknown {
  const ofColumn = computed.get(column)
  if (ofColumn) return ofColumn.get(actor.id) ?? null
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
  const key = propertyIn(column)
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
