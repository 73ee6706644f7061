import { and, type Fragment, ident, Param, propertyOf, sql, str, uint } from '../../engines/clickhouse-sql.ts'
import { EventScope } from '../sql/event-scope.ts'
import { sampled } from '../sql/sampling.ts'
import { cohortPeopleView, personDistinctIdsView, staticCohortPeopleView } from './people-tables.ts'
import { isInEverySession, SESSION_COLUMNS, sessionColumn } from './session-columns.ts'
import type { Field, View, ViewContext } from './view.ts'

export const TABLES = [
  'events',
  'persons',
  'person_distinct_ids',
  'groups',
  'sessions',
  'cohort_people',
  'static_cohort_people',
] as const
export type TableName = (typeof TABLES)[number]

/** `sample`: of events, those of a share of all persons, always the same ones. */
export function openView(name: TableName, context: ViewContext, sample?: number): View {
  switch (name) {
    case 'events':
      return eventsView(new EventScope(context, EVER), context, sample)
    case 'persons':
      return personsView(context)
    case 'person_distinct_ids':
      return personDistinctIdsView(new EventScope(context, EVER))
    case 'cohort_people':
      return cohortPeopleView(context)
    case 'static_cohort_people':
      return staticCohortPeopleView(context)
    case 'groups':
      return groupsView(context)
    case 'sessions':
      return sessionsView(context)
  }
}

const other = (value: Fragment): Field => ({ value, kind: 'other' })
/** What every row has. */
const given = (value: Fragment): Field => ({ value, kind: 'other', nullable: false })
/** Columns are UTC as they are, and a bare column lets the engine skip days by its key. */
const inZone = (time: Fragment, { timezone }: ViewContext): Field =>
  given(timezone === 'UTC' ? time : sql`toTimeZone(${time}, ${str(timezone)})`)
const GROUP = /^group_([0-4])$/
const EVENT_COLUMNS =
  'uuid event properties timestamp distinct_id elements_chain created_at person_mode person_id'.split(' ')
const EVER = { from: Date.UTC(1971, 0, 1), to: Date.UTC(2200, 0, 1) }

/** The events of a scope: also for expressions about the events of an insight. */
export function eventsView(scope: EventScope, context: ViewContext, sample?: number): View {
  const ofSample = sampled(scope, sample)
  const column = (name: string): Field | undefined => {
    const group = /^\$group_([0-4])$/.exec(name)
    if (group) return given(scope.group(Number(group[1])))
    switch (name) {
      case 'uuid':
      case 'distinct_id':
      case 'elements_chain':
        return given(sql`e.${ident(name)}`)
      case 'event':
        return given(sql`CAST(e.event, 'String')`)
      case 'person_mode':
        return given(sql`CAST(e.person_mode, 'String')`)
      case 'person_id':
        return given(scope.person())
      case 'timestamp':
        return inZone(sql`e.timestamp`, context)
      case 'created_at':
        return inZone(sql`e.received_at`, context)
      case '$session_id':
        return given(sql`e.session_id`)
      case '$window_id':
        return other(scope.property({ type: 'event', key: '$window_id' }))
      case 'properties':
        return { value: sql`e.properties`, kind: 'json', nullable: false }
    }
    return undefined
  }
  const ofPerson = ([name = '', key, ...path]: readonly string[]): Field | undefined => {
    if (name === 'id') return given(scope.person())
    if (name === 'created_at') return inZone(sql`e.person_created_at`, context)
    if (name !== 'properties') return undefined
    if (key === undefined) return { value: sql`e.person_properties`, kind: 'json', nullable: false }
    return property('person', scope.property({ type: 'person', key }), key, path, context)
  }
  const ofGroup = (index: number, [name = '', key, ...path]: readonly string[]): Field | undefined => {
    if (name === 'key') return given(scope.group(index))
    if (name !== 'properties' || key === undefined) return undefined
    return property('group', scope.property({ type: 'group', key, group_type_index: index }), key, path, context)
  }
  return {
    columns: EVENT_COLUMNS,
    scope,
    field([name = '', key, ...path]) {
      const rest = key === undefined ? [] : [key, ...path]
      if (name === 'person' || name === 'poe') return ofPerson(rest)
      const group = GROUP.exec(name)
      if (group) return ofGroup(Number(group[1]), rest)
      if (name === 'session' && key !== undefined && path.length === 0 && sessionColumn(key))
        return { value: scope.property({ type: 'session', key }), kind: 'property' }
      if (name === 'properties' && key !== undefined)
        return property('event', scope.property({ type: 'event', key }), key, path, context)
      return rest.length === 0 ? column(name) : undefined
    },
    from: () => sql`${scope.from()} WHERE ${and([scope.ofProject(), ...ofSample])}`,
  }
}

