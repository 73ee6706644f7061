import { describe, expect, it } from 'vitest'
import type { Draft, Series } from '../draft.ts'
import { meanOf, whyNoSum } from './sums.ts'
import type { ChartSeries } from './types.ts'

const draft = (more: Partial<Draft> = {}): Draft => ({
  kind: 'trends',
  series: [{ event: 'a' }, { event: 'b' }],
  ...more,
})
const series = (math: string | null, more: Partial<ChartSeries> = {}): ChartSeries => ({
  action: math === null ? null : { id: 'a', order: 0, math },
  label: 'a',
  count: 6,
  data: [1, 2, 3],
  ...more,
})
const formula = (text: string, ...maths: string[]) =>
  whyNoSum(series(null), draft({ formula: text, series: maths.map((math): Series => ({ event: 'a', math })) }))

describe('the intervals of a series', () => {
  it('are added up where they count what happened', () => {
    for (const math of ['total', 'sum', 'first_time_for_user']) expect(whyNoSum(series(math), draft())).toBeUndefined()
  })

  it('are not where they count who was there, or are averages', () => {
    expect(whyNoSum(series('dau'), draft())).toMatch(/two intervals twice/)
    expect(whyNoSum(series('p90'), draft())).toMatch(/cannot be added up/)
  })

  it('of a formula are added up where it only adds up what may be', () => {
    expect(formula('A + B', 'total', 'sum')).toBeUndefined()
    expect(formula('(A - B)', 'total', 'total')).toBeUndefined()
    expect(formula('B / A * 100', 'total', 'total')).toMatch(/cannot be added up/)
    expect(formula('A + B', 'total', 'dau')).toMatch(/cannot be added up/)
  })

  it('do not matter where the answer has one number for the whole range', () => {
    expect(whyNoSum(series('dau', { aggregated_value: 4 }), draft())).toBeUndefined()
    expect(whyNoSum(series('dau'), draft({ display: 'cumulative' }))).toBeUndefined()
  })

  it('have a mean', () => {
    expect(meanOf(series('dau'))).toBe(2)
    expect(meanOf(series('dau', { data: [] }))).toBe(6)
  })
})
