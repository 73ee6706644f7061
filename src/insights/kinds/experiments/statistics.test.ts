import { describe, expect, it } from 'vitest'
import { sampleSizeFor } from '../../../contract/sample-size.ts'
import { compare, normalCdf, sampleRatioP } from './statistics.ts'

const conversions = (count: number, sum: number) => ({ count, sum, sumOfSquares: sum })

describe('the statistics of experiments', () => {
  it('know a clear winner, in both ways of counting', () => {
    const result = compare('funnel', conversions(1000, 100), conversions(1000, 150))
    expect(result.chanceToWin).toBeGreaterThan(0.999)
    expect(result.credibleInterval?.[0]).toBeGreaterThan(0.1)
    expect(result.credibleInterval?.[1]).toBeLessThan(1)
    // z = 3.381, by hand.
    expect(result.pValue).toBeCloseTo(0.00072, 5)
    // 0.5 less 1.96 times the root of 0.1275 / 10 + 2.25 * 0.09 / 10.
    expect(result.confidenceInterval?.[0]).toBeCloseTo(0.144, 3)
  })

  it('know no winner where there is none, and say the same each time', () => {
    const [one, other] = [conversions(500, 50), conversions(500, 52)]
    const result = compare('funnel', one, other)
    expect(result.chanceToWin).toBeGreaterThan(0.45)
    expect(result.chanceToWin).toBeLessThan(0.7)
    expect(result.pValue).toBeGreaterThan(0.5)
    expect(result.credibleInterval?.[0]).toBeLessThan(0)
    expect(compare('funnel', one, other)).toEqual(result)
  })

  it('compare means by their spread', () => {
    const values = (list: number[]) => ({
      count: list.length,
      sum: list.reduce((a, b) => a + b, 0),
      sumOfSquares: list.reduce((a, b) => a + b * b, 0),
    })
    const low = values(Array.from({ length: 200 }, (_, at) => at % 10))
    const high = values(Array.from({ length: 200 }, (_, at) => (at % 10) + 2))
    const result = compare('mean', low, high)
    expect(result.chanceToWin).toBeGreaterThan(0.99)
    expect(result.pValue).toBeLessThan(0.001)
    expect((result.confidenceInterval?.[0] ?? 0) + (result.confidenceInterval?.[1] ?? 0)).toBeCloseTo(2 * (2 / 4.5), 5)
  })

  it('say nothing of nobody', () => {
    expect(compare('funnel', conversions(0, 0), conversions(0, 0))).toEqual({
      chanceToWin: 0.5,
      credibleInterval: null,
      pValue: null,
      confidenceInterval: null,
    })
    expect(sampleRatioP([0, 0], [50, 50])).toBeNull()
    expect(sampleSizeFor(0, 0.1)).toBeNull()
  })

  it('notice that variants are not as large as they should be', () => {
    expect(normalCdf(1.96)).toBeCloseTo(0.975, 4)
    // The square of a normal variable with z = 2 and z = 1.
    expect(sampleRatioP([550, 450], [50, 50])).toBeCloseTo(0.001_565, 5)
    expect(sampleRatioP([500, 500], [50, 50])).toBeCloseTo(1, 6)
    expect(sampleRatioP([510, 490], [50, 50])).toBeGreaterThan(0.5)
    expect(sampleRatioP([400, 300, 300], [40, 30, 30])).toBeCloseTo(1, 6)
  })

  it('ask for so many people before the start', () => {
    // 10%, to notice a change by a tenth of it.
    expect(sampleSizeFor(0.1, 0.1)).toBeGreaterThan(14_000)
    expect(sampleSizeFor(0.1, 0.1)).toBeLessThan(14_500)
    expect(sampleSizeFor(0.1, 0.5)).toBeLessThan(600)
  })
})

