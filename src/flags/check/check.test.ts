import { describe, expect, it } from 'vitest'
import { InvalidInput } from '../../lib/invalid-input.ts'
import type { Json } from '../../lib/json.ts'
import { checkFilters } from './filters.ts'
import { checkMayEnd, checkNamed, type KnownFlag } from './named.ts'
import { READABLE } from './readable.ts'
import { rolloutOf, simpleRollout, statusOf } from './rollout.ts'
import { fieldsOfScheduled, nextOccurrence } from './scheduled.ts'
import { nextState, startState } from './state.ts'

function refusal(act: () => unknown): { words: string; place: string } | null {
  try {
    act()
    return null
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return { words: error.message, place: error.path.join('.') }
  }
}

const check = (filters: Json, options: { mayBeEmpty?: boolean; groupTypes?: number[] } = {}) =>
  refusal(() => checkFilters(filters, { ...READABLE, mayBeEmpty: false, groupTypes: [0], ...options }))
const condition = (...properties: Json[]): Json => ({ groups: [{ properties, rollout_percentage: 50 }] })
const filter = (operator: Json, value: Json, more: Record<string, Json> = {}): Json => ({
  key: 'plan',
  type: 'person',
  operator,
  value,
  ...more,
})
const variants = (...percentages: number[]): Json => ({
  groups: [{}],
  multivariate: { variants: percentages.map((rollout_percentage, at) => ({ key: `v${at}`, rollout_percentage })) },
})

describe('the filters of a flag', () => {
  it('may be anything that can be evaluated', () => {
    const fine: Json[] = [
      condition(),
      condition(filter('exact', ['pro', 1, true]), filter('is_set', null), filter('gt', 5), filter('lte', '5.5')),
      condition(filter('regex', '^a(?=b)'), filter('between', [1, '2']), filter('icontains_multi', ['a', 'b'])),
      condition(
        filter('is_date_before', '-7d'),
        filter('is_date_exact', '2024-05-31'),
        filter('semver_wildcard', '1.*'),
      ),
      condition(filter('semver_caret', 'v1.2'), { key: 'id', type: 'cohort', value: 3 }, { key: 'plan', value: 'x' }),
      condition({ key: '7', type: 'flag', operator: 'flag_evaluates_to', value: 'blue' }),
      variants(33.33, 33.33, 33.34),
      { ...(variants(50, 50) as object), payloads: { v0: '{"a":1}', v1: null } },
      { groups: [{ variant: null, rollout_percentage: null }], payloads: { true: '"text"' } },
      {
        groups: [{ properties: [filter('exact', 'a', { type: 'group', group_type_index: 0 })] }],
        aggregation_group_type_index: 0,
      },
    ]
    for (const filters of fine) expect(check(filters), JSON.stringify(filters)).toBeNull()
    expect(check({ groups: [] }, { mayBeEmpty: true })).toBeNull()
  })

  it('are refused at the place where they cannot', () => {
    const at = (filters: Json) => check(filters)?.place
    expect(at([])).toBe('filters')
    expect(at({ groups: [] })).toBe('filters.groups')
    expect(at({ groups: [{}], version: 1 })).toBe('filters.version')
    expect(at({ groups: [{ rollout_percentage: 101 }] })).toBe('filters.groups.0.rollout_percentage')
    expect(at({ groups: [{}, { rollout_percentage: '50' }] })).toBe('filters.groups.1.rollout_percentage')
    expect(at({ groups: [{ variant: 'blue' }] })).toBe('filters.groups.0.variant')
    expect(at(variants(50, 49))).toBe('filters.multivariate.variants')
    expect(at(variants(50, -50))).toBe('filters.multivariate.variants.1.rollout_percentage')
    expect(at({ groups: [{}], multivariate: { variants: [{ key: 'a' }] } })).toBe(
      'filters.multivariate.variants.0.rollout_percentage',
    )
    const twice = [50, 50].map((rollout_percentage) => ({ key: 'a', rollout_percentage }))
    expect(at({ groups: [{}], multivariate: { variants: twice } })).toBe('filters.multivariate.variants.1.key')
    expect(at({ groups: [{}], payloads: { true: '{a}' } })).toBe('filters.payloads.true')
    expect(at({ groups: [{}], payloads: { blue: '1' } })).toBe('filters.payloads.blue')
    expect(at({ ...(variants(100) as object), payloads: { true: '1' } })).toBe('filters.payloads.true')
    expect(at({ groups: [{}], aggregation_group_type_index: 3 })).toBe('filters.aggregation_group_type_index')
    expect(at({ groups: [{}], holdout: { id: 1, exclusion_percentage: 200 } })).toBe(
      'filters.holdout.exclusion_percentage',
    )
  })

  it('are refused for operators that are not known and values of the wrong type', () => {
    const at = (...properties: Json[]) =>
      check(condition(...properties))?.place.replace('filters.groups.0.properties.', '')
    expect(at(filter('is_like', 'a'))).toBe('0.operator')
    expect(at(filter('in', 'a'))).toBe('0.operator')
    expect(at(filter('exact', 'a'), filter('exact', null))).toBe('1.value')
    expect(at(filter('exact', { a: 1 }))).toBe('0.value')
    expect(at(filter('exact', []))).toBe('0.value')
    expect(at(filter('icontains', ['a']))).toBe('0.value')
    expect(at(filter('icontains_multi', 'a'))).toBe('0.value')
    expect(at(filter('gt', 'many'))).toBe('0.value')
    expect(at(filter('gt', [1]))).toBe('0.value')
    expect(at(filter('between', [2, 1]))).toBe('0.value')
    expect(at(filter('between', [1]))).toBe('0.value')
    expect(at(filter('regex', '(a'))).toBe('0.value')
    expect(at(filter('not_regex', '['))).toBe('0.value')
    expect(at(filter('is_date_after', 'soon'))).toBe('0.value')
    expect(at(filter('semver_gt', 'first'))).toBe('0.value')
    expect(at(filter('exact', 'a', { type: 'event' }))).toBe('0.type')
    expect(at(filter('exact', 'a', { type: 'person_metadata' }))).toBe('0.type')
    expect(at(filter('exact', 'a', { type: 'group', group_type_index: 0 }))).toBe('0.type')
    expect(at({ key: 'id', type: 'cohort', value: 'people' })).toBe('0.value')
    expect(at({ key: '7', type: 'flag', operator: 'exact', value: true })).toBe('0.operator')
    expect(at({ key: 'other', type: 'flag', operator: 'flag_evaluates_to', value: true })).toBe('0.key')
    expect(at({ key: '7', type: 'flag', operator: 'flag_evaluates_to', value: 5 })).toBe('0.value')
    expect(check(condition(filter('is_like', 'a')))?.words).toMatch(/"is_like" is not known\. Send one of exact/)
    expect(check(condition(filter('regex', '(a')))?.words).toMatch(/"plan" regex: "\(a" is not a regular expression/)
  })
})

