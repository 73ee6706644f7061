/**
 * Every try of every actor: one row an actor (and breakdown value) with its `tries` (try.ts) in the order they began. Tries that an
 * exclusion took out are gone, and so is an actor with no try left.
 *
 * One pass over the events groups them by actor; everything after that happens inside each actor's sorted array.
 */
import { and, type Fragment, join, or, sql } from '../../engines/clickhouse/index.ts'
import { scopeOf } from '../plan/plan.ts'
import { seriesConditions } from '../sql/series.ts'
import { attribute, type StepEvents } from './attribution.ts'
import { attributedValue } from './breakdown.ts'
import { eventCodes } from './codes.ts'
import { funnelActor, funnelConditions, stepConditions } from './conditions.ts'
import { maskedEvent } from './masks.ts'
import { orderedTries } from './ordered.ts'
import type { FunnelPlan } from './plan.ts'
import { strictTries } from './strict.ts'
import { isExcluded } from './try.ts'
import { unorderedTries } from './unordered.ts'

/** Columns: actor, labels Array(String), tries. */
export function triesStatement(plan: FunnelPlan): Fragment {
  const statement = sql`SELECT actor, labels, ${withoutExcluded(plan, triesIn(plan))} AS tries
FROM (${attribute(plan, stepEvents(plan))})`
  if (plan.heldConstant.length === 0) return sql`SELECT actor, labels, tries FROM (${statement}) WHERE notEmpty(tries)`
  return sql`SELECT actor, labels, arraySort(each -> tupleElement(each, 2), groupArrayArray(tries)) AS tries
FROM (${statement})
GROUP BY actor, labels
HAVING notEmpty(tries)`
}

/** One row an event: actor, held (its held-constant values), value (of the breakdown), at, and element (or several of them). */
function stepEvents(plan: FunnelPlan): StepEvents {
  const scope = scopeOf(plan)
  const isStep = stepConditions(plan, scope)
  const isExclusion = plan.exclusions.map(({ node }) => and(seriesConditions(scope, node, plan.operators)))
  const held = plan.heldConstant.map((key) => scope.property({ type: 'event', key }))
  const nodes = plan.exclusions.map(({ node }) => node)
  const codes = plan.order === 'ordered' ? eventCodes(plan.steps, nodes, isStep, isExclusion) : undefined
  const columns = [
    sql`${funnelActor(plan, scope)} AS actor`,
    sql`CAST([${join(held, ', ')}], 'Array(Nullable(String))') AS held`,
    sql`${attributedValue(plan, scope)} AS value`,
    sql`e.timestamp AS at`,
    sql`${codes?.codes ?? maskedEvent(isStep, isExclusion)} AS element`,
  ]
  const where = and([
    ...funnelConditions(plan, scope),
    ...(plan.order === 'strict' ? [] : [or([...isStep, ...isExclusion])]),
    ...held.map((each) => sql`isNotNull(${each})`),
  ])
  return {
    statement: sql`SELECT ${join(columns, ', ')} FROM ${scope.from()} WHERE ${where}`,
    several: codes !== undefined && !codes.single,
  }
}

function triesIn(plan: FunnelPlan): Fragment {
  switch (plan.order) {
    case 'ordered':
      return orderedTries(plan)
    case 'strict':
      return strictTries(plan)
    case 'unordered':
      return unorderedTries(plan)
  }
}

const withoutExcluded = (plan: FunnelPlan, tries: Fragment): Fragment =>
  plan.exclusions.length === 0 ? tries : sql`arrayFilter(each -> NOT (${isExcluded(plan, sql`each`)}), ${tries})`
