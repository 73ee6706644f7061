import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyJson, anyWord } from '../../../test/support/any-json.ts'
import { type ModelPerson, type ModelWorld, modelAnswer } from '../../../test/support/flags/model.ts'
import { person, world } from '../../../test/support/flags/random-flags.ts'
import type { Json, JsonObject } from '../../lib/json.ts'
import { compileCohort } from './compile-cohort.ts'
import { compileFlag } from './compile-flag.ts'
import { compileProject } from './compile-project.ts'
import { flagValue } from './decision.ts'
import { NOTHING_STORED, type ProjectFlags, type Subject } from './definition.ts'
import { evaluateFlags } from './evaluate.ts'
import { HOLDOUT, rolloutHash, variantHash } from './hash.ts'

function compiled({ flags, cohorts, groupTypes }: ModelWorld): ProjectFlags {
  return compileProject({
    projectId: 1,
    timezone: 'UTC',
    flags: flags.map((flag) => compileFlag(storedFlag(flag), 'UTC')),
    cohorts: new Map(
      cohorts.map((cohort) => [
        cohort.id,
        compileCohort({ ...cohort, filters: cohort.filters as Json, groups: [] }, 'UTC'),
      ]),
    ),
    groupTypes: new Map(Object.entries(groupTypes).map(([index, name]) => [Number(index), name])),
  })
}

const storedFlag = (flag: Partial<ModelWorld['flags'][number]> & { id: number; key: string; filters: unknown }) => ({
  project_id: 1,
  name: '',
  active: true,
  version: 1,
  ensure_experience_continuity: false,
  evaluation_runtime: null,
  bucketing_identifier: null,
  evaluation_contexts: [],
  has_encrypted_payloads: false,
  has_experiment: false,
  ...flag,
  filters: flag.filters as Json,
})

const subjectOf = (given: ModelPerson): Subject => ({
  distinctId: given.distinctId,
  anonDistinctId: given.anonId,
  deviceId: given.deviceId,
  groups: given.groups,
  personProperties: given.sent as JsonObject,
  groupProperties: {},
  stored: {
    person: { uuid: 'u', properties: given.stored as JsonObject, createdAt: 0 },
    groups: new Map([[0, (given.groupProperties.company ?? {}) as JsonObject]]),
    hashKeys: new Map(Object.entries(given.hashKeys)),
    staticCohorts: new Set(given.staticCohorts),
    isIn: () => undefined,
  },
  now: given.now,
})

const SOMEBODY: ModelPerson = {
  distinctId: 'ada',
  sent: {},
  stored: {},
  groups: {},
  groupProperties: {},
  hashKeys: {},
  staticCohorts: [],
  now: 0,
}

const only = (filters: Json | object, given: Partial<ModelPerson> = {}, more: object = {}) => {
  const project = compiled({
    flags: [
      storedFlag({
        id: 1,
        key: 'simple-flag',
        filters: filters as Record<string, unknown>,
        ...more,
      }) as unknown as ModelWorld['flags'][number],
    ],
    cohorts: [],
    groupTypes: {},
  })
  const [decision] = evaluateFlags(project, subjectOf({ ...SOMEBODY, ...given }))
  if (!decision) throw new Error('no decision')
  return decision
}

const FLAG_WORDS =
  `groups properties rollout_percentage variant variants multivariate payloads holdout holdout_groups super_groups key
  type value operator person group cohort flag exact is_not regex gt between is_date_before semver_gt in not_in id negation
  exclusion_percentage aggregation_group_type_index group_type_index bucketing_identifier distinct_id OR AND values`.split(
    /\s+/,
  )
const word = anyWord(...FLAG_WORDS, '1', 'true', '-1d', '1.0.0')
const anything = anyJson(word)
const filter = fc.record(
  {
    key: fc.oneof(word, anything),
    type: fc.oneof(fc.constantFrom('person', 'group', 'cohort', 'flag', 'person_metadata'), anything),
    operator: fc.oneof(word, anything),
    value: anything,
    negation: anything,
    group_type_index: fc.oneof(fc.constantFrom(0, 1), anything),
  },
  { requiredKeys: [] },
)
const listOf = (item: fc.Arbitrary<unknown>) =>
  fc.oneof({ arbitrary: fc.array(item, { maxLength: 3 }), weight: 4 }, anything)
