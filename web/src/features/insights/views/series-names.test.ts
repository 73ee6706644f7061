import { describe, expect, it } from 'vitest'
import { coloursOf, namesOf } from './series-names.ts'
import type { ChartSeries } from './types.ts'

const series = (id: string, order: number, more: Partial<ChartSeries> = {}, action = {}): ChartSeries => ({
  action: { id, order, ...action },
  label: id,
  count: 0,
  data: [],
  ...more,
})

describe('the names of series', () => {
  it('say what is counted, so that one event counted in two ways has two names', () => {
    expect(
      namesOf([
        series('$pageview', 0),
        series('$pageview', 1, {}, { math: 'dau' }),
        series('paid', 2, {}, { math: 'sum', math_property: 'amount' }),
      ]),
    ).toEqual(['Page view', 'Page view (people)', 'paid (sum of amount)'])
  })

  it('of one event broken down are its values; of several, both', () => {
    const chrome = { breakdown_value: 'Chrome' }
    expect(namesOf([series('paid', 0, chrome), series('paid', 0, { breakdown_value: 'Safari' })])).toEqual([
      'Chrome',
      'Safari',
    ])
    expect(namesOf([series('paid', 0, chrome), series('left', 1, chrome)])).toEqual(['paid · Chrome', 'left · Chrome'])
  })
})

describe('countries', () => {
  it('are called by name where their codes were sent', () => {
    const of = (breakdown: string, value: string) =>
      series('paid', 0, { breakdown_value: value, filter: { breakdown } })
    expect(namesOf(['DE', 'XX', '', 'Other place'].map((code) => of('$geoip_country_code', code)))).toEqual([
      'Germany',
      'XX',
      '(none)',
      'Other place',
    ])
    expect(namesOf([of('$initial_geoip_country_code', 'JP'), of('plan', 'DE')])).toEqual(['Japan', 'DE'])
  })
})

describe('the colours of series', () => {
  it('are the same in the period before', () => {
    const now = [series('paid', 0, { compare_label: 'current' }), series('left', 1, { compare_label: 'current' })]
    const before = [series('paid', 0, { compare_label: 'previous' }), series('left', 1, { compare_label: 'previous' })]
    const [a, b, c, d] = coloursOf([...now, ...before])
    expect([c, d]).toEqual([a, b])
  })

  it('are ten different ones for ten values', () => {
    const values = Array.from({ length: 10 }, (_, i) => series('paid', 0, { breakdown_value: `value ${i}` }))
    expect(new Set(coloursOf(values)).size).toBe(10)
  })
})
