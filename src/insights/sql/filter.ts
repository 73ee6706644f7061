/** Property filters, nested as they come, as one condition over an event. */

import type { PropertyFilter, PropertyGroup } from '../../contract/queries/index.ts'
import { and, type Fragment, or, sql } from '../../engines/clickhouse-sql.ts'
import { InvalidQuery } from '../../lib/invalid-input.ts'
import { matchesElement } from './elements.ts'
import type { EventScope, PropertyRef } from './event-scope.ts'
import { type OperatorContext, satisfies } from './operators.ts'

/** The conditions of an AND; none when nothing is filtered. */
export function conditionsOf(scope: EventScope, group: PropertyGroup, context: OperatorContext): Fragment[] {
  return group.values.length === 0 ? [] : [groupCondition(scope, group, context)]
}

function groupCondition(scope: EventScope, group: PropertyGroup, context: OperatorContext): Fragment {
  const parts = group.values.map((value) =>
    value.kind === 'group' ? groupCondition(scope, value, context) : itemCondition(scope, value, context),
  )
  return group.type === 'AND' ? and(parts) : or(parts)
}

function itemCondition(scope: EventScope, filter: PropertyFilter, context: OperatorContext): Fragment {
  if (filter.type === 'element') return matchesElement(filter, context)
  if (filter.type === 'cohort') return inCohort(scope, filter)
  if (filter.type === 'hogql') return sql`ifNull(${scope.expression(filter.key, ['properties'])}, 0)`
  return satisfies(scope.property(propertyRef(filter)), filter, context)
}

function inCohort(scope: EventScope, { operator, values }: PropertyFilter): Fragment {
  const isIn = or(values.map((cohort) => scope.isInCohort(cohort, ['properties'])))
  return operator === 'not_in' || operator === 'is_not' ? sql`NOT (${isIn})` : isIn
}

function propertyRef(property: Pick<PropertyFilter, 'type' | 'key' | 'group_type_index'>): PropertyRef {
  const { type, key, group_type_index } = property
  switch (type) {
    case 'feature':
      return { type: 'event', key: key.startsWith('$feature/') ? key : `$feature/${key}` }
    case 'cohort':
    case 'hogql':
    case 'element':
      throw new InvalidQuery(`Properties of type "${type}" are not supported here.`, ['properties'])
    default:
      return { type, key, ...(group_type_index === undefined ? {} : { group_type_index }) }
  }
}
