import { expect, it } from 'vitest'
import { type LogEntry, LogUnavailable } from '../log/index.ts'
import { UnsureAppends } from './unsure-appends.ts'

/** More than half of what is kept at most. */
const LARGE = 9 * 1024 * 1024

function record(uuid: string, text: string): LogEntry[] {
  const payload = `{"receivedAt":1,"events":[{"uuid":"${uuid}","clientUuid":false,"event":"${text}"}]}`
  return [{ partition: 'live-0', payload: Buffer.from(payload) }]
}

/** Ours has the time of the request, 1, in it; a client's has another. */
const uuid = (n: number) => `00000000-0001-7000-8000-00000000000${n}`
const ofClient = (n: number) => `01920000-0000-7000-8000-00000000000${n}`

/** A log that refuses what it may have stored, until it is told to store. */
function unsureLog() {
  const stored: string[] = []
  let refuses = true
  const appends = new UnsureAppends({
    partitions: ['live-0'],
    mayComeTwice: true,
    append: async (entries) => {
      if (refuses) throw new LogUnavailable('no answer', 5, { maybeStored: true })
      stored.push(...entries.map(({ payload }) => String(payload.subarray(0, 80))))
    },
    status: () => {
      throw new Error('not asked for')
    },
    close: async () => {},
  })
  const storeFromNowOn = () => {
    refuses = false
  }
  return { appends, stored, storeFromNowOn }
}

it('a request that was refused twice at once is known when it comes again, and counted once', async () => {
  const { appends, stored, storeFromNowOn } = unsureLog()
  const text = 'x'.repeat(LARGE)
  const refused = await Promise.allSettled([1, 2].map((n) => appends.append(record(uuid(n), text))))
  expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  storeFromNowOn()
  await appends.append(record(uuid(3), text))
  expect(stored).toEqual([expect.stringContaining(uuid(2))])
})

it('an event with a uuid of its own is not taken for another one that is like it', async () => {
  const { appends, stored, storeFromNowOn } = unsureLog()
  await expect(appends.append(record(ofClient(1), 'paid'))).rejects.toThrow('no answer')
  storeFromNowOn()
  await appends.append(record(ofClient(2), 'paid'))
  await appends.append(record(ofClient(1), 'paid'))
  expect(stored).toEqual([2, 1].map((n) => expect.stringContaining(ofClient(n))))
})
