import { describe, expect, it } from 'vitest'
import { howLikely, likelihood } from './likelihood.ts'

describe('times as likely', () => {
  const all = { success: 60, failure: 140 }

  it('is the ratio of two shares, which is not the odds ratio', () => {
    // 45 of 50 with it came through, 15 of the other 150: 90% and 10%. The odds ratio of the same numbers is 81.
    expect(likelihood({ success: 45, failure: 5 }, all, 'success')).toEqual({ withIt: 0.9, without: 0.1, times: 9 })
    const dropped = likelihood({ success: 45, failure: 5 }, all, 'failure')
    expect(dropped.times).toBeCloseTo(0.1 / 0.9, 10)
  })

  it('is no number when nobody else ended so', () => {
    expect(likelihood({ success: 60, failure: 20 }, all, 'success')).toEqual({ withIt: 0.75, without: 0, times: null })
    expect(likelihood(all, all, 'success')).toEqual({ withIt: 0.3, without: null, times: null })
  })

  it.each([
    [250, 'more than 100× as likely'],
    [9.44, '9.4× as likely'],
    [1.04, '1.04× as likely'],
    [0.96, '0.96× as likely'],
    [1.003, 'about as likely'],
    [0.111, '0.1× as likely'],
  ])('%s is told as "%s"', (times, words) => expect(howLikely(times)).toBe(words))
})