const anyFilters = fc.record(
  {
    groups: listOf(
      fc.record(
        {
          properties: listOf(filter),
          rollout_percentage: anything,
          variant: anything,
          aggregation_group_type_index: anything,
        },
        { requiredKeys: ['properties'] },
      ),
    ),
    multivariate: fc.oneof(
      fc.record({ variants: listOf(fc.record({ key: word, rollout_percentage: anything })) }),
      anything,
    ),
    payloads: anything,
    holdout: anything,
    super_groups: anything,
    aggregation_group_type_index: anything,
  },
  { requiredKeys: ['groups'] },
)

test('whatever is stored as a flag or a cohort, and whatever somebody sends, every flag gets a decision', () => {
  const sent = fc.dictionary(word, anything, { maxKeys: 4 })
  fc.assert(
    fc.property(fc.oneof(anyFilters, anything), anything, sent, sent, (filters, cohort, personProperties, groups) => {
      const project = compileProject({
        projectId: 1,
        timezone: 'UTC',
        flags: [1, 2].map((id) => compileFlag(storedFlag({ id, key: `flag-${id}`, filters: filters as never }), 'UTC')),
        cohorts: new Map([
          [1, compileCohort({ id: 1, is_static: false, filters: cohort, groups: cohort } as never, 'UTC')],
        ]),
        groupTypes: new Map([[0, 'company']]),
      })
      const subject = {
        ...subjectOf(SOMEBODY),
        personProperties,
        groups,
        groupProperties: { company: personProperties },
      }
      expect(evaluateFlags(project, subject)).toHaveLength(2)
    }),
    { numRuns: 500 },
  )
})

test('random flags are decided for random people as the rules say', () => {
  fc.assert(
    fc.property(world, person, (given, somebody) => {
      const decisions = evaluateFlags(compiled(given), subjectOf(somebody))
      for (const [at, flag] of given.flags.entries()) {
        const decision = decisions[at]
        const expected = modelAnswer(given, flag, somebody)
        expect({ key: flag.key, value: decision && flagValue(decision), code: decision?.reason.code }).toEqual({
          key: flag.key,
          ...expected,
        })
      }
    }),
    { numRuns: 2000 },
  )
})

test('explaining a decision does not change it', () => {
  fc.assert(
    fc.property(world, person, (given, somebody) => {
      const project = compiled(given)
      const plain = evaluateFlags(project, subjectOf(somebody))
      const explained = evaluateFlags(project, subjectOf(somebody), project.flags, { explain: true })
      expect(explained.map(({ conditions, ...decision }) => decision)).toEqual(plain)
      for (const { conditions = [], reason } of explained)
        if (reason.code === 'condition_match') expect(conditions[reason.conditionIndex ?? -1]?.matched).toBe(true)
    }),
    { numRuns: 300 },
  )
})

test('hashes are those of the SDKs', () => {
  expect(rolloutHash('simple-flag', 'distinct_id_0')).toBeCloseTo(0.78369637642204315, 15)
  expect(rolloutHash('simple-flag', 'distinct_id_1')).toBeCloseTo(0.33970699269954008, 15)
  expect(variantHash('simple-flag', 'distinct_id_2')).toBeCloseTo(0.7657377960463857, 15)
  expect(HOLDOUT.rollout('distinct_id_0')).toBeCloseTo(0.6560969302723004, 15)
  const on = Array.from({ length: 20 }, (_, n) => (rolloutHash('simple-flag', `distinct_id_${n}`) <= 0.45 ? 'T' : 'F'))
  expect(on.join('')).toBe('FTTFTFFTFTFTTFTFFFTT')
})