describe('what flags name of each other', () => {
  const dependingOn = (...ids: number[]): Json => ({
    groups: [
      { properties: ids.map((id) => ({ key: String(id), type: 'flag', operator: 'flag_evaluates_to', value: true })) },
    ],
  })
  const flag = (id: number, filters: Json, active = true): KnownFlag => ({ id, key: `flag-${id}`, active, filters })
  const named = (filters: Json, id: number | null, flags: KnownFlag[], cohorts: number[] = []) =>
    refusal(() => checkNamed(filters, { id, active: true }, { flags, cohorts: new Set(cohorts) }))

  it('must be there, and be on', () => {
    expect(named(dependingOn(2), 1, [flag(2, {})])).toBeNull()
    expect(named(dependingOn(9), 1, [flag(2, {})])?.words).toBe('There is no flag 9 in this project.')
    expect(named(dependingOn(2), 1, [flag(2, {}, false)])?.words).toMatch(/"flag-2" is disabled/)
    expect(named({ groups: [{ properties: [{ key: 'id', type: 'cohort', value: 4 }] }] }, 1, [])?.place).toBe(
      'filters.groups.0.properties.0.value',
    )
  })

  it('may not lead in a circle, whatever its length', () => {
    expect(named(dependingOn(1), 1, [flag(1, {})])?.words).toBe('A flag cannot depend on itself.')
    const chain = [flag(2, dependingOn(3)), flag(3, dependingOn(4)), flag(4, dependingOn(1)), flag(1, {})]
    expect(named(dependingOn(2), 1, chain)?.words).toContain('this flag -> flag-2 -> flag-3 -> flag-4 -> this flag')
    expect(named(dependingOn(2), 5, chain)).toBeNull()
  })

  it('keep a flag from being turned off', () => {
    const flags = [flag(1, {}), flag(2, dependingOn(1)), flag(3, dependingOn(1), false)]
    const end = (id: number) => refusal(() => checkMayEnd(flag(id, {}), flags, 'disabled', ['active']))
    expect(end(1)?.words).toBe('This flag cannot be disabled while active flags depend on it: "flag-2".')
    expect(end(2)).toBeNull()
  })
})

