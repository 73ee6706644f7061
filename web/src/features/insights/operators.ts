import type { Option } from '../../ui/controls.tsx'

/** How a property is compared, in words. */
export const OPERATORS: readonly Option[] = [
  { value: 'exact', label: 'is' },
  { value: 'is_not', label: 'is not' },
  { value: 'icontains', label: 'contains' },
  { value: 'not_icontains', label: 'does not contain' },
  { value: 'regex', label: 'matches regex' },
  { value: 'not_regex', label: 'does not match regex' },
  { value: 'gt', label: 'greater than' },
  { value: 'gte', label: 'at least' },
  { value: 'lt', label: 'less than' },
  { value: 'lte', label: 'at most' },
  { value: 'is_set', label: 'is set' },
  { value: 'is_not_set', label: 'is not set' },
  { value: 'is_date_before', label: 'before' },
  { value: 'is_date_after', label: 'after' },
]

export const operatorLabel = (operator: string): string =>
  OPERATORS.find(({ value }) => value === operator)?.label ?? operator

export const needsNoValue = (operator: string): boolean => operator === 'is_set' || operator === 'is_not_set'
export const takesList = (operator: string): boolean => operator === 'exact' || operator === 'is_not'