test('keys and ids of any length and alphabet are hashed as SHA-1 has it', async () => {
  const { createHash } = await import('node:crypto')
  const text = fc.oneof(
    fc.string({ unit: 'binary-ascii', maxLength: 60 }),
    fc.string({ unit: 'grapheme', maxLength: 3000 }),
  )
  fc.assert(
    fc.property(text, text, (key, id) => {
      for (const [salt, hash] of [['', rolloutHash] as const, ['variant', variantHash] as const]) {
        const hex = createHash('sha1').update(`${key}.${id}${salt}`).digest('hex').slice(0, 15)
        expect(hash(key, id)).toBe(Number.parseInt(hex, 16) / 2 ** 60)
      }
    }),
    { numRuns: 1000 },
  )
})

test('an empty identifier passes every rollout and gets the first variant', () => {
  const filters = {
    groups: [{ properties: [], rollout_percentage: 1 }],
    multivariate: {
      variants: [
        { key: 'a', rollout_percentage: 1 },
        { key: 'b', rollout_percentage: 99 },
      ],
    },
  }
  expect(only(filters, { distinctId: '' })).toMatchObject({ enabled: true, variant: 'a' })
})

test('what is sent counts over what is stored, null too', () => {
  const filters = { groups: [{ properties: [{ key: 'plan', value: 'pro', type: 'person' }] }] }
  expect(only(filters, { stored: { plan: 'pro' } }).enabled).toBe(true)
  expect(only(filters, { stored: { plan: 'pro' }, sent: { plan: null } }).enabled).toBe(false)
  expect(only(filters, { stored: { plan: 'free' }, sent: { plan: 'pro' } }).enabled).toBe(true)
})

test('a first value that nobody stored is the current one', () => {
  const filters = { groups: [{ properties: [{ key: '$initial_utm_source', value: 'ads', type: 'person' }] }] }
  expect(only(filters, { sent: { utm_source: 'ads' } }).enabled).toBe(true)
  expect(only(filters, { sent: { utm_source: 'ads' }, stored: { $initial_utm_source: 'mail' } }).enabled).toBe(false)
})

test('a definition that cannot be read disables its flag and says why', () => {
  for (const filters of [
    null,
    'x',
    { groups: 'all' },
    { groups: [{ properties: [{ key: 'a', operator: 'resembles', value: 1 }] }] },
    { groups: [{ rollout_percentage: 'half' }] },
    { groups: [{ properties: [{ key: 'id', type: 'cohort', value: 'everybody' }] }] },
  ])
    expect(only(filters)).toMatchObject({
      enabled: false,
      failed: false,
      reason: { code: 'flag_disabled', description: expect.stringContaining('cannot be read: filters') },
    })
})

test('a pattern that cannot be read matches nothing, in either direction', () => {
  for (const operator of ['regex', 'not_regex']) {
    const filters = { groups: [{ properties: [{ key: 'email', operator, value: '(', type: 'person' }] }] }
    expect(only(filters, { stored: { email: 'a' } })).toMatchObject({ enabled: false, failed: false })
  }
})

test('without the stored person, flags that do not need it are decided and the others fail alone', () => {
  const needs = storedFlag({ id: 1, key: 'a', filters: { groups: [{ properties: [{ key: 'plan', value: 'pro' }] }] } })
  const not = storedFlag({ id: 2, key: 'b', filters: { groups: [{ rollout_percentage: 100 }] } })
  const depends = storedFlag({
    id: 3,
    key: 'c',
    filters: { groups: [{ properties: [{ key: '1', type: 'flag', value: true, operator: 'flag_evaluates_to' }] }] },
  })
  const project = compiled({
    flags: [needs, not, depends] as unknown as ModelWorld['flags'],
    cohorts: [],
    groupTypes: {},
  })
  const subject = { ...subjectOf(SOMEBODY), stored: null }
  expect(evaluateFlags(project, subject)).toMatchObject([
    { key: 'a', enabled: false, failed: true, reason: { code: 'person_unavailable' } },
    { key: 'b', enabled: true, failed: false },
    { key: 'c', enabled: false, failed: true },
  ])
  const sent = { ...subject, personProperties: { plan: 'pro' } }
  expect(evaluateFlags(project, sent)).toMatchObject([{ enabled: true }, { enabled: true }, { enabled: true }])
})

