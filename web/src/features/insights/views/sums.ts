import type { Draft } from '../draft.ts'
import { totalOf } from './series-names.ts'
import type { NamedSeries } from './types.ts'

/**
 * How often something happened adds up over the intervals. People who come on two days do not, nor do averages and
 * ratios.
 */
const COUNTED: ReadonlySet<string> = new Set(['total', 'sum', 'first_time_for_user'])
const PEOPLE: ReadonlySet<string> = new Set([
  'dau',
  'weekly_active',
  'monthly_active',
  'unique_session',
  'unique_group',
])
/** A formula that only adds and takes away: A + B - C. */
const PLAIN_SUM = /^[A-Z\s+()-]+$/i

/** Why the intervals of a series cannot be added up; undefined if they can. */
export function whyNoSum({ action, aggregated_value }: NamedSeries, draft: Draft): string | undefined {
  // One number for the whole range, or what it came to at the end.
  if (aggregated_value !== undefined || draft.display === 'cumulative' || draft.kind !== 'trends') return undefined
  const maths = action ? [action.math ?? 'total'] : draft.series.map(({ math = 'total' }) => math)
  if (maths.every((math) => COUNTED.has(math)) && (action !== null || PLAIN_SUM.test(draft.formula ?? '')))
    return undefined
  if (action && PEOPLE.has(action.math ?? ''))
    return 'Mean per interval: a sum would count people active in two intervals twice'
  return 'Mean per interval: ratios and averages cannot be added up'
}

export function meanOf(series: NamedSeries): number {
  const data = series.data ?? []
  return data.length === 0 ? totalOf(series) : data.reduce((sum, value) => sum + value, 0) / data.length
}
