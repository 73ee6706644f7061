/** Random flags, cohorts and people, of which some match and some do not. */
import fc from 'fast-check'
import type { ModelFlag, ModelPerson, ModelWorld } from './model.ts'

export const NOW = Date.UTC(2026, 5, 15, 12)
export const GROUP_TYPES = { '0': 'company', '1': 'team' }

const VALUES: Record<string, readonly unknown[]> = {
  plan: ['free', 'Pro', 'enterprise', 'true', null, ''],
  age: [7, 18, 41.5, '41.5', 'old', -1],
  beta: [true, false, 'true', 'False', 1],
  email: ['ada@example.com', 'Bob@Example.org', 'x', ['a', 'b']],
  joined: ['2026-06-10T00:00:00Z', '2026-01-01T10:00:00Z', '2020-02-29T00:00:00Z'],
  version: ['1.2.3', 'v2.0.0', '0.3.1', '1.10.0', 'unknown', '1.2'],
}

const FILTERS: readonly [key: string, operators: readonly string[], values: readonly unknown[]][] = [
  ['plan', ['exact', 'is_not'], ['pro', 'free', ['free', 'PRO'], true, 'false', ['true', 'false'], []]],
  [
    'plan',
    ['icontains', 'not_icontains', 'starts_with', 'not_starts_with', 'ends_with', 'not_ends_with'],
    ['PR', 'e', ''],
  ],
  ['plan', ['icontains_multi', 'not_icontains_multi'], [['fr', 'ent'], ['x']]],
  ['plan', ['is_set', 'is_not_set'], [undefined]],
  ['age', ['gt', 'gte', 'lt', 'lte'], [18, '41.5', 0]],
  [
    'age',
    ['between', 'not_between'],
    [
      [10, 41.5],
      [0, 7],
    ],
  ],
  ['beta', ['exact', 'is_not'], [true, 'true', [true], false]],
  ['email', ['regex', 'not_regex'], ['@example\\.(com|org)$', '^[a-z]+@', '(?:x|y)']],
  ['email', ['exact', 'icontains'], ['ADA@example.com', 'X', '["a","b"]']],
  ['joined', ['is_date_before', 'is_date_after'], ['-30d', '2026-03-01T00:00:00Z']],
  [
    'version',
    ['semver_eq', 'semver_neq', 'semver_gt', 'semver_lt', 'semver_tilde', 'semver_caret'],
    ['1.2.3', '1.0', '0.3.0'],
  ],
  ['version', ['semver_wildcard'], ['1.*', '1.2.*']],
]

const propertyFilter = (extra: Record<string, unknown>) =>
  fc.constantFrom(...FILTERS).chain(([key, operators, values]) =>
    fc
      .record({ operator: fc.constantFrom(...operators), value: fc.constantFrom(...values) })
      .map(({ operator, value }) => ({
        key,
        operator,
        ...(value === undefined ? {} : { value }),
        ...extra,
      })),
  )

const properties = fc
  .record(Object.fromEntries(Object.entries(VALUES).map(([key, values]) => [key, fc.constantFrom(...values)])), {
    requiredKeys: [],
  })
  .map((given) => given as Record<string, unknown>)

const rollout = fc.constantFrom(0, 30, 50, 70, 100, null)

const condition = (about: 'person' | 'group', flags: number) =>
  fc.record(
    {
      properties: fc.array(
        about === 'group'
          ? propertyFilter({ type: 'group', group_type_index: 0 })
          : fc.oneof(
              { weight: 6, arbitrary: propertyFilter({ type: 'person' }) },
              {
                weight: 1,
                arbitrary: fc.record({
                  key: fc.constant('id'),
                  type: fc.constant('cohort'),
                  value: fc.constantFrom(1, 2, 3),
                  operator: fc.constantFrom('in', 'not_in'),
                }),
              },
              {
                weight: 1,
                arbitrary: fc.record({
                  key: fc.integer({ min: 1, max: flags }).map(String),
                  type: fc.constant('flag'),
                  value: fc.constantFrom<unknown>(true, false, 'a'),
                  operator: fc.constant('flag_evaluates_to'),
                }),
              },
            ),
        { maxLength: 2 },
      ),
      rollout_percentage: rollout,
      variant: fc.constantFrom('b', 'gone', null),
    },
    { requiredKeys: ['properties'] },
  )

