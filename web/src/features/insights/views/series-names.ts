import { breakdownName, countryName, eventName, partName, propertyName } from '../../../lib/names.ts'
import { colourIndexes } from '../../../lib/series-colours.ts'
import type { NamedSeries } from './types.ts'

/** What is counted, where it is not simply how often. */
const COUNTED: Readonly<Record<string, string>> = {
  dau: 'people',
  weekly_active: 'people in a week',
  monthly_active: 'people in a month',
  unique_session: 'sessions',
  unique_group: 'groups',
  first_time_for_user: 'first time',
  avg_count_per_actor: 'per person',
  sum: 'sum of',
  avg: 'average of',
  min: 'minimum of',
  max: 'maximum of',
  median: 'median of',
  p90: '90th percentile of',
  p95: '95th percentile of',
  p99: '99th percentile of',
}

export function countedAs(math: string | null | undefined, property?: string | null): string {
  const words = COUNTED[math ?? '']
  if (!words) return ''
  return property ? ` (${words} ${propertyName(property)})` : ` (${words})`
}

/** The same, in the previous period. */
export const before = (name: string): string => `${name} (previous)`

/** The event, or the name somebody gave the series: what its colour comes from. */
const baseOf = ({ action, label }: NamedSeries): string => action?.custom_name || (action ? actionName(action) : label)

const actionName = ({ id, name }: NonNullable<NamedSeries['action']>): string =>
  typeof id === 'number' ? (name ?? `Action ${id}`) : id ? eventName(id) : 'Any event'

/** Countries have names; everything else is called what it was sent as. */
function valueName({ breakdown_value, breakdown_name, filter }: NamedSeries): string {
  if (breakdown_name !== undefined) return partName({ breakdown_value, breakdown_name })
  const by = filter?.breakdowns?.map(({ property }) => property) ?? [filter?.breakdown]
  const values: readonly unknown[] = Array.isArray(breakdown_value) ? breakdown_value : [breakdown_value]
  const names = values.map((value, index) => {
    const name = breakdownName(value)
    return typeof value === 'string' && /country_code$/.test(String(by[index])) ? countryName(name) : name
  })
  // All other values together have one name, not one for each property.
  return names.every((name) => name === 'Other') ? 'Other' : names.join(' · ')
}

/** The names of the series of one chart; where one event is broken down, its values say it all. */
export function namesOf(series: readonly NamedSeries[]): string[] {
  const several = new Set(series.map(({ action }) => action?.order ?? 0)).size > 1
  return series.map((one) => nameOf(one, several))
}

export function nameOf(series: NamedSeries, several = false): string {
  const { action, breakdown_value, compare_label } = series
  const base = `${baseOf(series)}${action?.custom_name ? '' : countedAs(action?.math, action?.math_property)}`
  const name = breakdown_value === undefined ? base : several ? `${base} · ${valueName(series)}` : valueName(series)
  return compare_label === 'previous' ? before(name) : name
}

interface Compared {
  compare_label?: 'current' | 'previous'
}

export const isBefore = ({ compare_label }: Compared): boolean => compare_label === 'previous'

export function coloursOf(series: readonly NamedSeries[]): number[] {
  const broken = series.some(({ breakdown_value }) => breakdown_value !== undefined)
  return pairedColours(series, (current) => (broken ? namesOf(current) : current.map(baseOf)))
}

/** By the names of the current period; the previous period has the same colours. */
export function pairedColours<T extends Compared>(
  series: readonly T[],
  names: (current: readonly T[]) => string[],
): number[] {
  const current = series.filter((one) => !isBefore(one))
  const earlier = series.filter(isBefore)
  const colours = colourIndexes(names(current))
  return series.map((one) => colours[isBefore(one) ? earlier.indexOf(one) : current.indexOf(one)] ?? 0)
}

export const totalOf = (series: NamedSeries): number => series.aggregated_value ?? series.count
