import { describe, expect, it } from 'vitest'
import type { FeatureFlag } from '../../api/contract.ts'
import { documentOf, EVERYBODY, evenShares, isEditable, rulesOf, wrongPayload } from './document.ts'
import { reasonText, rolloutText, stateOf, whatText, whoText } from './sentences.ts'
import { flagSnippets } from './snippets.ts'

const PRO = { key: 'plan', type: 'person', operator: 'exact', value: ['pro'] }
const NEEDS = { key: '7', type: 'flag', operator: 'flag_evaluates_to', value: 'blue' }
const FILTERS = {
  groups: [
    { properties: [PRO, NEEDS], rollout_percentage: 50, variant: 'blue' },
    { properties: [], rollout_percentage: 10, variant: null },
  ],
  multivariate: {
    variants: [
      { key: 'control', rollout_percentage: 60 },
      { key: 'blue', name: 'Blue', rollout_percentage: 40 },
    ],
  },
  payloads: { blue: '{"a":1}' },
  aggregation_group_type_index: null,
}
const names = { cohort: (id: string) => `cohort ${id}`, flag: (id: string) => `flag ${id}` }

describe('the document of a flag', () => {
  it('comes back from the editor as it was', () => {
    expect(documentOf(rulesOf(FILTERS))).toEqual(FILTERS)
    expect(isEditable(FILTERS)).toBe(true)
  })

  it('is not edited where the editor would lose something', () => {
    expect(isEditable({ groups: [{ properties: [{ key: 5, value: { a: 1 } }] }] })).toBe(false)
    expect(isEditable({ groups: [{ properties: [], aggregation_group_type_index: 0 }] })).toBe(false)
  })

  it('forgets payloads and overrides of variants that are gone, and filters without a value', () => {
    const rules = rulesOf(FILTERS)
    const without = documentOf({
      ...rules,
      variants: [],
      conditions: [{ ...EVERYBODY, variant: 'blue', filters: [{ key: 'plan', type: 'person', operator: 'exact' }] }],
    })
    expect(without).toMatchObject({ multivariate: null, payloads: {}, groups: [{ properties: [], variant: null }] })
  })

  it('has shares that sum to 100', () => {
    const three = evenShares(['a', 'b', 'c'].map((key) => ({ key, name: '', share: 0 })))
    expect(three.map(({ share }) => share)).toEqual([34, 33, 33])
    expect(wrongPayload('{')).toContain('not JSON')
    expect(wrongPayload(' ')).toBeNull()
  })
})

describe('a flag in words', () => {
  it('says who gets what', () => {
    const rules = rulesOf(FILTERS)
    const [first = EVERYBODY, second = EVERYBODY] = rules.conditions
    expect(`${whoText(first, rules, names)}: ${whatText(first, rules)}`).toBe(
      'people whose plan is pro and who get blue of flag 7: 50% get blue',
    )
    expect(`${whoText(second, rules, names)}: ${whatText(second, rules)}`).toBe(
      'everybody: 10% get a variant: control 60%, blue 40%',
    )
  })

  it('says its state first', () => {
    const state = (filters: unknown, more: Partial<FeatureFlag> = {}) =>
      stateOf({ active: true, archived: false, deleted: false, filters, ...more } as FeatureFlag).text
    expect(state({ groups: [{ rollout_percentage: 20 }] })).toBe('20%')
    expect(state({ groups: [{}] })).toBe('on')
    expect(state({ groups: [{ properties: [PRO] }] })).toBe('targeted')
    expect(state({ groups: [] })).toBe('on for nobody')
    expect(state({ groups: [{}] }, { active: false })).toBe('off')
    expect(rolloutText({ groups: [{ rollout_percentage: 20 }] })).toBe('20% of everybody')
    expect(reasonText({ reason: 'condition_match', condition_index: 1 })).toBe('Condition 2 matched')
  })

  it('is asked for in every language by its key', () => {
    const all = flagSnippets({ host: 'https://h', token: 'phc_1', key: 'new-nav', variant: 'blue', hasPayload: true })
    expect(all.length).toBeGreaterThan(8)
    for (const { code, label } of all) {
      expect(code, label).toContain('new-nav')
      if (label !== 'curl' && label !== 'Go') expect(code, label).toContain('blue')
    }
  })
})
