/**
 * The events table as one question sees it. Expressions are asked of the scope, and what they need joined (merged
 * persons, group properties, sessions) is joined once, and only then: build the expressions first and take `from()`
 * last.
 */

import type { SeriesNode } from '../../contract/queries/index.ts'
import type { ChannelRule } from '../../contract/resources/channel-rule.ts'
import { type Fragment, ident, propertyOf, sql, uint } from '../../engines/clickhouse-sql.ts'
import { InvalidQuery, type Path } from '../../lib/invalid-input.ts'
import { groupJoin, overridesJoin, sessionJoin, timeText } from './joins.ts'
import type { OperatorContext } from './operators.ts'
import { virtualOfEvent, virtualOfPerson } from './virtual-properties.ts'

export interface ScopeContext {
  readonly projectId: number
  readonly hasOverrides: boolean
  readonly timezone: string
  /** What the project calls the channels of sessions, before the built-in rules. */
  readonly channelRules?: readonly ChannelRule[] | undefined
  /** How expressions of a client are read; where there is none they are refused. */
  readonly expressions?: Expressions | undefined
  /** The project's cohorts and actions; none where there is nobody to ask. */
  readonly named?: Named | undefined
}

/** What the project has given names to. `path` says where a name stood that nothing has. */
export interface Named {
  /** A statement of the persons in a cohort. */
  members(idOrName: string, path: Path): Fragment
  /** An event is of the action when it is of any of these. */
  action(idOrName: string, path: Path): readonly SeriesNode[]
  /** The ids of all cohorts. */
  readonly cohorts: readonly number[]
  /** How the definitions themselves are read. */
  readonly operators: OperatorContext
}

/** Expressions of a client in SQL over the events of a scope. `path` says where an expression stood, for a refusal. */
export interface Expressions {
  /** Something of each event. */
  value(scope: EventScope, text: string, path: Path): Fragment
  /** Something of all events together. */
  aggregate(scope: EventScope, text: string, path: Path): Fragment
}

export interface PropertyRef {
  readonly type: 'event' | 'person' | 'person_metadata' | 'group' | 'session' | 'event_metadata' | 'hogql'
  /** Its name; of type hogql, the expression. */
  readonly key: string
  readonly group_type_index?: number
}

export class EventScope {
  readonly context: ScopeContext
  readonly #joins = new Map<string, Fragment>()
  readonly #aliases = new Map<string, string>()
  /** Bounds of the events that can matter, for joins that look at events again. */
  readonly #bounds: { readonly from: number; readonly to: number }

  constructor(context: ScopeContext, bounds: { readonly from: number; readonly to: number }) {
    this.context = context
    this.#bounds = bounds
  }

  /** The person an event counts for today: of merged persons, the survivor. */
  person(): Fragment {
    if (!this.context.hasOverrides) return sql`e.person_id`
    this.#join('overrides', () => overridesJoin(this.context.projectId))
    return sql`if(empty(overrides.person_id), e.person_id, overrides.person_id)`
  }

  /** The key of the event's group, '' when it has none. */
  group(index: number): Fragment {
    return sql`e.${ident(`group_${index}`)}`
  }

  /** Whoever is counted: the person, or the group when the question aggregates by one. */
  actor(groupIndex: number | undefined): Fragment {
    return groupIndex === undefined ? this.person() : this.group(groupIndex)
  }

  /** Conditions under which an event has an actor at all. */
  hasActor(groupIndex: number | undefined): Fragment[] {
    return groupIndex === undefined ? [] : [sql`${this.group(groupIndex)} != ''`]
  }

  /** The text of a property, Nullable(String). */
  property(ref: PropertyRef): Fragment {
    switch (ref.type) {
      case 'event':
        return textOf(virtualOfEvent(ref.key, ofEvent)) ?? ofEvent(ref.key)
      case 'person':
        return textOf(virtualOfPerson(ref.key, ofPerson, this.context.channelRules)) ?? ofPerson(ref.key)
      case 'person_metadata':
        return personMetadata(ref.key)
      case 'group':
        return this.#groupProperty(ref.group_type_index ?? 0, ref.key)
      case 'session':
        return this.#sessionProperty(ref.key)
      case 'event_metadata':
        return this.#metadata(ref.key)
      case 'hogql':
        return sql`toNullable(toString(${this.expression(ref.key, ['breakdownFilter', 'breakdown'])}))`
    }
  }

  /** Whether the event's person is in a cohort now. */
  isInCohort(idOrName: string, path: Path): Fragment {
    return sql`${this.person()} IN (${this.named(path).members(idOrName, path)})`
  }

  named(path: Path): Named {
    const { named } = this.context
    if (named === undefined) throw new InvalidQuery('Cohorts and actions cannot be asked here.', path)
    return named
  }

  /** What an expression of the client says of each event. */
  expression(text: string, path: Path): Fragment {
    return this.#expressions(path).value(this, text, path)
  }

  /** What an expression of the client says of all events together. */
  aggregate(text: string, path: Path): Fragment {
    return this.#expressions(path).aggregate(this, text, path)
  }

  #expressions(path: Path): Expressions {
    const { expressions } = this.context
    if (expressions === undefined) throw new InvalidQuery('Expressions are not supported here.', path)
    return expressions
  }

  ofProject(): Fragment {
    return sql`e.project_id = ${uint(this.context.projectId)}`
  }

  from(): Fragment {
    const joins = [...this.#joins.values()]
    return joins.reduce((from, join) => sql`${from}\n${join}`, sql`events AS e`)
  }

  #join(name: string, make: () => Fragment): void {
    if (!this.#joins.has(name)) this.#joins.set(name, make())
  }

  #groupProperty(index: number, key: string): Fragment {
    return this.#joined(`group ${index} ${key}`, (alias) => groupJoin(this.context.projectId, index, key, alias))
  }

  #sessionProperty(key: string): Fragment {
    return this.#joined(`session ${key}`, (alias) => sessionJoin(this.context, key, alias, this.#bounds))
  }

  /** The value of a join of its own, joined once however often it is asked for. */
  #joined(name: string, make: (alias: string) => Fragment): Fragment {
    const alias = this.#aliases.get(name) ?? `joined_${this.#aliases.size}`
    this.#aliases.set(name, alias)
    this.#join(name, () => make(alias))
    return sql`${ident(alias)}.value`
  }

  #metadata(key: string): Fragment {
    switch (key) {
      case 'event':
        return sql`toNullable(CAST(e.event, 'String'))`
      case 'distinct_id':
        return sql`toNullable(e.distinct_id)`
      case 'person_id':
        return sql`toNullable(toString(${this.person()}))`
      case '$session_id':
      case 'session_id':
        return sql`nullIf(e.session_id, '')`
      case 'uuid':
        return sql`toNullable(toString(e.uuid))`
      case 'timestamp':
        return timeText(sql`e.timestamp`)
      default:
        return propertyOf(sql`e.props`, key)
    }
  }
}

export const ofEvent = (key: string): Fragment => propertyOf(sql`e.props`, key)
export const ofPerson = (key: string): Fragment => propertyOf(sql`e.person_props`, key)

const textOf = (value: Fragment | undefined): Fragment | undefined => value && sql`toNullable(toString(${value}))`

/** What is known of an event's person besides properties: when it was first seen. */
function personMetadata(key: string): Fragment {
  if (key === 'created_at') return timeText(sql`e.person_created_at`)
  throw new InvalidQuery('Of a person only created_at can be filtered by type person_metadata.', ['properties'])
}
