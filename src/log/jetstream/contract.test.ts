import { afterAll, beforeAll } from 'vitest'
import { logContract } from '../../../test/support/log-contract.ts'
import { startTestNats, type TestNats } from '../../../test/support/nats.ts'
import { PATIENT } from '../../../test/support/nats-log.ts'
import { openJetstreamReader } from './reader.ts'
import { openJetstreamLog } from './writer.ts'

let nats: TestNats
beforeAll(async () => {
  nats = await startTestNats()
})
afterAll(() => nats?.stop())

logContract('NATS', async () => {
  await nats.wipe()
  return {
    open: async ({ released = {}, ...options } = {}) => {
      const writer = await openJetstreamLog({
        url: nats.url,
        partitions: ['a', 'b', 'c'],
        released: async () => released,
        ...options,
      })
      return { writer, reader: () => openJetstreamReader(writer.readerHandle(), PATIENT) }
    },
    lose: () => nats.wipe(),
  }
})