/** Current persons. */
function personsView(context: ViewContext): View {
  return {
    columns: ['id', 'created_at', 'properties', 'is_identified'],
    field([name = '', key, ...path]) {
      if (name === 'properties')
        return key === undefined
          ? { value: sql`p.properties`, kind: 'json', nullable: false }
          : property('person', propertyOf(sql`p.props`, key), key, path, context)
      if (key !== undefined) return undefined
      if (name === 'id') return given(sql`p.id`)
      if (name === 'is_identified') return given(sql`p.is_identified`)
      return name === 'created_at' ? inZone(sql`p.created_at`, context) : undefined
    },
    from: () => sql`persons AS p FINAL WHERE p.project_id = ${uint(context.projectId)} AND p.is_deleted = 0`,
  }
}

function groupsView(context: ViewContext): View {
  return {
    columns: ['index', 'key', 'created_at', 'properties'],
    field([name = '', key, ...path]) {
      if (name === 'properties')
        return key === undefined
          ? { value: sql`g.properties`, kind: 'json', nullable: false }
          : property('group', propertyOf(sql`g.props`, key), key, path, context)
      if (key !== undefined) return undefined
      if (name === 'index') return given(sql`g.group_type_index`)
      if (name === 'key') return given(sql`g.group_key`)
      return name === 'created_at' || name === 'updated_at' ? inZone(sql`g.created_at`, context) : undefined
    },
    from: () => sql`groups AS g FINAL WHERE g.project_id = ${uint(context.projectId)}`,
  }
}

/** Sessions, put together from their events. */
function sessionsView(context: ViewContext): View {
  return {
    columns: SESSION_COLUMNS,
    field([name = '', ...rest]) {
      const value = rest.length === 0 ? sessionColumn(name) : undefined
      if (!value) return undefined
      if (name === '$start_timestamp' || name === '$end_timestamp') return inZone(value, context)
      return isInEverySession(name) ? given(value) : other(value)
    },
    from: () =>
      sql`events AS e WHERE e.project_id = ${uint(context.projectId)} AND e.session_id != '' GROUP BY e.session_id`,
  }
}

/** A property is a text, read as what it was seen to be; a path into it reads the document it holds. */
function property(
  of: 'event' | 'person' | 'group',
  text: Fragment,
  key: string,
  path: readonly string[],
  context: ViewContext,
): Field {
  if (path.length > 0) return inDocument(sql`ifNull(${text}, '')`, path)
  const readAs = (value: Fragment): Field => ({ value, kind: 'other', text: () => text })
  switch (context.propertyType(of, key)) {
    case 'Numeric':
      return readAs(sql`toFloat64OrNull(${text})`)
    case 'Boolean':
      return readAs(sql`transform(${text}, ['true', 'false'], [true, false], NULL)`)
    case 'DateTime':
      return readAs(sql`parseDateTime64BestEffortOrNull(${text}, 6, ${str(context.timezone)})`)
    default:
      return { value: text, kind: 'property' }
  }
}

/** One value inside a document, as the text people see. */
export function inDocument(document: Fragment, path: readonly string[]): Field {
  const steps = path.reduce((all, step) => sql`${all}, ${new Param('String', step)}`, sql``)
  return {
    kind: 'property',
    value: sql`if(JSONType(${document}${steps}) = 'String', JSONExtractString(${document}${steps}), nullIf(nullIf(JSONExtractRaw(${document}${steps}), ''), 'null'))`,
  }
}