describe('the state of a flag', () => {
  it('starts with one condition for everybody', () => {
    expect(startState({ key: 'a' }).filters).toEqual({ groups: [{ properties: [], rollout_percentage: null }] })
    expect(startState({ key: 'a', rollout_percentage: 20 }).filters).toEqual({
      groups: [{ properties: [], rollout_percentage: 20 }],
    })
    expect(refusal(() => startState({}))?.place).toBe('key')
    expect(refusal(() => startState({ key: 'a b' }))?.place).toBe('key')
  })

  it('keeps the parts of filters that were not sent, and payloads as texts', () => {
    const before = startState({ key: 'a', filters: variants(50, 50) })
    const after = nextState(before, { filters: { groups: [], payloads: { v0: { a: 1 }, v1: '2' } } })
    expect(after.filters).toEqual({
      groups: [],
      multivariate: (variants(50, 50) as { multivariate: Json }).multivariate,
      payloads: { v0: '{"a":1}', v1: '2' },
    })
    expect(nextState(before, { evaluation_runtime: null, tags: ['a', 'a'] }).tags).toEqual(['a'])
    expect(refusal(() => nextState(before, { filters: { groups: [{ description: 'a\0' }] } }))?.place).toBe('filters')
  })

  it('says how far it is rolled out', () => {
    expect(rolloutOf(condition())).toEqual({
      effectively_full_rollout: false,
      has_targeting_conditions: false,
      max_rollout_percentage: 50,
      is_multivariate: false,
    })
    expect(rolloutOf({ groups: [{}] }).effectively_full_rollout).toBe(true)
    expect(rolloutOf(variants(50, 50)).effectively_full_rollout).toBe(false)
    expect(rolloutOf(variants(100, 0)).effectively_full_rollout).toBe(true)
    expect(rolloutOf({}).max_rollout_percentage).toBeNull()
    expect(simpleRollout(condition())).toEqual({ is_simple_flag: true, percentage: 50 })
    expect(simpleRollout(condition(filter('exact', 'a'))).is_simple_flag).toBe(false)
  })

  it('is stale when nobody has asked for it for a month', () => {
    const now = new Date('2026-05-31T00:00:00Z')
    const ago = (days: number) => new Date(now.getTime() - days * 86_400_000)
    const lived = { active: true, deleted: false, archived: false, filters: condition(), created_at: ago(90) }
    expect(statusOf({ ...lived, last_called_at: ago(3) }, now).status).toBe('ACTIVE')
    expect(statusOf({ ...lived, last_called_at: ago(31) }, now).status).toBe('STALE')
    expect(statusOf({ ...lived, last_called_at: null }, now).status).toBe('ACTIVE')
    expect(statusOf({ ...lived, filters: { groups: [{}] }, last_called_at: null }, now).status).toBe('STALE')
    expect(statusOf({ ...lived, deleted: true, last_called_at: null }, now).status).toBe('DELETED')
  })
})

describe('a scheduled change', () => {
  const before = startState({ key: 'a' })
  it('is what somebody could do by hand', () => {
    expect(fieldsOfScheduled({ operation: 'update_status', value: false }, before)).toEqual({ active: false })
    const more = { groups: [{ rollout_percentage: 5 }] }
    expect(fieldsOfScheduled({ operation: 'add_release_condition', value: more }, before)).toEqual({
      filters: { groups: [{ properties: [], rollout_percentage: null }, { rollout_percentage: 5 }] },
    })
    expect(refusal(() => fieldsOfScheduled({ operation: 'update_status', value: 'off' }, before))?.place).toBe(
      'payload.value',
    )
  })

  it('recurs at its time of the day, and on the last day of shorter months', () => {
    const last = new Date('2026-01-31T08:00:00Z')
    const next = (every: 'daily' | 'weekly' | 'monthly' | 'yearly', after = last) =>
      nextOccurrence(last, every, after).toISOString().slice(0, 16)
    expect(next('daily')).toBe('2026-02-01T08:00')
    expect(next('weekly')).toBe('2026-02-07T08:00')
    expect(next('monthly')).toBe('2026-02-28T08:00')
    expect(next('yearly')).toBe('2027-01-31T08:00')
    expect(next('daily', new Date('2026-03-05T09:00:00Z'))).toBe('2026-03-06T08:00')
    expect(next('monthly', new Date('2026-02-28T08:00:00Z'))).toBe('2026-03-31T08:00')
    expect(next('monthly', new Date('2126-03-31T08:00:00Z'))).toBe('2126-04-30T08:00')
  })
})
