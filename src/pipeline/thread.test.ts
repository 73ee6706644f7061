import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestClickHouse, type TestClickHouse } from '../../test/support/clickhouse.ts'
import { logFolder, openLog } from '../../test/support/log-folder.ts'
import { startTestPostgres, type TestPostgres } from '../../test/support/postgres.ts'
import { createLogger } from '../lib/logger.ts'
import { eventPartitions, RECORDINGS_PARTITION } from '../log/index.ts'
import { startPipelineThread } from './thread.ts'

let postgres: TestPostgres
let clickhouse: TestClickHouse

beforeAll(async () => {
  ;[postgres, clickhouse] = await Promise.all([startTestPostgres(), startTestClickHouse()])
})
afterAll(async () => {
  await Promise.all([postgres?.stop(), clickhouse?.stop()])
})

const startThread = async () => {
  const eventLog = await openLog(await logFolder(), { partitions: [...eventPartitions(1), RECORDINGS_PARTITION] })
  return startPipelineThread({
    start: {
      postgres: postgres.embedded.connection,
      clickhouse: clickhouse.embedded,
      reader: eventLog.readerHandle(),
      livePartitions: 1,
      yields: false,
      sharesAs: null,
      logLevel: 'silent',
      geoip: 'off',
      geoip_asn: undefined,
    },
    log: createLogger('silent'),
    onBatch: () => {},
  })
}

test('a pause waits for the end of the one before, and two at once are refused', async () => {
  const thread = await startThread()
  const paused: boolean[] = []
  const work = async () => void paused.push(thread.running)
  await thread.whilePaused(work)
  await thread.whilePaused(work)
  await thread.whilePaused(async () => {
    await expect(thread.whilePaused(work)).rejects.toThrow('already paused')
  })
  await thread.stop()
  expect(paused).toEqual([true, true])
})

test('a thread that is stopped while it starts again has ended', async () => {
  const thread = await startThread()
  await thread.whilePaused(async () => {})
  await thread.stop()
  expect(thread.running).toBe(false)
})
