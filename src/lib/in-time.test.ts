import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { atMost, within } from './in-time.ts'

const HOUR = 3_600_000
const never = new Promise<never>(() => {})
const failed = () => Promise.reject(new Error('broken'))

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('work that is done, or fails, leaves no timer behind', async () => {
  await atMost(HOUR, Promise.resolve())
  expect(await within(HOUR, Promise.resolve('answer'))).toBe('answer')
  await expect(atMost(HOUR, failed())).rejects.toThrow('broken')
  await expect(within(HOUR, failed())).rejects.toThrow('broken')
  expect(vi.getTimerCount()).toBe(0)
})

it('work that takes longer is not waited for', async () => {
  const waits = [atMost(HOUR, never), expect(within(HOUR, never)).rejects.toThrow(`no answer within ${HOUR} ms`)]
  vi.advanceTimersByTime(HOUR)
  await Promise.all(waits)
})
