/** The persons (or groups) behind one side of a correlation. */

import type {
  FunnelCorrelationActorsQuery,
  PropertyFilter,
  PropertyGroup,
  SeriesNode,
} from '../../../contract/queries/index.ts'
import { and, type Fragment, ident, join, propertyOf, sql, str } from '../../../engines/clickhouse-sql.ts'
import { InvalidQuery } from '../../../lib/invalid-input.ts'
import type { Facts } from '../../facts/facts.ts'
import { scopeOf } from '../../plan/plan.ts'
import { type ActorSelection, matchColumns } from '../../sql/actors.ts'
import { satisfies } from '../../sql/operators.ts'
import { seriesConditions } from '../../sql/series.ts'
import { stepEventsOf } from '../funnels/index.ts'
import { AUTOCAPTURE_SEPARATOR, currentActors, ELEMENTS_KEY } from './candidates.ts'
import { type GroupProperty, groupPairs, groupPropertyIn } from './group-properties.ts'
import { eventsOfActors, outcomes } from './outcomes.ts'
import { type CorrelationPlan, planCorrelation } from './plan.ts'

export function correlationActors(query: FunnelCorrelationActorsQuery, facts: Facts): ActorSelection {
  const plan = planCorrelation(query.source, facts)
  if (plan.funnel.steps.length === 0) throw new InvalidQuery('The funnel has no steps.', ['source', 'series'])
  const asked = query.funnelCorrelationPersonConverted
  const side = asked === undefined ? sql`1` : asked ? sql`converted` : sql`NOT converted`
  const { funnelCorrelationPersonEntity: entity } = query
  const statement =
    entity === undefined
      ? withProperties(plan, side, query.funnelCorrelationPropertyValues)
      : withEvent(plan, side, entity)
  return { statement, groupIndex: plan.funnel.groupIndex }
}

/** Those who did the event between their first step and the end. */
function withEvent({ funnel }: CorrelationPlan, side: Fragment, entity: SeriesNode): Fragment {
  const scope = scopeOf(funnel)
  const { elements, node } = splitElements(entity)
  const shown = funnel.bySession ? scope.person() : scope.actor(funnel.groupIndex)
  const conditions = [...seriesConditions(scope, node, funnel.operators), ...elements]
  const { from, where, isBetween } = eventsOfActors(funnel, scope)
  return sql`SELECT ${shown} AS actor, ${matchColumns}
FROM ${from()}
WHERE ${and([where, isBetween, ...conditions, side])}
GROUP BY actor`
}

/** The elements of an autocaptured event are no property; they are asked for as if they were one. */
function splitElements(node: SeriesNode): { elements: Fragment[]; node: SeriesNode } {
  const isElements = (item: PropertyFilter | PropertyGroup): item is PropertyFilter =>
    item.kind === 'property' && item.key === ELEMENTS_KEY && item.type === 'event'
  const asked = node.properties.values.filter(isElements)
  const rest = node.properties.values.filter((item) => !isElements(item))
  const type = sql`ifNull(${propertyOf(sql`e.props`, '$event_type')}, '')`
  return {
    elements: asked.map(
      ({ values }) => sql`concat(${type}, ${str(AUTOCAPTURE_SEPARATOR)}, e.elements_chain) = ${str(values[0] ?? '')}`,
    ),
    node: { ...node, properties: { ...node.properties, values: rest } },
  }
}

/** Those whose properties are what was asked for today. An empty text stands for a missing property too. */
function withProperties(plan: CorrelationPlan, side: Fragment, wanted: PropertyGroup): Fragment {
  const items = wanted.values.filter((item) => item.kind === 'property')
  const own = items.filter((item) => groupPropertyIn(item) === undefined)
  const columns = own.map(({ key }, index) => sql`${propertyOf(sql`props`, key)} AS ${ident(`v${index}`)}`)
  const conditions = own.map((item, index) => {
    const value = sql`current.${ident(`v${index}`)}`
    return asksForNothing(item) ? sql`ifNull(${value}, '') = ''` : satisfies(value, item, plan.funnel.operators)
  })
  const ofGroups = items.flatMap((item) => {
    const property = groupPropertyIn(item)
    return property === undefined ? [] : [inGroupWith(plan, property, item)]
  })
  const actors = sql`SELECT outcome.actor
  FROM (${outcomes(plan.funnel)}) AS outcome
  LEFT ANY JOIN (SELECT ${join([sql`id`, ...columns], ', ')} FROM ${currentActors(plan)}) AS current ON current.id = outcome.actor
  WHERE ${and([side, ...conditions, ...ofGroups])}`
  return stepEventsOf(plan.funnel, actors)
}

const asksForNothing = ({ operator, values }: PropertyFilter): boolean =>
  operator === 'exact' && values.length === 1 && values[0] === ''

function inGroupWith({ funnel }: CorrelationPlan, property: GroupProperty, item: PropertyFilter): Fragment {
  const pairs = groupPairs(funnel, [property])
  if (asksForNothing(item)) return sql`outcome.actor NOT IN (SELECT actor FROM (${pairs}))`
  const value = sql`toNullable(pair.2)`
  return sql`outcome.actor IN (SELECT actor FROM (${pairs}) ARRAY JOIN pairs AS pair WHERE ${satisfies(value, item, funnel.operators)})`
}
