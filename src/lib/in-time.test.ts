import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { collectGarbage, heapInUse } from '../../test/support/heap.ts'
import { atMost, timeLimit, within } from './in-time.ts'

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

describe('a limit of time', () => {
  it('is over with the signal, and leaves no timer behind', () => {
    const stop = new AbortController()
    const limit = timeLimit(HOUR, stop.signal)
    stop.abort()
    expect(limit.signal.aborted).toBe(true)
    limit.end()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is over when its time is, also after a garbage collection', async () => {
    vi.useRealTimers()
    const { signal } = timeLimit(50, new AbortController().signal)
    collectGarbage()
    await expect.poll(() => signal.aborted).toBe(true)
  })

  it('keeps nothing at a signal that lives long', () => {
    const { signal } = new AbortController()
    const limits = (times: number) => {
      for (let i = 0; i < times; i++) timeLimit(HOUR, signal).end()
    }
    limits(1_000)
    const before = heapInUse()
    limits(100_000)
    expect(heapInUse() - before).toBeLessThan(5_000_000)
  })
})
