/** Property filters over a table that is not events: groups, persons and sessions by what they hold themselves. */
import type { PropertyFilter, PropertyGroup } from '../../contract/queries/index.ts'
import { and, type Fragment, or, sql } from '../../engines/clickhouse-sql.ts'
import { type OperatorContext, satisfies } from '../sql/operators.ts'
import { sqlError } from './error.ts'
import type { Source } from './scope.ts'

export function rowsSatisfy(source: Source, group: PropertyGroup, context: OperatorContext): Fragment {
  const parts = group.values.map((each) =>
    each.kind === 'group' ? rowsSatisfy(source, each, context) : rowSatisfies(source, each, context),
  )
  return group.type === 'AND' ? and(parts) : or(parts)
}

function rowSatisfies(source: Source, filter: PropertyFilter, context: OperatorContext): Fragment {
  const { type, key } = filter
  const isOfRow = type !== 'cohort' && type !== 'element' && type !== 'hogql'
  const field = isOfRow ? source.field(type === 'session' ? [key] : ['properties', key]) : undefined
  if (field === undefined)
    throw sqlError(`${source.name ?? 'This table'} cannot be filtered by "${key}" of type "${type}".`)
  return satisfies(sql`toNullable(toString(${field.text?.() ?? field.value}))`, filter, context)
}
