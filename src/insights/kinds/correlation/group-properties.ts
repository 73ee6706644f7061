/**
 * Properties of the groups that whoever tries belongs to, asked for as `$group_0.industry`: of each group that an event
 * of its steps was about, as the group is today. Somebody in several groups has all their values, and the empty one
 * only when no group has any.
 */

import type { PropertyFilter } from '../../../contract/queries/index.ts'
import {
  and,
  type Fragment,
  join,
  or,
  propertyOf,
  propertyPath,
  sql,
  str,
  uint,
} from '../../../engines/clickhouse-sql.ts'
import { groupBy } from '../../../lib/group-by.ts'
import { scopeOf } from '../../plan/plan.ts'
import { type FunnelPlan, funnelActor, funnelConditions, stepConditions } from '../funnels/index.ts'

export interface GroupProperty {
  readonly index: number
  readonly name: string
  /** As it was asked for. */
  readonly asked: string
}

const ASKED = /^\$group_([0-4])\.(.+)$/s

/** Undefined when the name is one of the actor's own properties. */
export function groupPropertyOf(asked: string): GroupProperty | undefined {
  const [, index, name] = ASKED.exec(asked) ?? []
  return index === undefined || name === undefined ? undefined : { index: Number(index), name, asked }
}

/** Both ways to say it in a filter: by the name above, or by type. */
export const groupPropertyIn = ({ key, type, group_type_index: index }: PropertyFilter): GroupProperty | undefined =>
  type === 'group' && index !== undefined ? { index, name: key, asked: `$group_${index}.${key}` } : groupPropertyOf(key)

/** One row an actor with a group that has one of the properties: actor, pairs (of path and value). */
export function groupPairs(funnel: FunnelPlan, wanted: readonly GroupProperty[]): Fragment {
  const ofTypes = [...groupBy(wanted, ({ index }) => index)].map(([index, properties]) =>
    pairsOfType(funnel, index, properties),
  )
  return sql`SELECT actor, groupUniqArrayArray(pairs) AS pairs FROM (${join(ofTypes, ' UNION ALL ')}) GROUP BY actor`
}

function pairsOfType(funnel: FunnelPlan, index: number, properties: readonly GroupProperty[]): Fragment {
  const scope = scopeOf(funnel)
  const actor = funnelActor(funnel, scope)
  const key = scope.group(index)
  const isStep = or(stepConditions(funnel, scope))
  const where = and([...funnelConditions(funnel, scope), isStep, sql`${key} != ''`])
  const pairs = properties.map(
    ({ name, asked }) => sql`(${str(propertyPath(asked))}, ifNull(${propertyOf(sql`props`, name)}, ''))`,
  )
  return sql`SELECT belonging.actor AS actor, arrayFilter(pair -> pair.2 != '', known.pairs) AS pairs
FROM (SELECT DISTINCT ${actor} AS actor, ${key} AS key FROM ${scope.from()} WHERE ${where}) AS belonging
INNER JOIN (
  SELECT group_key, [${join(pairs, ', ')}] AS pairs
  FROM groups FINAL
  WHERE project_id = ${uint(funnel.projectId)} AND group_type_index = ${uint(index)}
) AS known ON known.group_key = belonging.key
WHERE notEmpty(pairs)`
}