const VARIANTS = [
  [
    ['a', 50],
    ['b', 50],
  ],
  [
    ['a', 10],
    ['b', 20],
    ['c', 70],
  ],
] as const

const flag = (id: number, flags: number): fc.Arbitrary<ModelFlag> =>
  fc
    .record({
      about: fc.constantFrom<'person' | 'group'>('person', 'person', 'person', 'group'),
      active: fc.constantFrom(true, true, true, true, false),
      continuity: fc.constantFrom(false, false, true),
      byDevice: fc.constantFrom(false, false, false, true),
      variants: fc.constantFrom(null, ...VARIANTS),
      enrollment: fc.constantFrom(false, false, false, true),
      holdout: fc.constantFrom(null, null, null, 0, 40, 100),
      earlyExit: fc.constantFrom(false, false, false, true),
    })
    .chain((shape) =>
      fc.array(condition(shape.about, flags), { maxLength: 3 }).map((groups) => ({
        id,
        key: `flag-${id}`,
        active: shape.active,
        ensure_experience_continuity: shape.continuity,
        bucketing_identifier: shape.byDevice ? 'device_id' : null,
        filters: {
          groups,
          ...(shape.about === 'group' && { aggregation_group_type_index: 0 }),
          multivariate: shape.variants && {
            variants: shape.variants.map(([key, rollout_percentage]) => ({ key, rollout_percentage })),
          },
          payloads: { true: '{"on":true}', a: '"A"' },
          ...(shape.enrollment && { feature_enrollment: true }),
          ...(shape.holdout !== null && { holdout: { id: 9, exclusion_percentage: shape.holdout } }),
          ...(shape.earlyExit && { early_exit: true }),
        },
      })),
    )

const cohorts = fc
  .tuple(
    propertyFilter({ type: 'person' }),
    propertyFilter({ type: 'person', negation: true }),
    fc.constantFrom('AND', 'OR'),
    fc.boolean(),
  )
  .map(([first, second, type, negation]) => [
    { id: 1, is_static: true, filters: {} },
    { id: 2, is_static: false, filters: { properties: { type, values: [{ type: 'AND', values: [first, second] }] } } },
    {
      id: 3,
      is_static: false,
      filters: {
        properties: {
          type: 'AND',
          values: [{ type: 'OR', values: [first, { key: 'id', type: 'cohort', value: 2, negation }] }],
        },
      },
    },
  ])

const COUNT = 4
export const world: fc.Arbitrary<ModelWorld> = fc
  .tuple(cohorts, ...Array.from({ length: COUNT }, (_, n) => flag(n + 1, COUNT + 1)))
  .map(([known, ...flags]) => ({ cohorts: known, flags, groupTypes: GROUP_TYPES }))

export const person: fc.Arbitrary<ModelPerson> = fc.record({
  distinctId: fc.integer({ min: 0, max: 40 }).map((n) => `user-${n}`),
  anonId: fc.constantFrom(undefined, 'anon-1', 'anon-ü'),
  deviceId: fc.constantFrom(undefined, 'device-1', 'device-2'),
  sent: properties,
  stored: fc
    .tuple(
      properties,
      fc.constantFrom({}, { '$feature_enrollment/flag-1': true }, { '$feature_enrollment/flag-2': 'false' }),
    )
    .map(([given, enrolled]) => ({ ...given, ...enrolled })),
  groups: fc.constantFrom<Record<string, string>>({}, { company: 'acme' }, { company: '' }, { team: 'x' }),
  groupProperties: properties.map((company) => ({ company })),
  hashKeys: fc.constantFrom<Record<string, string>>({}, { 'flag-1': 'kept', 'flag-2': 'kept' }),
  staticCohorts: fc.constantFrom<readonly number[]>([], [1]),
  now: fc.constant(NOW),
})
