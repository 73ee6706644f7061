import { expect, test } from 'vitest'
import { pause } from '../../lib/pause.ts'
import { Batcher } from './batcher.ts'

test('what waits behind another append is as old as when it was accepted', async () => {
  const sent: { since: number | undefined; answer: () => void }[] = []
  const publish = (_subject: string, _body: Uint8Array, since?: number) =>
    new Promise<number>((resolve) => sent.push({ since, answer: () => resolve(1) }))
  const batcher = new Batcher('a', 'events.a', publish, () => 1_000_000)
  const append = () => batcher.add([{ partition: 'a', payload: new Uint8Array(1) }])
  const first = append()
  await expect.poll(() => sent).toHaveLength(1)
  const second = append()
  const accepted = Date.now()
  while (Date.now() === accepted) await pause(1)
  sent[0]?.answer()
  await first
  await expect.poll(() => sent).toHaveLength(2)
  expect(sent[1]?.since).toBeLessThanOrEqual(accepted)
  sent[1]?.answer()
  await second
})
