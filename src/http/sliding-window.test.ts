import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SlidingWindow } from './sliding-window.ts'

describe('a sliding window', () => {
  it('never lets more than the limit through in any window, and always lets through who waited as told', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 200 }), (gaps) => {
        const window = new SlidingWindow(5, 100)
        const admitted: number[] = []
        let now = 0
        for (const gap of gaps) {
          now += gap
          const wait = window.waitMs('k', now)
          if (wait > 0) {
            expect(window.waitMs('k', now + wait)).toBe(0)
            now += wait
          }
          window.count('k', now)
          admitted.push(now)
        }
        for (const end of admitted)
          expect(admitted.filter((at) => at <= end && at > end - 100).length).toBeLessThanOrEqual(5)
      }),
    )
  })

  it('counts keys apart and can forget one', () => {
    const window = new SlidingWindow(1, 100)
    window.count('a', 0)
    expect(window.waitMs('a', 40)).toBe(60)
    expect(window.waitMs('b', 40)).toBe(0)
    window.forget('a')
    expect(window.waitMs('a', 40)).toBe(0)
  })

  it('does not grow with the number of keys that once were', () => {
    const window = new SlidingWindow(1, 10)
    for (let i = 0; i < 50_000; i++) window.count(`key ${i}`, i)
    expect(window.size).toBeLessThanOrEqual(20_000)
  })

  it('forgets the keys that were counted longest ago, not one that is counted all the time', () => {
    const window = new SlidingWindow(10, 1_000_000)
    for (let i = 0; i < 50_000; i++) {
      window.count(`key ${i}`, i)
      if (i % 5_000 === 0) window.count('guessed', i)
    }
    expect(window.waitMs('guessed', 50_000)).toBeGreaterThan(0)
    expect(window.size).toBeLessThanOrEqual(20_000)
  })
})
