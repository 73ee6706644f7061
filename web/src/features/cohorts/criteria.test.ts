import { describe, expect, it } from 'vitest'
import { type Behaviour, HOWS, NEW_BEHAVIOUR, whyImpossible } from './behaviours.ts'
import { type Criteria, criteriaOf, filtersOf } from './criteria.ts'

const kept = (criteria: Criteria) => ({ filters: JSON.parse(JSON.stringify(filtersOf(criteria))) })
const pro = { key: 'plan', type: 'person' as const, operator: 'exact', value: ['pro'] }
const alike = (behaviour: Behaviour) => ({ match: 'all' as const, properties: [], behaviours: [behaviour] })

describe('criteria of a cohort', () => {
  it.each(HOWS)('open as they were saved: %s', (how) => {
    const behaviour: Behaviour = {
      ...NEW_BEHAVIOUR,
      how,
      event: 'paid',
      within: { count: 6, unit: 'week' },
      filters: [{ key: 'price', type: 'event', operator: 'gt', value: 5 }],
    }
    expect(criteriaOf(kept(alike(behaviour)))).toEqual(alike(behaviour))
  })

  it('keep what is particular to each', () => {
    const sequence: Behaviour = {
      ...NEW_BEHAVIOUR,
      how: 'sequence',
      next: { event: null, action: 4, name: 'Bought' },
      lately: { count: 2, unit: 'hour' },
    }
    expect(criteriaOf(kept(alike(sequence)))?.behaviours[0]).toMatchObject({
      next: { action: 4, name: 'Bought' },
      lately: { count: 2, unit: 'hour' },
    })
    const regularly: Behaviour = { ...NEW_BEHAVIOUR, how: 'regularly', is: 'exact', times: 2, least: 5, periods: 9 }
    expect(criteriaOf(kept(alike(regularly)))?.behaviours[0]).toMatchObject({
      is: 'exact',
      times: 2,
      least: 5,
      periods: 9,
    })
  })

  it('are joined by all or by any', () => {
    const any: Criteria = { match: 'any', properties: [pro, pro], behaviours: [NEW_BEHAVIOUR] }
    expect(filtersOf(any)).toMatchObject({ properties: { type: 'OR' } })
    expect(criteriaOf(kept(any))).toEqual(any)
    const nested = { type: 'OR', values: [{ type: 'AND', values: [pro, pro] }] }
    expect(criteriaOf({ filters: { properties: nested } })).toMatchObject({ match: 'all', properties: [pro, pro] })
  })

  it('are left alone where the form has no words for them', () => {
    const of = (...values: object[]) => criteriaOf({ filters: { properties: { type: 'AND', values } } as never })
    const leaf = { type: 'behavioral', key: 'a', value: 'performed_event', time_value: 3, time_interval: 'day' }
    expect(of(leaf)).toBeDefined()
    expect(of({ ...leaf, explicit_datetime: '2024-01-01' })).toBeUndefined()
    expect(of({ ...leaf, value: 'performed_event_multiple', operator: 'gt', operator_value: 2 })).toBeUndefined()
    expect(of({ ...leaf, value: 'performed_event_first_time', negation: true })).toBeUndefined()
    expect(of({ ...pro, negation: true })).toBeUndefined()
    expect(of(leaf, { type: 'OR', values: [pro, pro] })).toBeUndefined()
  })

  it('that cannot be true are said to be so', () => {
    const stopped: Behaviour = { ...NEW_BEHAVIOUR, how: 'stopped', lately: { count: 5, unit: 'week' } }
    expect(whyImpossible(stopped)).toMatch(/shorter/)
    expect(whyImpossible({ ...stopped, lately: { count: 3, unit: 'week' } })).toBe(null)
    expect(whyImpossible({ ...NEW_BEHAVIOUR, how: 'regularly', least: 5, periods: 4 })).toMatch(/more than there are/)
  })
})
