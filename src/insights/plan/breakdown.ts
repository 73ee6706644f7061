/** What a question is broken down by. */

import type { BreakdownFilter, BreakdownType } from '../../contract/queries/index.ts'
import { InvalidQuery } from '../../lib/invalid-input.ts'
import type { PropertyRef } from '../sql/event-scope.ts'

export const NULL_LABEL = '$$_posthog_breakdown_null_$$'
export const OTHER_LABEL = '$$_posthog_breakdown_other_$$'
export const DEFAULT_BREAKDOWN_LIMIT = 25
/** A map shows every country. */
const WORLD_MAP_LIMIT = 300
const MAX_LIMIT = 1000

export interface BreakdownPart {
  readonly ref: PropertyRef
  readonly normalizeUrl: boolean
  readonly binCount?: number
  /** Half-open ranges of numbers, once their edges are known: label i covers edge i to edge i+1. */
  readonly bins?: { readonly edges: readonly number[]; readonly labels: readonly string[] }
}

export interface BreakdownPlan {
  readonly parts: readonly BreakdownPart[]
  /** Values are answered as lists even when there is one. */
  readonly multiple: boolean
  /** No limit at all when absent. */
  readonly limit?: number
  /** The first values to leave out: the page after the first has no "other". */
  readonly offset: number
  readonly hideOther: boolean
  /** What values are called that are only numbers: cohorts. */
  readonly names?: ReadonlyMap<string, string>
}

/** Values as people read them. */
export const namesOf = (breakdown: BreakdownPlan | undefined, labels: readonly string[]): string[] =>
  labels.map((label) => breakdown?.names?.get(label) ?? label)

export function planBreakdown(
  filter: BreakdownFilter | undefined,
  options: { readonly worldMap?: boolean; readonly unlimited?: boolean; readonly binCount?: number | undefined } = {},
): BreakdownPlan | undefined {
  if (filter === undefined) return undefined
  const parts = filter.breakdowns?.length ? severalParts(filter) : singleParts(filter, options.binCount)
  if (parts.length === 0) return undefined
  const limit = Math.min(
    filter.breakdown_limit ?? (options.worldMap ? WORLD_MAP_LIMIT : DEFAULT_BREAKDOWN_LIMIT),
    MAX_LIMIT,
  )
  return {
    parts,
    multiple: Boolean(filter.breakdowns?.length) || parts.length > 1,
    ...(options.unlimited ? {} : { limit }),
    offset: filter.breakdown_offset ?? 0,
    hideOther: filter.breakdown_hide_other_aggregation,
  }
}

const severalParts = (filter: BreakdownFilter): BreakdownPart[] =>
  (filter.breakdowns ?? []).map(({ property, type, normalize_url, group_type_index, histogram_bin_count }) => ({
    ref: refOf(String(property), type, group_type_index ?? filter.breakdown_group_type_index),
    normalizeUrl: normalize_url || filter.breakdown_normalize_url,
    ...(histogram_bin_count !== undefined && { binCount: histogram_bin_count }),
  }))

function singleParts(filter: BreakdownFilter, fallbackBins: number | undefined): BreakdownPart[] {
  const names =
    filter.breakdown === undefined ? [] : Array.isArray(filter.breakdown) ? filter.breakdown : [filter.breakdown]
  const binCount = filter.breakdown_histogram_bin_count ?? fallbackBins
  return names.map((name) => ({
    ref: refOf(String(name), filter.breakdown_type, filter.breakdown_group_type_index),
    normalizeUrl: filter.breakdown_normalize_url,
    ...(binCount !== undefined && { binCount }),
  }))
}

function refOf(key: string, type: BreakdownType | undefined, groupIndex: number | undefined): PropertyRef {
  switch (type) {
    case 'cohort':
      throw new InvalidQuery('This cannot be broken down by cohorts.', ['breakdownFilter', 'breakdown_type'])
    case 'group':
      if (groupIndex === undefined) {
        throw new InvalidQuery(
          'A breakdown by a group property says which group type it means.',
          ['breakdownFilter', 'breakdown_group_type_index'],
          'required',
        )
      }
      return { type: 'group', key, group_type_index: groupIndex }
    default:
      return { type: type ?? 'event', key }
  }
}
