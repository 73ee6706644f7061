import { expect, it } from 'vitest'
import { type LogEntry, LogUnavailable } from '../log/index.ts'
import { UnsureAppends } from './unsure-appends.ts'

/** More than half of what is kept at most. */
const LARGE = 9 * 1024 * 1024

function record(uuid: string, text: string): LogEntry[] {
  const payload = `{"receivedAt":1,"events":[{"uuid":"${uuid}","clientUuid":false,"event":"${text}"}]}`
  return [{ partition: 'live-0', payload: Buffer.from(payload) }]
}

const uuid = (n: number) => `00000000-0000-7000-8000-00000000000${n}`

it('a request that was refused twice at once is known when it comes again, and counted once', async () => {
  const stored: LogEntry[][] = []
  let refuses = true
  const appends = new UnsureAppends({
    partitions: ['live-0'],
    mayComeTwice: true,
    append: async (entries) => {
      if (refuses) throw new LogUnavailable('no answer', 5, { maybeStored: true })
      stored.push([...entries])
    },
    status: () => {
      throw new Error('not asked for')
    },
    close: async () => {},
  })
  const text = 'x'.repeat(LARGE)
  const refused = await Promise.allSettled([1, 2].map((n) => appends.append(record(uuid(n), text))))
  expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  refuses = false
  await appends.append(record(uuid(3), text))
  expect(String(stored[0]?.[0]?.payload.subarray(0, 80))).toContain(uuid(2))
})
