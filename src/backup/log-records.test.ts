import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type LogEntry,
  type LogWriter,
  openPinnedLog,
  openSegmentLog,
  openSegmentReader,
  pinSegments,
} from '../log/index.ts'
import { appendRecords, framed, recordsBetween, unframed } from './log-records.ts'

async function* each<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values
}

const all = async <T>(values: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = []
  for await (const value of values) found.push(value)
  return found
}

describe('records of the log in a file', () => {
  let dir: string
  beforeEach(async () => {
    dir = await mkdtemp(path.join(os.tmpdir(), 'footfall-records-'))
  })
  afterEach(() => rm(dir, { recursive: true, force: true }))

  it('come out as they went in, however the file is cut', async () => {
    const payloads = fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(payloads, fc.integer({ min: 1, max: 60 }), async (records, size) => {
        const file = Buffer.concat(records.map((record) => framed(Buffer.from(record))))
        const parts = Array.from({ length: Math.ceil(file.length / size) }, (_, i) =>
          file.subarray(i * size, (i + 1) * size),
        )
        const found = await all(unframed(each(parts)))
        expect(found.map((record) => [...record])).toEqual(records.map((record) => [...record]))
      }),
    )
    await expect(all(unframed(each([framed(Buffer.from('whole')).subarray(0, 6)])))).rejects.toThrow('cut off')
  })

  it('are recognisable by their uuids where they may come twice, and changed in nothing else', async () => {
    const uuid = '0195a1b2-0000-7000-8000-000000000000'
    const record = (client: boolean) =>
      `{"events":[{"uuid":"${uuid}","clientUuid":${client},"event":"é","properties":{"a":"{\\"uuid\\":\\"${uuid}\\",\\"clientUuid\\":false"}}]}`
    const appended: LogEntry[] = []
    const append = async (entries: readonly LogEntry[]) => void appended.push(...entries)
    for (const mayComeTwice of [true, false])
      await appendRecords({ mayComeTwice, append } as LogWriter, 'a', each([Buffer.from(record(false))]))
    expect(appended.map(({ payload }) => Buffer.from(payload).toString())).toEqual([record(true), record(false)])
  })

  it('were pinned at one moment: what comes later is not among them, what the log deletes still is', async () => {
    const log = await openSegmentLog({
      dir: path.join(dir, 'log'),
      partitions: ['a', 'b'],
      segmentBytes: 200,
      reserveBytes: 0,
    })
    const write = async (from: number, to: number) => {
      for (let n = from; n < to; n++)
        await log.append([{ partition: n % 2 ? 'b' : 'a', payload: Buffer.from(`record ${n}`) }])
    }
    await write(0, 40)
    const pinned = await pinSegments(log.readerHandle(), path.join(dir, 'pinned'))
    await write(40, 60)
    const reader = openSegmentReader(log.readerHandle())
    for (const partition of ['a', 'b']) await reader.release(partition, log.status().partitions[partition]?.end ?? 0)
    await reader.close()
    await log.close()

    const pinnedReader = openPinnedLog(JSON.parse(JSON.stringify(pinned)))
    const found: string[] = []
    for (const { name, end } of pinned.partitions) {
      const records = await all(unframed(recordsBetween(pinnedReader, name, { from: 0, to: end }, () => {})))
      found.push(...records.map(String))
    }
    await pinnedReader.close()
    expect(found.toSorted()).toEqual(Array.from({ length: 40 }, (_, n) => `record ${n}`).toSorted())
  })

  it('are put into a new log above every position that was applied', async () => {
    const log = await openSegmentLog({ dir, partitions: ['a'], released: { a: 5_000 }, reserveBytes: 0 })
    expect(await appendRecords(log, 'a', each(['x', 'y'].map((text) => Buffer.from(text))))).toBe(2)
    const reader = openSegmentReader(log.readerHandle())
    const { records } = await reader.read('a', 5_000, { bytes: 1_000, records: 10 })
    expect(records.map(({ payload }) => payload.toString())).toEqual(['x', 'y'])
    expect(records.every(({ position }) => position >= 5_000)).toBe(true)
    await reader.close()
    await log.close()
  })
})
