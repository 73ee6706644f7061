/**
 * Filters on the clicked element and those around it. The chain of an event reads, innermost first,
 *   button.primary:attr__id="buy"href="/pay"nth-child="1"text="Buy";div:...
 */

import type { Operator, PropertyFilter } from '../../contract/queries/index.ts'
import { type Fragment, sql, str } from '../../engines/clickhouse-sql.ts'
import { InvalidQuery } from '../../lib/invalid-input.ts'
import { type OperatorContext, satisfies } from './operators.ts'
import { selectorPattern } from './selector.ts'

/** Each negative operator is "no element of the chain does". */
const POSITIVE: Partial<Record<Operator, Operator>> = {
  is_not: 'exact',
  not_in: 'in',
  not_icontains: 'icontains',
  not_icontains_multi: 'icontains_multi',
  not_regex: 'regex',
  not_starts_with: 'starts_with',
  not_ends_with: 'ends_with',
  not_between: 'between',
}

export function matchesElement(filter: PropertyFilter, context: OperatorContext): Fragment {
  if (filter.operator === 'is_set') return sql`notEmpty(${valuesInChain(filter.key)})`
  if (filter.operator === 'is_not_set') return sql`empty(${valuesInChain(filter.key)})`
  const positive = POSITIVE[filter.operator]
  const found = anyInChain({ ...filter, operator: positive ?? filter.operator }, context)
  return positive === undefined ? found : sql`NOT (${found})`
}

function anyInChain(filter: PropertyFilter, context: OperatorContext): Fragment {
  if (filter.key === 'selector') {
    const patterns = filter.values.map((value) => sql`match(e.elements_chain, ${str(selectorPattern(value))})`)
    return patterns.reduce((either, pattern) => sql`${either} OR ${pattern}`, sql`0`)
  }
  return sql`arrayExists(v -> ${satisfies(sql`toNullable(v)`, filter, context)}, ${valuesInChain(filter.key)})`
}

function valuesInChain(key: string): Fragment {
  switch (key) {
    case 'tag_name':
      return sql`extractAll(e.elements_chain, '(?:^|;)([a-zA-Z][a-zA-Z0-9-]*)')`
    case 'text':
      return sql`extractAll(e.elements_chain, '[:"]text="((?:[^"\\\\\\\\]|\\\\\\\\.)*)"')`
    case 'href':
      return sql`extractAll(e.elements_chain, '[:"]href="((?:[^"\\\\\\\\]|\\\\\\\\.)*)"')`
    case 'selector':
      return sql`if(empty(e.elements_chain), [], [e.elements_chain])`
    default:
      throw new InvalidQuery('Elements are filtered by tag_name, text, href or selector.', ['properties'])
  }
}
