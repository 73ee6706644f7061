import type { Option } from '../../../ui/controls.tsx'

/** What is counted, in words. Those over a property need one. */
export const MATHS: readonly (Option & { needsProperty?: boolean })[] = [
  { value: 'total', label: 'Total count' },
  { value: 'dau', label: 'Unique people' },
  { value: 'weekly_active', label: 'Weekly active people' },
  { value: 'monthly_active', label: 'Monthly active people' },
  { value: 'unique_session', label: 'Unique sessions' },
  { value: 'first_time_for_user', label: 'First time ever' },
  { value: 'avg_count_per_actor', label: 'Average per person' },
  { value: 'sum', label: 'Sum of a property', needsProperty: true },
  { value: 'avg', label: 'Average of a property', needsProperty: true },
  { value: 'min', label: 'Smallest value', needsProperty: true },
  { value: 'max', label: 'Largest value', needsProperty: true },
  { value: 'median', label: 'Median of a property', needsProperty: true },
  { value: 'p90', label: '90th percentile', needsProperty: true },
  { value: 'p95', label: '95th percentile', needsProperty: true },
  { value: 'p99', label: '99th percentile', needsProperty: true },
]

export const needsProperty = (math: string | undefined): boolean =>
  MATHS.find(({ value }) => value === math)?.needsProperty === true
