import { expect, test } from 'vitest'
import { every } from './every.ts'

test('stopping waits for the calls that are under way, and no other follows', async () => {
  const ends: (() => void)[] = []
  let ended = 0
  const stop = every(1, async () => {
    await new Promise<void>((end) => ends.push(end))
    ended++
  })
  await expect.poll(() => ends.length).toBeGreaterThan(1)
  const stopped = stop().then(() => ended)
  const calls = ends.length
  for (const end of ends) end()
  expect(await stopped).toBe(calls)
  expect(ends.length).toBe(calls)
})
