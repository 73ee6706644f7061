/**
 * What the actors of a funnel have in common: one row a name, with how many of the successful and of the others have
 * it. A row without a name counts them all: in the same statement, because finding out who converted is a good part of
 * the work.
 */
import {
  and,
  type Fragment,
  join,
  or,
  propertyOf,
  propertyPath,
  sql,
  str,
  strings,
  uint,
} from '../../../engines/clickhouse-sql.ts'
import { scopeOf } from '../../plan/plan.ts'
import { eventNames } from '../funnels/index.ts'
import { type GroupProperty, groupPairs, groupPropertyOf } from './group-properties.ts'
import { eventsOfActors, outcomes } from './outcomes.ts'
import type { CorrelationPlan } from './plan.ts'

/** Between the type of an autocaptured event and its elements. */
export const AUTOCAPTURE_SEPARATOR = '__~~__'
export const ELEMENTS_KEY = 'elements_chain'

/**
 * Columns: name Array(String) (event; event, path, value; path, value; or empty), success, failure. Properties stand as
 * paths of a props column.
 */
export function candidates(plan: CorrelationPlan): Fragment {
  switch (plan.type) {
    case 'events':
      return events(plan)
    case 'event_with_properties':
      return eventProperties(plan)
    case 'properties':
      return actorProperties(plan)
  }
}

const COUNTS = sql`uniqExactIf(actor, converted) AS success, uniqExactIf(actor, NOT converted) AS failure`
const EVERYBODY = sql`CAST([], 'Array(String)')`

function events({ funnel, excludedEvents }: CorrelationPlan): Fragment {
  const scope = scopeOf(funnel)
  const { from, where, isStart, isBetween } = eventsOfActors(funnel, scope)
  const isCandidate = and([isBetween, sql`e.event NOT IN (${strings(excludedEvents)})`])
  return sql`SELECT if(is_start, ${EVERYBODY}, [event]) AS name, success, failure
FROM (
  SELECT is_start, event, ${COUNTS}
  FROM (
    SELECT ${isStart} AS is_start, if(is_start, '', e.event) AS event, outcome.actor AS actor, converted
    FROM ${from()}
    WHERE ${and([where, or([isStart, isCandidate])])}
  )
  GROUP BY is_start, event
)`
}

function eventProperties(plan: CorrelationPlan): Fragment {
  const scope = scopeOf(plan.funnel)
  const { from, where, isStart, isBetween } = eventsOfActors(plan.funnel, scope)
  const isNamed = sql`e.event IN (${strings(plan.eventNames)})`
  const type = sql`ifNull(${propertyOf(sql`e.props`, '$event_type')}, '')`
  const clicked = sql`[(${str(ELEMENTS_KEY)}, concat(${type}, ${str(AUTOCAPTURE_SEPARATOR)}, e.elements_chain))]`
  const pairs = sql`if(e.event = '$autocapture', ${clicked}, ${pairsOf(sql`e.props`)})`
  const wanted = sql`arrayFilter(pair -> pair.1 NOT IN (${strings(plan.excludedEventProperties.map(propertyPath))}), ${pairs})`
  const names = sql`arrayMap(pair -> [CAST(e.event, 'String'), pair.1, pair.2], ${wanted})`
  return sql`SELECT name, ${COUNTS}
FROM (
  SELECT outcome.actor AS actor, converted,
    arrayJoin(arrayConcat(if(${isStart}, [${EVERYBODY}], []), if(${and([isBetween, isNamed])}, ${names}, []))) AS name
  FROM ${from()}
  WHERE ${and([where, ...hasKnownName(plan), or([isStart, and([isBetween, isNamed])])])}
)
GROUP BY name
HAVING empty(name) OR success + failure > 2`
}

/** The names of all events that can matter, as a condition of its own: events lie by name, so the engine reads no others. */
function hasKnownName({ funnel, eventNames: asked }: CorrelationPlan): Fragment[] {
  const names = funnel.steps.map(eventNames)
  if (names.includes(undefined)) return []
  return [sql`e.event IN (${strings([...asked, ...names.flatMap((each) => each ?? [])])})`]
}

/** Of persons and groups as they are now. Asked names count also where the property is missing, as an empty value. */
function actorProperties(plan: CorrelationPlan): Fragment {
  const { propertyNames } = plan
  const ofGroups = (propertyNames ?? []).flatMap((name) => groupPropertyOf(name) ?? [])
  const own = propertyNames?.filter((name) => groupPropertyOf(name) === undefined)
  const joined = ofGroups.length === 0 ? sql`` : groupsJoin(plan, ofGroups)
  const pairs = [ownPairs(own), ...(ofGroups.length === 0 ? [] : [pairsOrEmpty(ofGroups)])]
  const current = own === undefined ? pairsOf(sql`props`) : sql`[${join(own.map(pairOf), ', ')}]`
  const excluded = strings(plan.excludedProperties.map(propertyPath))
  const names = sql`arrayMap(pair -> [pair.1, pair.2], arrayFilter(pair -> pair.1 NOT IN (${excluded}), arrayConcat(${join(pairs, ', ')})))`
  return sql`SELECT name, countIf(converted) AS success, countIf(NOT converted) AS failure
FROM (
  SELECT converted, arrayJoin(arrayPushBack(${names}, ${EVERYBODY})) AS name
  FROM (${outcomes(plan.funnel)}) AS outcome
  LEFT ANY JOIN (SELECT id, CAST(${current}, 'Array(Tuple(String, String))') AS pairs FROM ${currentActors(plan)}) AS current ON current.id = outcome.actor
  ${joined}
)
GROUP BY name`
}

const pairOf = (name: string): Fragment =>
  sql`(${str(propertyPath(name))}, ifNull(${propertyOf(sql`props`, name)}, ''))`

const ownPairs = (names: readonly string[] | undefined): Fragment =>
  names === undefined ? sql`current.pairs` : sql`if(empty(current.pairs), ${emptyPairs(names)}, current.pairs)`

const groupsJoin = ({ funnel }: CorrelationPlan, wanted: readonly GroupProperty[]): Fragment =>
  sql`LEFT ANY JOIN (${groupPairs(funnel, wanted)}) AS belonging ON belonging.actor = outcome.actor`

/** What the groups have, and the empty value of what none of them has. */
function pairsOrEmpty(wanted: readonly GroupProperty[]): Fragment {
  const missing = sql`arrayFilter(none -> NOT arrayExists(pair -> pair.1 = none.1, belonging.pairs), ${emptyPairs(wanted.map(({ asked }) => asked))})`
  return sql`belonging.pairs, ${missing}`
}

const emptyPairs = (names: readonly string[]): Fragment =>
  sql`arrayMap(path -> (path, ''), ${strings(names.map(propertyPath))})`

/** The persons (or groups) of today: id and props. */
export function currentActors({ funnel }: Pick<CorrelationPlan, 'funnel'>): Fragment {
  const project = uint(funnel.projectId)
  if (funnel.groupIndex === undefined) {
    return sql`(SELECT id, props FROM persons FINAL WHERE project_id = ${project} AND is_deleted = 0)`
  }
  return sql`(SELECT group_key AS id, props FROM groups FINAL WHERE project_id = ${project} AND group_type_index = ${uint(funnel.groupIndex)})`
}

const pairsOf = (props: Fragment): Fragment => sql`JSONExtractKeysAndValues(toJSONString(${props}), 'String')`
