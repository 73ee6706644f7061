import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { atMost, within } from './in-time.ts'

const HOUR = 3_600_000
const never = new Promise<never>(() => {})
const timers = () => process.getActiveResourcesInfo().filter((what) => what === 'Timeout').length

it('work that is done, or fails, leaves no timer behind', async () => {
  const before = timers()
  await atMost(HOUR, delay(1))
  expect(await within(HOUR, delay(1, 'answer'))).toBe('answer')
  await expect(atMost(HOUR, Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  await expect(within(HOUR, Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(timers()).toBe(before)
})

it('work that takes longer is not waited for', async () => {
  await atMost(1, never)
  await expect(within(1, never)).rejects.toThrow('no answer within 1 ms')
})
