import { expect, test } from 'vitest'
import { RefusalBrake } from './refusal-brake.ts'

test('only an address that sends many refused bodies waits, and a Unix socket never', async () => {
  const brake = new RefusalBrake({ free: 2, windowMs: 60_000, waitMs: 1 })
  const waits: boolean[] = []
  for (const sender of ['a', 'a', 'a', 'b', null, 'a']) waits.push(await brake.refused(sender))
  expect(waits).toEqual([false, false, true, false, false, true])
})