/** The chance that one Beta(1 + conversions, 1 + others) is above another, as a finite sum instead of draws. */
function exactChance([n0, x0]: [number, number], [n1, x1]: [number, number]): number {
  const logFactorials = [0]
  for (let n = 1; n <= n0 + n1 + 10; n++) logFactorials.push((logFactorials[n - 1] ?? 0) + Math.log(n))
  const logBeta = (a: number, b: number) =>
    (logFactorials[a - 1] ?? 0) + (logFactorials[b - 1] ?? 0) - (logFactorials[a + b - 1] ?? 0)
  const [a0, b0, a1, b1] = [1 + x0, 1 + n0 - x0, 1 + x1, 1 + n1 - x1]
  let sum = 0
  for (let i = 0; i < a1; i++)
    sum += Math.exp(logBeta(a0 + i, b0 + b1) - Math.log(b1 + i) - logBeta(1 + i, b1) - logBeta(a0, b0))
  return sum
}

describe('values that are known from elsewhere', () => {
  it('the normal distribution of the tables', () => {
    for (const [z, p] of [
      [0, 0.5],
      [1, 0.841_344_7],
      [1.644_854, 0.95],
      [2.575_829, 0.995],
      [-1.959_964, 0.025],
      [3.090_232, 0.999],
    ] as const)
      expect(normalCdf(z)).toBeCloseTo(p, 6)
  })

  it('the critical values of chi-squared at 5% and 1%, for one to four degrees of freedom', () => {
    const critical = [
      [3.841_459, 6.634_897],
      [5.991_465, 9.210_34],
      [7.814_728, 11.344_867],
      [9.487_729, 13.276_704],
    ]
    critical.forEach(([five = 0, one = 0], at) => {
      const variants = at + 2
      const countsWith = (chi: number) => {
        // Two variants differ from a hundred by as much as gives this value.
        const off = Math.sqrt((chi * 100) / 2)
        return Array.from({ length: variants }, (_, n) => 100 + (n === 0 ? off : n === 1 ? -off : 0))
      }
      const shares = Array.from({ length: variants }, () => 1)
      expect(sampleRatioP(countsWith(five), shares)).toBeCloseTo(0.05, 5)
      expect(sampleRatioP(countsWith(one), shares)).toBeCloseTo(0.01, 5)
    })
  })

  it('the chance to win, as the finite sum has it', () => {
    for (const [one, other] of [
      [
        [100, 10],
        [100, 15],
      ],
      [
        [1000, 100],
        [1000, 95],
      ],
      [
        [30, 3],
        [60, 12],
      ],
      [
        [500, 250],
        [500, 270],
      ],
    ] as [[number, number], [number, number]][])
      expect(compare('funnel', conversions(...one), conversions(...other)).chanceToWin).toBeCloseTo(
        exactChance(one, other),
        1.8,
      )
  })

  it('the test of two means with known spread: z is 1 / sqrt(0.08)', () => {
    const sample = (mean: number) => ({ count: 100, sum: 100 * mean, sumOfSquares: 99 * 4 + 100 * mean ** 2 })
    const { pValue, confidenceInterval } = compare('mean', sample(10), sample(11))
    expect(pValue).toBeCloseTo(0.000_407, 6)
    // The delta method: 0.1, and 1.96 times the root of 0.04 / 100 + 121 * 0.04 / 10,000.
    expect(confidenceInterval?.[0]).toBeCloseTo(0.1 - 1.96 * Math.sqrt(0.0004 + 0.000_484), 4)
    expect(confidenceInterval?.[1]).toBeCloseTo(0.1 + 1.96 * Math.sqrt(0.0004 + 0.000_484), 4)
  })

  it('the sample size of the textbook: 2 (1.96 + 0.84)^2 p (1 - p) / d^2', () => {
    expect(sampleSizeFor(0.1, 0.1)).toBe(14_128)
    expect(sampleSizeFor(0.5, 0.1)).toBe(1570)
    expect(sampleSizeFor(0.02, 0.5)).toBe(3077)
  })
})
