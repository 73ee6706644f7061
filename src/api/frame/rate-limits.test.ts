import { describe, expect, it } from 'vitest'
import type { Caller } from '../../accounts/index.ts'
import { ApiError } from '../../http/errors.ts'
import { RateLimits } from './rate-limits.ts'

const withKey = (id: string) => ({ key: { id }, user: {}, session: null }) as unknown as Caller
const inBrowser = { key: null, user: {}, session: {} } as unknown as Caller

/** How many of so many requests within one second are let through. */
function letThrough(limits: RateLimits, caller: Caller, path: string, rate?: 'person' | 'sql'): number {
  let count = 0
  for (let i = 0; i < 1_000; i++)
    try {
      limits.admit(caller, rate ? { rate } : {}, path, 1_000_000 + i)
      count++
    } catch (error) {
      expect(error).toBeInstanceOf(ApiError)
    }
  return count
}

describe('rate limits', () => {
  it.each([
    ['/api/projects', undefined, 480],
    ['/api/environments/:project_id/insights/trend', undefined, 240],
    ['/api/environments/:project_id/session_recording_playlists', undefined, 240],
    ['/api/environments/:project_id/persons', 'person', 180],
    ['/api/environments/:project_id/query', 'sql', 120],
  ] as const)('of %s let %s %s a minute through', (path, rate, expected) =>
    expect(letThrough(new RateLimits(), withKey('a'), path, rate)).toBe(expected),
  )

  it('count each key and each rate apart', () => {
    const limits = new RateLimits()
    expect(letThrough(limits, withKey('a'), '/api/projects')).toBe(480)
    expect(letThrough(limits, withKey('b'), '/api/projects')).toBe(480)
    expect(letThrough(limits, withKey('a'), '/api/environments/:project_id/insights/trend')).toBe(240)
  })

  it('leave people in a browser alone', () =>
    expect(letThrough(new RateLimits(), inBrowser, '/api/projects')).toBe(1_000))

  it('say when to come again', () => {
    const limits = new RateLimits()
    letThrough(limits, withKey('a'), '/api/projects')
    expect(() => limits.admit(withKey('a'), {}, '/api/projects', 1_001_000)).toThrow(
      'Expected available in 59 seconds.',
    )
    expect(() => limits.admit(withKey('a'), {}, '/api/projects', 1_060_000)).not.toThrow()
  })
})
