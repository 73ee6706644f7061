import { expect, test } from 'vitest'
import { RefusalBrake } from './refusal-brake.ts'

test('only an address that is refused very often waits, sooner with large bodies, and a Unix socket never', async () => {
  const brake = new RefusalBrake({ free: 3, freeLarge: 1, windowMs: 60_000, waitMs: 1 })
  const waits: boolean[] = []
  for (const sender of ['a', 'a', 'a', 'a', 'b', null, 'a']) waits.push(await brake.refused(sender, false))
  expect(waits).toEqual([false, false, false, true, false, false, true])
  expect([await brake.refused('b', true), await brake.refused('b', true), await brake.refused('b', false)]).toEqual([
    false,
    true,
    false,
  ])
})
