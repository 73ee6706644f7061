import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { ALL, entry, logFolder, openLog, readerOf, segmentFiles, texts } from '../../../test/support/log-folder.ts'
import { testProgram } from '../../../test/support/test-program.ts'

test('at the end a read is empty and its next position moves past the records of others', async () => {
  const log = await openLog(await logFolder())
  await log.append([entry('a', 'one')])
  const reader = readerOf(log)
  const { next } = await reader.read('a', 0, ALL)
  expect(await reader.read('a', next, ALL)).toEqual({ partition: 'a', from: next, next, records: [] })
  await log.append([entry('b', 'two')])
  const later = await reader.read('a', next, ALL)
  expect(later.records).toEqual([])
  expect(later.next).toBeGreaterThan(next)
  expect(texts((await reader.read('b', 0, ALL)).records)).toEqual(['two'])
})

test('an aborted wait ends at once and leaves nothing behind', async () => {
  const log = await openLog(await logFolder())
  const reader = readerOf(log)
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  for (let i = 0; i < 100; i++) {
    const stop = new AbortController()
    const wait = reader.wait('a', 0, stop.signal)
    stop.abort()
    await wait
    await reader.wait('a', 0, stop.signal)
  }
  // The test runner has timers of its own, which come and go.
  expect(timers()).toBeLessThan(before + 50)
})

test('segments are deleted when every partition that needs them has released them, and not before', async () => {
  const dir = await logFolder()
  const log = await openLog(dir, { segmentBytes: 1_000 })
  const reader = readerOf(log)
  for (let i = 0; i < 30; i++) await log.append([entry(i === 3 ? 'b' : 'a', 'x'.repeat(100))])
  const all = (await segmentFiles(dir)).length
  const a = await reader.read('a', 0, ALL)
  await reader.release('a', a.next)
  // The record of b lies in the first segment, so everything stays.
  expect((await segmentFiles(dir)).length).toBe(all)
  const b = await reader.read('b', 0, ALL)
  expect(b.records.length).toBe(1)
  await reader.release('b', (b.records[0]?.position ?? 0) + 1)
  expect((await segmentFiles(dir)).length).toBe(all)
  await reader.release('b', b.next)
  expect((await segmentFiles(dir)).length).toBe(1)
  expect(log.status()).toMatchObject({ segments: 1, backlogBytes: 0 })
  await log.append([entry('b', 'later')])
  expect(texts((await reader.read('b', b.next, ALL)).records)).toEqual(['later'])
})

test('a quiet partition does not hold the segments of a busy one', async () => {
  const dir = await logFolder()
  const log = await openLog(dir, { segmentBytes: 1_000 })
  const reader = readerOf(log)
  for (let i = 0; i < 30; i++) await log.append([entry('a', 'x'.repeat(100))])
  await reader.release('a', (await reader.read('a', 0, ALL)).next)
  expect((await segmentFiles(dir)).length).toBe(1)
})

test('records written while a read is under way are not skipped when their segment is left meanwhile', async () => {
  const log = await openLog(await logFolder(), { segmentBytes: 60_000 })
  const text = (i: number) => `${i} ${'x'.repeat(100)}`
  const append = (from: number, to: number) =>
    log.append(Array.from({ length: to - from }, (_, i) => entry('a', text(from + i))))
  await append(0, 1_000)
  await append(1_000, 1_001)
  // Small blocks make the way through the first segment long.
  const reader = readerOf(log, { blockBytes: 64 })
  const reading = reader.read('a', 0, ALL)
  await append(1_001, 2_000)
  await append(2_000, 2_001)
  expect(log.status().segments).toBe(3)
  const first = await reading
  const rest = await reader.read('a', first.next, ALL)
  expect([...texts(first.records), ...texts(rest.records)]).toEqual(Array.from({ length: 2_001 }, (_, i) => text(i)))
})

test('readers in other threads follow the writer, release, and end', async () => {
  const dir = await logFolder()
  const log = await openLog(dir, { segmentBytes: 20_000 })
  const program = testProgram('log-reader')
  const total = 2_000
  const workers = ['a', 'b'].map(
    (partition) => new Worker(program, { workerData: { handle: log.readerHandle(), partition, total } }),
  )
  const results = workers.map((worker) => once(worker, 'message').then(([found]) => found as string[]))
  const ends = workers.map((worker) => once(worker, 'exit').then(([code]) => code as number))
  const sent = Array.from({ length: total }, (_, i) => `${i} ${'x'.repeat(i % 97)}`)
  for (let i = 0; i < total; i += 20)
    await Promise.all(sent.slice(i, i + 20).map((text) => log.append([entry('a', text), entry('b', `${text} in b`)])))
  expect(await results[0]).toEqual(sent)
  expect(await results[1]).toEqual(sent.map((text) => `${text} in b`))
  expect(await Promise.all(ends)).toEqual([0, 0])
  expect(log.status()).toMatchObject({ segments: 1, backlogBytes: 0 })
  expect((await segmentFiles(dir)).length).toBe(1)
})
