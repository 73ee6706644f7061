import { rm } from 'node:fs/promises'
import { logContract } from '../../../test/support/log-contract.ts'
import { logFolder } from '../../../test/support/log-folder.ts'
import { openSegmentLog } from './open.ts'
import { openSegmentReader } from './reader.ts'

logContract('segment files', async () => {
  const dir = await logFolder()
  return {
    open: async (options = {}) => {
      const writer = await openSegmentLog({ dir, partitions: ['a', 'b', 'c'], reserveBytes: 0, ...options })
      return { writer, reader: async () => openSegmentReader(writer.readerHandle()) }
    },
    lose: () => rm(dir, { recursive: true }),
  }
})
