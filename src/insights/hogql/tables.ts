import { and, type Fragment, ident, propertyOf, sql, str, uint } from '../../engines/clickhouse-sql.ts'
import { EventScope, ofEvent, ofPerson as propertyOfPerson } from '../sql/event-scope.ts'
import { sampled } from '../sql/sampling.ts'
import { SESSION_COLUMNS, sessionColumn } from '../sql/session-columns.ts'
import { virtualOfEvent, virtualOfPerson } from '../sql/virtual-properties.ts'
import type { Sample } from './ast.ts'
import { property } from './document.ts'
import { ELEMENT_FIELDS } from './element-fields.ts'
import {
  cohortPeopleView,
  joinedOn,
  type PersonTables,
  personDistinctIdsView,
  staticCohortPeopleView,
} from './people-tables.ts'
import { rawRecordingsView, recordingsView } from './recordings-table.ts'
import { viewSource } from './scope.ts'
import { systemView } from './system-tables.ts'
import type { TableName } from './table-fields.ts'
import type { Field, View, ViewContext } from './view.ts'

type Open = (context: ViewContext, sample?: Sample) => View

/** How the tables about persons reach a person, and the persons their distinct ids. */
const PEOPLE: PersonTables = {
  persons: (context) => viewSource(personsView(context), 'p', null),
  distinctIds: (context) =>
    viewSource(personDistinctIdsView(context, new EventScope(context, EVER), PEOPLE), 'd', null),
}

const VIEWS: Readonly<Record<TableName, Open>> = {
  events: (context, sample) => eventsView(new EventScope(context, EVER), context, sample),
  persons: (context) => personsView(context),
  person_distinct_ids: (context) => personDistinctIdsView(context, new EventScope(context, EVER), PEOPLE),
  groups: (context) => groupsView(context),
  sessions: (context) => sessionsView(context),
  cohort_people: (context) => cohortPeopleView(context, PEOPLE),
  static_cohort_people: (context) => staticCohortPeopleView(context, PEOPLE),
  session_replay_events: (context) => recordingsView(context, PEOPLE),
}

/** Other names of the tables, with the columns that say which version of a row counts: here there is only that one. */
const RAW: Readonly<Record<string, Open>> = {
  raw_events: VIEWS.events,
  raw_persons: VIEWS.persons,
  raw_person_distinct_ids: VIEWS.person_distinct_ids,
  raw_groups: VIEWS.groups,
  raw_sessions: VIEWS.sessions,
  raw_cohort_people: VIEWS.cohort_people,
  raw_session_replay_events: (context) => rawRecordingsView(context, PEOPLE),
}

export const TABLES = Object.keys(VIEWS) as readonly TableName[]

/**
 * The view of a table by its name; undefined when there is none. `sample`: of events, those of a share of all persons,
 * always the same ones.
 */
export function openView(name: string, context: ViewContext, sample?: Sample): View | undefined {
  if (Object.hasOwn(VIEWS, name)) return ofTeam(VIEWS[name as TableName](context, sample), context)
  if (Object.hasOwn(RAW, name)) return ofTeam((RAW[name] as Open)(context, sample), context, VERSION)
  return systemView(name, context)
}

const VERSION: Readonly<Record<string, Fragment>> = { is_deleted: sql`0`, version: sql`1` }

/** Every table can be asked for the project it is of: always the same one. */
function ofTeam(view: View, { projectId }: ViewContext, more: Readonly<Record<string, Fragment>> = {}): View {
  return {
    ...view,
    field(chain) {
      const [name = '', ...rest] = chain
      const found = view.field(chain)
      if (found || rest.length > 0) return found
      if (name === 'team_id') return given(sql`toInt32(${uint(projectId)})`)
      return Object.hasOwn(more, name) ? given(more[name] as Fragment) : undefined
    },
  }
}

const other = (value: Fragment): Field => ({ value, kind: 'other' })
/** What every row has. */
const given = (value: Fragment): Field => ({ value, kind: 'other', nullable: false })
/** Columns are UTC as they are, and a bare column lets the engine skip days by its key. */
const inZone = (time: Fragment, { timezone }: ViewContext): Field =>
  given(timezone === 'UTC' ? time : sql`toTimeZone(${time}, ${str(timezone)})`)
/** A field that is worked out is also read as a property: `$virt_is_bot`, `properties.$virt_is_bot`. */
const virtualKey = ([name = '', key, ...rest]: readonly string[]): string =>
  rest.length > 0 ? '' : key === undefined ? name : name === 'properties' ? key : ''
const GROUP = /^group_([0-4])$/
const EVENT_COLUMNS =
  'uuid event properties timestamp distinct_id elements_chain created_at person_mode person_id'.split(' ')
