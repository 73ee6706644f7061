import { expect, test } from 'vitest'
import { heapInUse } from '../../../test/support/heap.ts'
import { LogUnavailable } from '../port.ts'
import type { Nats } from './connection.ts'
import { Publisher } from './publisher.ts'

test('nothing of a stored message is kept', async () => {
  const nats = { awaySince: null, client: { publish: async () => ({ seq: 1 }) } } as unknown as Nats
  const publisher = new Publisher({ nats, log: undefined, ready: async () => {}, mend: async () => {} })
  const body = new Uint8Array(1)
  const publish = async (times: number) => {
    for (let i = 0; i < times; i++) await publisher.publish('a', body)
  }
  await publish(1_000)
  const before = heapInUse()
  await publish(100_000)
  // A hundred bytes for each would be ten million.
  expect(heapInUse() - before).toBeLessThan(5_000_000)
})

test('what was accepted long ago is tried once, then refused', async () => {
  let tries = 0
  const publish = async () => {
    tries++
    throw new Error('no leader')
  }
  const nats = { awaySince: null, client: { publish } } as unknown as Nats
  const giveUpMs = 60_000
  const publisher = new Publisher({ nats, log: undefined, ready: async () => {}, mend: async () => {}, giveUpMs })
  const appending = publisher.publish('a', new Uint8Array(1), Date.now() - giveUpMs)
  await expect(appending).rejects.toBeInstanceOf(LogUnavailable)
  expect(tries).toBe(1)
})