test('flags that ask for each other, or for one that is gone, are off', () => {
  const on = (id: number, other: number) =>
    storedFlag({
      id,
      key: `f${id}`,
      filters: {
        groups: [{ properties: [{ key: String(other), type: 'flag', value: true, operator: 'flag_evaluates_to' }] }],
      },
    })
  const project = compiled({
    flags: [on(1, 2), on(2, 1), on(3, 1), on(4, 99)] as unknown as ModelWorld['flags'],
    cohorts: [],
    groupTypes: {},
  })
  for (const { enabled, reason } of evaluateFlags(project, subjectOf(SOMEBODY)))
    expect({ enabled, code: reason.code }).toEqual({ enabled: false, code: 'missing_dependency' })
})

test('a behavioural cohort is asked for, and the reason says how old the answer may be', () => {
  const project = compiled({
    flags: [
      storedFlag({ id: 1, key: 'a', filters: { groups: [{ properties: [{ key: 'id', type: 'cohort', value: 5 }] }] } }),
    ] as unknown as ModelWorld['flags'],
    cohorts: [
      {
        id: 5,
        is_static: false,
        filters: {
          properties: { type: 'OR', values: [{ type: 'behavioral', key: 'paid', value: 'performed_event' }] },
        },
      },
    ],
    groupTypes: {},
  })
  expect(project.needs).toMatchObject({ person: true, behaviouralCohorts: [5] })
  const subject = subjectOf(SOMEBODY)
  const known = subject.stored as NonNullable<Subject['stored']>
  const asked = (isIn: typeof known.isIn) => evaluateFlags(project, { ...subject, stored: { ...known, isIn } })[0]
  expect(asked(() => ({ member: true, ageMs: 5 }))).toMatchObject({
    enabled: true,
    reason: { description: expect.stringMatching(/seconds/) },
  })
  expect(asked(() => ({ member: false, ageMs: 5 }))).toMatchObject({ enabled: false })
  expect(asked(() => undefined)).toMatchObject({ enabled: false, failed: true, reason: { code: 'cohort_unavailable' } })
})

test('what anybody sends is searched so much and no more: flags that are left over fail, the others are decided', () => {
  const flag = (id: number, operator: string, value: string) =>
    compileFlag(
      storedFlag({
        id,
        key: `flag-${id}`,
        filters: { groups: [{ properties: [{ key: 'email', type: 'person', operator, value }] }] },
      }),
      'UTC',
    )
  const plain = compileFlag(storedFlag({ id: 999, key: 'plain', filters: { groups: [{}] } }), 'UTC')
  for (const [operator, value] of [
    ['icontains', 'acme'],
    ['regex', '(a|b)*acme'],
  ] as const) {
    const flags = Array.from({ length: 300 }, (_, id) => flag(id + 1, operator, value))
    const project = compileProject({
      projectId: 1,
      timezone: 'UTC',
      flags: [...flags, plain],
      cohorts: new Map(),
      groupTypes: new Map(),
    })
    const codesFor = (email: Json) => {
      const subject = { distinctId: 'u', groups: {}, personProperties: { email }, groupProperties: {} }
      const decisions = evaluateFlags(project, { ...subject, stored: NOTHING_STORED, now: 0 })
      return decisions.map(({ reason }) => reason.code)
    }
    for (const long of ['x'.repeat(500_000), ['x'.repeat(500_000)]]) {
      const codes = codesFor(long)
      expect(codes.slice(-2)).toEqual(['too_much_to_search', 'condition_match'])
      expect(codes[0]).toBe('no_condition_match')
    }
    expect(codesFor('someone@acme.example').every((code) => code === 'condition_match')).toBe(true)
  }
})
