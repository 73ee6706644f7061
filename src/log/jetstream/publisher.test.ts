import { expect, test } from 'vitest'
import { LogUnavailable } from '../port.ts'
import type { Nats } from './connection.ts'
import { Publisher } from './publisher.ts'

/** A server that gives these answers; the last one from then on. */
function publisherAt(answers: { duplicate: boolean; seq: number }[], giveUpMs?: number) {
  const ids: string[] = []
  const client = {
    async publish(_subject: string, _body: Uint8Array, { msgID }: { msgID: string }) {
      ids.push(msgID)
      return answers.length > 1 ? answers.shift() : answers[0]
    },
  }
  const publisher = new Publisher({
    nats: { awaySince: null, client } as unknown as Nats,
    log: undefined,
    ready: async () => {},
    mend: async () => {},
    ...(giveUpMs !== undefined && { giveUpMs }),
  })
  return { publish: () => publisher.publish('log.a', new Uint8Array(1), 'one'), ids }
}

test('an acknowledgement without a number is none: the message is sent again until it has one', async () => {
  const { publish, ids } = publisherAt([
    { duplicate: true, seq: 0 },
    { duplicate: true, seq: 0 },
    { duplicate: true, seq: 7 },
  ])
  expect(await publish()).toBe(7)
  expect(ids).toEqual(['one', 'one', 'one'])
})

test('and refused when it never gets one', async () => {
  const { publish } = publisherAt([{ duplicate: true, seq: 0 }], 0)
  await expect(publish()).rejects.toThrow(LogUnavailable)
})

test('a repeat of a message that is stored is acknowledged', async () => {
  const { publish, ids } = publisherAt([{ duplicate: true, seq: 3 }])
  expect(await publish()).toBe(3)
  expect(ids).toHaveLength(1)
})
