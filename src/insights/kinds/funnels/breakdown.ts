/**
 * The breakdown values of a funnel: the most frequent ones among the events of its steps, which are numbered from 1 as
 * they come; all the others together have the number after the last. 0 is no breakdown at all.
 */
import { and, type Fragment, ident, join, or, sql, strings, uint } from '../../../engines/clickhouse-sql.ts'
import { type BreakdownPlan, DEFAULT_BREAKDOWN_LIMIT, NULL_LABEL } from '../../plan/breakdown.ts'
import { scopeOf } from '../../plan/plan.ts'
import { breakdownValue } from '../../sql/breakdown.ts'
import type { EventScope } from '../../sql/event-scope.ts'
import { whole } from '../../sql/whole.ts'
import { funnelConditions, stepConditions } from './conditions.ts'
import type { FunnelPlan } from './plan.ts'

export const OTHER = 'Other'

/** By the number of events of any step. */
export function shownValuesStatement(plan: FunnelPlan, breakdown: BreakdownPlan): Fragment {
  const scope = scopeOf(plan)
  const names = breakdown.parts.map((_, index) => ident(`v${index}`))
  const columns = breakdown.parts.map(
    (part, index) => sql`${breakdownValue(scope, part)} AS ${names[index] as Fragment}`,
  )
  const where = and([...funnelConditions(plan, scope), or(stepConditions(plan, scope))])
  return sql`SELECT [${join(names, ', ')}] AS labels, ${keyOf(names)} AS key
FROM (
  SELECT ${join(columns, ', ')}, count() AS events
  FROM ${scope.from()}
  WHERE ${where}
  GROUP BY ${join(names, ', ')}
  ORDER BY events DESC, ${join(
    names.map((name) => sql`${name} DESC`),
    ', ',
  )}
  LIMIT ${uint(breakdown.limit ?? DEFAULT_BREAKDOWN_LIMIT)}
)`
}

/** The number of an event's value. */
export function valueId(plan: FunnelPlan, scope: EventScope): Fragment {
  const { parts } = plan.breakdown as BreakdownPlan
  const key = keyOf(parts.map((part) => breakdownValue(scope, part)))
  const { values } = plan
  if (values.length === 0) return sql`toUInt16(1)`
  return sql`toUInt16(transform(${key}, ${strings(values.map((value) => value.key))}, range(1, ${whole(values.length + 1)}), ${whole(values.length + 1)}))`
}

const keyOf = (values: readonly Fragment[]): Fragment =>
  values.length === 1 ? sql`assumeNotNull(${values[0] as Fragment})` : sql`toString([${join(values, ', ')}])`

export function labelsOf(
  { values, breakdown }: Pick<FunnelPlan, 'values' | 'breakdown'>,
  id: number,
): readonly string[] {
  if (id === 0) return []
  return values[id - 1]?.labels ?? (breakdown?.parts ?? []).map(() => OTHER)
}

/** All but the others together, where those are not wanted. */
export const isShown = ({ values, breakdown }: Pick<FunnelPlan, 'values' | 'breakdown'>, id: number): boolean =>
  !breakdown?.hideOther || id <= values.length

/** The number under which a value is asked for; undefined when nobody has it. */
export function idOf({ values }: Pick<FunnelPlan, 'values'>, labels: readonly string[]): number | undefined {
  const shown = values.findIndex((value) => JSON.stringify(value.labels) === JSON.stringify(labels))
  if (shown >= 0) return shown + 1
  return labels.every((label) => label === OTHER) ? values.length + 1 : undefined
}

/** The number of the value that is none; 0, which no event has, when it is not among those shown. */
export const nullId = ({ values }: Pick<FunnelPlan, 'values'>): number =>
  values.findIndex(({ labels }) => labels.every((label) => label === NULL_LABEL)) + 1