const EVER = { from: Date.UTC(1971, 0, 1), to: Date.UTC(2200, 0, 1) }

/** The events of a scope: also for expressions about the events of an insight. */
export function eventsView(scope: EventScope, context: ViewContext, sample?: Sample): View {
  const ofSample = sampled(scope, sample?.share, sample?.offset)
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
    return Object.hasOwn(ELEMENT_FIELDS, name) ? given(ELEMENT_FIELDS[name] as Fragment) : undefined
  }
  const ofPerson = (chain: readonly string[]): Field | undefined => {
    const [name = '', key, ...path] = chain
    const virtual = virtualOfPerson(virtualKey(chain), propertyOfPerson, context.channelRules)
    if (virtual) return other(virtual)
    if (name === 'id') return given(scope.person())
    if (name === 'created_at') return inZone(sql`e.person_created_at`, context)
    if (name !== 'properties') return undefined
    if (key === undefined) return { value: sql`e.person_properties`, kind: 'json', nullable: false }
    return property('person', scope.property({ type: 'person', key }), key, path, context)
  }
  const ofDistinctId = ([name = '', ...rest]: readonly string[]): Field | undefined => {
    if (name === 'person') return ofPerson(rest)
    if (rest.length > 0) return undefined
    if (name === 'distinct_id') return given(sql`e.distinct_id`)
    return name === 'person_id' ? given(scope.person()) : undefined
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
      const virtual = virtualOfEvent(virtualKey([name, ...rest]), ofEvent)
      if (virtual) return given(virtual)
      if (name === 'person' || name === 'poe') return ofPerson(rest)
      if (name === 'pdi') return ofDistinctId(rest)
      const group = GROUP.exec(name)
      if (group) return ofGroup(Number(group[1]), rest)
      if (name === 'session' && key !== undefined && path.length === 0 && SESSION_COLUMNS.includes(key))
        return { value: scope.property({ type: 'session', key }), kind: 'property' }
      if (name === 'properties' && key !== undefined)
        return property('event', scope.property({ type: 'event', key }), key, path, context)
      const ofType = rest.length > 0 ? context.groupTypes?.get(name) : undefined
      if (ofType !== undefined) return ofGroup(ofType, rest)
      return rest.length === 0 ? column(name) : undefined
    },
    from: () => sql`${scope.from()} WHERE ${and([scope.ofProject(), ...ofSample])}`,
  }
}

/** Current persons; with their distinct ids, a row for each. */
function personsView(context: ViewContext): View {
  let distinctIds: ReturnType<PersonTables['distinctIds']> | undefined
  return {
    columns: ['id', 'created_at', 'properties', 'is_identified'],
    field(chain) {
      const [name = '', key, ...path] = chain
      const virtual = virtualOfPerson(virtualKey(chain), (each) => propertyOf(sql`p.props`, each), context.channelRules)
      if (virtual) return other(virtual)
      if (name === 'properties')
        return key === undefined
          ? { value: sql`p.properties`, kind: 'json', nullable: false }
          : property('person', propertyOf(sql`p.props`, key), key, path, context)
      if (name === 'pdi' && key !== undefined) {
        distinctIds ??= PEOPLE.distinctIds(context)
        return key === 'person' ? this.field(path) : distinctIds.field([key, ...path])
      }
      if (key !== undefined) return undefined
      if (name === 'id') return given(sql`p.id`)
      if (name === 'is_identified') return given(sql`p.is_identified`)
      return name === 'created_at' ? inZone(sql`p.created_at`, context) : undefined
    },
    from() {
      const joined = distinctIds ? sql` LEFT JOIN ${joinedOn(distinctIds, 'person_id', sql`p.id`)}` : sql``
      return sql`persons AS p FINAL${joined} WHERE p.project_id = ${uint(context.projectId)} AND p.is_deleted = 0`
    },
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

/** Sessions, as they were kept while their events arrived. */
function sessionsView(context: ViewContext): View {
  return {
    columns: SESSION_COLUMNS,
    field([name = '', ...rest]) {
      const column = rest.length === 0 ? sessionColumn(name, context.channelRules ?? []) : undefined
      if (!column) return undefined
      // What is kept as the least of several is a time all the same.
      if (column.type === 'time') return inZone(sql`toDateTime64(${column.value}, 6, 'UTC')`, context)
      if (column.inEverySession) return given(column.value)
      return column.type === 'text'
        ? { value: sql`nullIf(${column.value}, '')`, kind: 'property' }
        : other(column.value)
    },
    from: () => sql`sessions AS s WHERE s.project_id = ${uint(context.projectId)} GROUP BY s.session_id`,
  }
}
