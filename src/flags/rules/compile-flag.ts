/** A stored flag, ready to be evaluated. A definition that cannot be read disables its flag and nothing else. */
import { parsedBy } from '../../contract/parsed-by.ts'
import {
  type FlagCondition,
  type FlagFilter,
  type FlagFilters,
  flagFiltersSchema,
} from '../../contract/resources/feature-flags.ts'
import { isObject, type Json, numberFrom } from '../../lib/json.ts'
import { compileMatcher } from '../operators/matcher.ts'
import type { CompiledCondition, CompiledFilter, CompiledFlag } from './definition.ts'
import { flagHash } from './hash.ts'
import type { StoredFlag } from './stored.ts'

class Unreadable extends Error {
  override name = 'Unreadable'
}

export function compileFlag(stored: StoredFlag, timezone: string): CompiledFlag {
  const parsed = parsedBy(flagFiltersSchema, stored.filters)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return emptyFlag(stored, `filters.${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not understood'}`)
  }
  try {
    return compiled(stored, parsed.data, timezone)
  } catch (error) {
    if (error instanceof Unreadable) return emptyFlag(stored, error.message)
    throw error
  }
}

function emptyFlag(stored: StoredFlag, broken: string): CompiledFlag {
  return {
    stored,
    conditions: [],
    variants: [],
    payloads: {},
    enrollment: null,
    superConditions: [],
    holdout: null,
    groupTypeIndex: null,
    earlyExit: false,
    byDevice: false,
    contexts: stored.evaluation_contexts,
    asksFor: [],
    broken,
    byIdAlone: true,
    hash: flagHash(stored.key),
    decisions: new Map(),
  }
}

function compiled(stored: StoredFlag, filters: FlagFilters, timezone: string): CompiledFlag {
  const variants = cumulative(filters)
  const names = new Set(variants.map(({ key }) => key))
  const condition = (given: FlagCondition, index: number, path: string) =>
    compileCondition(given, index, filters, names, timezone, `${path}.${index}`)
  const conditions = (filters.groups ?? []).map((given, index) => condition(given, index, 'filters.groups'))
  const superConditions = (filters.super_groups ?? []).map((given, index) =>
    condition(given, index, 'filters.super_groups'),
  )
  return {
    stored,
    conditions,
    variants,
    payloads: isObject(filters.payloads) ? filters.payloads : {},
    enrollment: filters.feature_enrollment ? 'property' : superConditions.length > 0 ? 'super_groups' : null,
    superConditions,
    holdout: holdoutOf(filters),
    groupTypeIndex: filters.aggregation_group_type_index ?? null,
    earlyExit: filters.early_exit === true,
    byDevice: stored.bucketing_identifier === 'device_id',
    contexts: stored.evaluation_contexts,
    asksFor: [...conditions, ...superConditions].flatMap(({ filters: all }) =>
      all.flatMap((filter) => (filter.kind === 'flag' ? [filter.flag] : [])),
    ),
    broken: null,
    byIdAlone:
      !stored.ensure_experience_continuity &&
      stored.bucketing_identifier !== 'device_id' &&
      filters.feature_enrollment !== true &&
      (filters.aggregation_group_type_index ?? null) === null &&
      [...conditions, ...superConditions].every((each) => each.filters.length === 0 && each.groupTypeIndex === null),
    hash: flagHash(stored.key),
    decisions: new Map(),
  }
}

function cumulative({ multivariate }: FlagFilters): { key: string; upTo: number }[] {
  let upTo = 0
  return (multivariate?.variants ?? []).map(({ key, rollout_percentage }) => {
    upTo += rollout_percentage / 100
    return { key, upTo }
  })
}

function holdoutOf({ holdout, holdout_groups }: FlagFilters): CompiledFlag['holdout'] {
  if (holdout) return { id: `holdout-${holdout.id}`, share: holdout.exclusion_percentage / 100 }
  const older = holdout_groups?.find(({ variant }) => variant?.startsWith('holdout-'))
  return older?.variant ? { id: older.variant, share: (older.rollout_percentage ?? 100) / 100 } : null
}

function compileCondition(
  given: FlagCondition,
  index: number,
  flag: FlagFilters,
  variants: ReadonlySet<string>,
  timezone: string,
  path: string,
): CompiledCondition {
  const filters = (given.properties ?? []).map((filter, at) =>
    compileFilter(filter, timezone, `${path}.properties.${at}`),
  )
  const own = given.aggregation_group_type_index
  return {
    index,
    filters: [...filters.filter(({ kind }) => kind !== 'cohort'), ...filters.filter(({ kind }) => kind === 'cohort')],
    rollout: given.rollout_percentage ?? 100,
    variant: given.variant && variants.has(given.variant) ? given.variant : null,
    groupTypeIndex: own === undefined ? (flag.aggregation_group_type_index ?? null) : own,
  }
}

function compileFilter(filter: FlagFilter, timezone: string, path: string): CompiledFilter {
  const { key } = filter
  switch (filter.type ?? 'person') {
    case 'cohort': {
      const cohortId = numberFrom(filter.value)
      if (!Number.isInteger(cohortId) || typeof filter.value === 'boolean')
        throw new Unreadable(`${path}.value: must be the id of a cohort`)
      const negated = (filter.operator === 'not_in') !== (filter.negation === true)
      return { kind: 'cohort', filter, cohortId, negated }
    }
    case 'flag': {
      const expected = expectedOf(filter.value)
      if (expected === undefined) throw new Unreadable(`${path}.value: must be true, false or the key of a variant`)
      return { kind: 'flag', filter, flag: key, expected }
    }
    case 'group':
      return {
        kind: 'group',
        filter,
        key,
        matches: negatable(filter, timezone),
        groupTypeIndex: filter.group_type_index ?? null,
      }
    case 'person_metadata':
      return { kind: 'person_metadata', filter, key, matches: negatable(filter, timezone) }
    case 'person':
      return { kind: 'person', filter, key, matches: negatable(filter, timezone) }
  }
}

const expectedOf = (value: Json | undefined): boolean | string | undefined =>
  typeof value === 'boolean' || typeof value === 'string' ? value : undefined

function negatable(filter: FlagFilter, timezone: string): ReturnType<typeof compileMatcher> {
  const matches = compileMatcher(filter, timezone)
  return filter.negation === true ? (given, now, left) => !matches(given, now, left) : matches
}
