/**
 * What the actors of a funnel have in common: one row a name, with how many of the successful and of the others have
 * it.
 */
import {
  type Fragment,
  join,
  propertyOf,
  propertyPath,
  sql,
  str,
  strings,
  uint,
} from '../../../engines/clickhouse-sql.ts'
import { scopeOf } from '../../plan/plan.ts'
import { type GroupProperty, groupPairs, groupPropertyOf } from './group-properties.ts'
import { eventsBetween, outcomes } from './outcomes.ts'
import type { CorrelationPlan } from './plan.ts'

/** Between the type of an autocaptured event and its elements. */
export const AUTOCAPTURE_SEPARATOR = '__~~__'
export const ELEMENTS_KEY = 'elements_chain'

/**
 * Columns: name Array(String) (event; event, path, value; or path, value), success, failure. Properties stand as paths
 * of a props column.
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

const COUNTS = sql`uniqExactIf(outcome.actor, converted) AS success, uniqExactIf(outcome.actor, NOT converted) AS failure`

function events({ funnel, excludedEvents }: CorrelationPlan): Fragment {
  const scope = scopeOf(funnel)
  const { from, where } = eventsBetween(funnel, scope, [sql`e.event NOT IN (${strings(excludedEvents)})`])
  return sql`SELECT [CAST(e.event, 'String')] AS name, ${COUNTS}
FROM ${from()}
WHERE ${where}
GROUP BY name`
}

function eventProperties(plan: CorrelationPlan): Fragment {
  const scope = scopeOf(plan.funnel)
  const { from, where } = eventsBetween(plan.funnel, scope, [sql`e.event IN (${strings(plan.eventNames)})`])
  const type = sql`ifNull(${propertyOf(sql`e.props`, '$event_type')}, '')`
  const clicked = sql`[(${str(ELEMENTS_KEY)}, concat(${type}, ${str(AUTOCAPTURE_SEPARATOR)}, e.elements_chain))]`
  const pairs = sql`if(e.event = '$autocapture', ${clicked}, ${pairsOf(sql`e.props`)})`
  return sql`SELECT [event, pair.1, pair.2] AS name, uniqExactIf(actor, converted) AS success, uniqExactIf(actor, NOT converted) AS failure
FROM (
  SELECT CAST(e.event, 'String') AS event, outcome.actor AS actor, converted, arrayJoin(${pairs}) AS pair
  FROM ${from()}
  WHERE ${where}
)
WHERE pair.1 NOT IN (${strings(plan.excludedEventProperties.map(propertyPath))})
GROUP BY name
HAVING success + failure > 2`
}

/** Of persons and groups as they are now. Asked names count also where the property is missing, as an empty value. */
function actorProperties(plan: CorrelationPlan): Fragment {
  const { propertyNames } = plan
  const ofGroups = (propertyNames ?? []).flatMap((name) => groupPropertyOf(name) ?? [])
  const own = propertyNames?.filter((name) => groupPropertyOf(name) === undefined)
  const joined = ofGroups.length === 0 ? sql`` : groupsJoin(plan, ofGroups)
  const pairs = [ownPairs(own), ...(ofGroups.length === 0 ? [] : [pairsOrEmpty(ofGroups)])]
  const current = own === undefined ? pairsOf(sql`props`) : sql`[${join(own.map(pairOf), ', ')}]`
  return sql`SELECT [pair.1, pair.2] AS name, countIf(converted) AS success, countIf(NOT converted) AS failure
FROM (
  SELECT converted, arrayJoin(arrayConcat(${join(pairs, ', ')})) AS pair
  FROM (${outcomes(plan.funnel)}) AS outcome
  LEFT ANY JOIN (SELECT id, CAST(${current}, 'Array(Tuple(String, String))') AS pairs FROM ${currentActors(plan)}) AS current ON current.id = outcome.actor
  ${joined}
)
WHERE pair.1 NOT IN (${strings(plan.excludedProperties.map(propertyPath))})
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
