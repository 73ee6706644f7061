import { describe, expect, it } from 'vitest'
import type { Outcomes } from './likelihood.ts'
import { worthTelling } from './worth-telling.ts'

const found = (
  event: string,
  success_count = 20,
  failure_count = 10,
  correlation_type: keyof Outcomes = 'success',
) => ({
  event: { event },
  success_count,
  failure_count,
  correlation_type,
})
const ALL = { success: 100, failure: 100 }
const told = (findings: ReturnType<typeof found>[], properties = true, ofAll = ALL) =>
  worthTelling(findings, ofAll, properties).map(({ event }) => event.event)

describe('what made the difference', () => {
  it('is told once, not as URL and path, nor for the first browser again', () => {
    expect(
      told([
        found('$pathname::/pricing'),
        found('$current_url::https://a.example/pricing'),
        found('$initial_browser::Firefox'),
        found('$browser::Firefox'),
        found('$browser::Chrome'),
        found('plan::free'),
      ]),
    ).toEqual(['$pathname::/pricing', '$initial_browser::Firefox', '$browser::Chrome', 'plan::free'])
  })

  it('is not told of a handful of people', () => {
    expect(told([found('rare', 3, 1), found('enough', 3, 2)], false)).toEqual(['enough'])
  })

  it('is not told of what everybody did, nor where the shares say the opposite of the odds ratio', () => {
    // Odds ratios with one person more everywhere: 183/57 = 3.21, (9 × 55) / (175 × 3) = 0.94, (1 × 1) / (183 × 57) = 0.
    const findings = [
      found('by everybody', 182, 56, 'success'),
      found('less of them dropped off', 8, 2, 'failure'),
      found('all of them dropped off', 0, 56, 'failure'),
    ]
    expect(told(findings, false, { success: 182, failure: 56 })).toEqual(['all of them dropped off'])
  })

  it('is not told of people who ended as the others did', () => {
    expect(told([found('as often', 10, 10, 'failure'), found('a little more often', 11, 10)], false)).toEqual([
      'a little more often',
    ])
  })
})
