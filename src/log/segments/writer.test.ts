import { mkdir, readFile, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import {
  ALL,
  contents,
  crashedCopy,
  entry,
  logFolder,
  openLog,
  readerOf,
  segmentFiles,
  texts,
} from '../../../test/support/log-folder.ts'
import { LogUnavailable } from '../port.ts'
import { diskIo, type SegmentIo } from './files/segment-io.ts'

/** The real disk, but for the calls a test replaces. */
function disk(faults: Partial<SegmentIo>): SegmentIo {
  return { ...diskIo, ...faults }
}

const failure = (code: string) => Object.assign(new Error(`${code}: made for the test`), { code })

/** A gate in front of a call: it waits there until the gate is opened. */
function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  let reach = () => {}
  const reached = new Promise<void>((resolve) => {
    reach = resolve
  })
  const pass = () => {
    reach()
    return opened
  }
  return { open, reached, pass }
}

test('idle -> writing -> idle: an append resolves when it is durable and readable', async () => {
  const log = await openLog(await logFolder())
  await log.append([entry('a', 'one'), entry('b', 'two'), entry('a', 'three')])
  expect(await contents(log, 'a')).toEqual(['one', 'three'])
  expect(await contents(log, 'b')).toEqual(['two'])
  expect(log.status()).toMatchObject({
    writable: true,
    reason: null,
    appends: 1,
    records: 3,
    groups: 1,
    bufferedBytes: 0,
  })
})

test('nothing is readable before it is durable', async () => {
  const sync = gate()
  const log = await openLog(await logFolder(), { io: disk({ sync: (fd) => sync.pass().then(() => diskIo.sync(fd)) }) })
  const append = log.append([entry('a', 'one')])
  await sync.reached
  expect(await contents(log, 'a')).toEqual([])
  sync.open()
  await append
  expect(await contents(log, 'a')).toEqual(['one'])
})

test('requests of one turn of the event loop share a sync', async () => {
  const log = await openLog(await logFolder())
  await Promise.all(Array.from({ length: 100 }, (_, i) => log.append([entry('a', `${i}`)])))
  expect(log.status()).toMatchObject({ appends: 100, groups: 1 })
})

test('writing -> writing: requests that come while a group is written share the next one', async () => {
  const sync = gate()
  const log = await openLog(await logFolder(), { io: disk({ sync: (fd) => sync.pass().then(() => diskIo.sync(fd)) }) })
  const first = log.append([entry('a', 'first')])
  await sync.reached
  const others = Array.from({ length: 50 }, (_, i) => log.append([entry('a', `${i}`)]))
  expect(log.status().groups).toBe(0)
  sync.open()
  await Promise.all([first, ...others])
  expect(log.status()).toMatchObject({ appends: 51, groups: 2 })
})

test('writing -> torn -> writing: a failed write rejects its group only, is cut off, and the next append goes through', async () => {
  const dir = await logFolder()
  let full = false
  const io = disk({
    async write(fd, buffers, position) {
      if (!full) return diskIo.write(fd, buffers, position)
      await diskIo.write(fd, [(buffers[0] as Buffer).subarray(0, 20)], position)
      throw failure('ENOSPC')
    },
  })
  const log = await openLog(dir, { io })
  await log.append([entry('a', 'before')])
  const [file] = (await segmentFiles(dir)) as [string]
  const { size } = await stat(file)
  full = true
  const failed = await Promise.allSettled([
    log.append([entry('a', 'x')]),
    log.append([entry('b', 'y'), entry('a', 'z')]),
  ])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect((failed[0] as PromiseRejectedResult).reason).toBeInstanceOf(LogUnavailable)
  expect(log.status()).toMatchObject({ writable: false, reason: expect.stringContaining('ENOSPC') })
  expect((await stat(file)).size).toBe(size)
  full = false
  await log.append([entry('a', 'after')])
  expect(log.status()).toMatchObject({ writable: true, segments: 1 })
  expect(await contents(log, 'a')).toEqual(['before', 'after'])
  expect(await contents(await openLog(await crashedCopy(dir)), 'a')).toEqual(['before', 'after'])
})

test('torn -> tainted -> writing: a file that cannot be cut back is left for a fresh segment', async () => {
  const dir = await logFolder()
  let writeFails = false
  const io = disk({
    async write(fd, buffers, position) {
      const written = await diskIo.write(fd, buffers, position)
      if (writeFails) throw failure('EIO')
      return written
    },
    truncate: () => Promise.reject(failure('EIO')),
  })
  const log = await openLog(dir, { io })
  await log.append([entry('a', 'before')])
  writeFails = true
  await expect(log.append([entry('a', 'refused')])).rejects.toThrow(LogUnavailable)
  writeFails = false
  await log.append([entry('a', 'after')])
  expect(log.status()).toMatchObject({ writable: true, segments: 2 })
  expect(await contents(log, 'a')).toEqual(['before', 'after'])
  expect(await contents(await openLog(await crashedCopy(dir)), 'a')).toEqual(['before', 'after'])
})

test('writing -> tainted -> writing: after a failed sync the file is not written again, and its group never becomes readable', async () => {
  const dir = await logFolder()
  let broken = false
  const io = disk({ sync: (fd) => (broken ? Promise.reject(failure('EIO')) : diskIo.sync(fd)) })
  const log = await openLog(dir, { io })
  await log.append([entry('a', 'before')])
  broken = true
  await expect(log.append([entry('a', 'refused')])).rejects.toThrow(LogUnavailable)
  expect((await segmentFiles(dir)).length).toBe(1)
  broken = false
  await log.append([entry('a', 'after')])
  expect(log.status().segments).toBe(2)
  expect(await contents(log, 'a')).toEqual(['before', 'after'])
  expect(await contents(await openLog(await crashedCopy(dir)), 'a')).toEqual(['before', 'after'])
})

test('tainted -> tainted: while no segment can be made every append is refused, and the first one after that goes through', async () => {
  const dir = await logFolder()
  let broken = true
  const io = disk({ sync: (fd) => (broken ? Promise.reject(failure('EIO')) : diskIo.sync(fd)) })
  const log = await openLog(dir, { io })
  await expect(log.append([entry('a', 'refused')])).rejects.toThrow('EIO')
  broken = false
  // A folder stands where the file of the next segment has to be made.
  const [file] = (await segmentFiles(dir)) as [string]
  const nextBase = (await stat(file)).size - 16 - 'refused'.length
  const obstacle = path.join(dir, `${String(nextBase).padStart(16, '0')}.segment.new`)
  await mkdir(obstacle)
  await expect(log.append([entry('a', 'refused too')])).rejects.toThrow(LogUnavailable)
  await expect(log.append([entry('a', 'and this')])).rejects.toThrow(LogUnavailable)
  await rm(obstacle, { recursive: true })
  await log.append([entry('a', 'after')])
  expect(await contents(log, 'a')).toEqual(['after'])
})

test('a full segment is left for a fresh one, and readers cross the border', async () => {
  const dir = await logFolder()
  const log = await openLog(dir, { segmentBytes: 2_000 })
  const sent = Array.from({ length: 50 }, (_, i) => `${i} ${'x'.repeat(100)}`)
  for (const text of sent) await log.append([entry('a', text)])
  expect(log.status().segments).toBeGreaterThan(2)
  expect((await segmentFiles(dir)).length).toBe(log.status().segments)
  const reader = readerOf(log)
  const found: string[] = []
  for (let from = 0; found.length < sent.length; ) {
    const range = await reader.read('a', from, { bytes: 500, records: 3 })
    expect(range.records.length).toBeGreaterThan(0)
    found.push(...texts(range.records))
    from = range.next
  }
  expect(found).toEqual(sent)
})

test('an old segment is left for a fresh one, so that what was applied does not stay on the disk', async () => {
  const dir = await logFolder()
  const log = await openLog(dir, { segmentMs: 0 })
  await log.append([entry('a', 'first')])
  const reader = readerOf(log)
  const { next } = await reader.read('a', 0, { bytes: 500, records: 3 })
  await reader.release('a', next)
  expect((await segmentFiles(dir)).length).toBe(1)
  await log.append([entry('a', 'second')])
  expect(texts((await reader.read('a', next, ALL)).records)).toEqual(['second'])
  const kept = await Promise.all((await segmentFiles(dir)).map((file) => readFile(file, 'utf8')))
  expect(kept.join()).not.toContain('first')
})

test('more than fits the buffer is refused while the disk is slow, and taken when it has caught up', async () => {
  const sync = gate()
  const io = disk({ sync: (fd) => sync.pass().then(() => diskIo.sync(fd)) })
  const log = await openLog(await logFolder(), { io, bufferedLimitBytes: 1_000 })
  const first = log.append([entry('a', 'x'.repeat(600))])
  await expect(log.append([entry('a', 'y'.repeat(600))])).rejects.toThrow(LogUnavailable)
  sync.open()
  await first
  await log.append([entry('a', 'z'.repeat(5_000))])
  expect(log.status()).toMatchObject({ appends: 2, refusals: 1 })
})

test('a backlog over its limit refuses appends until something is released', async () => {
  const log = await openLog(await logFolder(), { backlogLimitBytes: 10_000, segmentBytes: 3_000 })
  const reader = readerOf(log)
  let taken = 0
  const refused = await (async () => {
    for (; taken < 100; taken++) await log.append([entry('a', 'x'.repeat(500))])
    return null
  })().catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(LogUnavailable)
  expect((refused as LogUnavailable).retryAfterSeconds).toBeGreaterThan(0)
  expect(taken).toBeGreaterThan(10)
  expect(log.status().backlogBytes).toBeGreaterThan(9_000)
  const range = await reader.read('a', 0, { ...ALL, records: 10 })
  await reader.release('a', range.next)
  expect(log.status().backlogBytes).toBeLessThan(5_000)
  await log.append([entry('a', 'goes through')])
  expect(texts((await reader.read('a', range.next, ALL)).records).length).toBe(taken - 10 + 1)
})

test('a disk down to its reserve refuses appends and takes them again when there is space', async () => {
  let free = 100
  let looked = () => {}
  const io = disk({
    freeBytes: async () => {
      queueMicrotask(() => looked())
      return free
    },
  })
  const log = await openLog(await logFolder(), { io, reserveBytes: 1_000 })
  expect(log.status()).toMatchObject({ writable: false, reason: expect.stringContaining('nearly full') })
  await expect(log.append([entry('a', 'refused')])).rejects.toThrow(LogUnavailable)
  free = 5_000
  const seen = new Promise<void>((resolve) => {
    looked = resolve
  })
  // The status looks at most once a second; ask until it has.
  const asking = setInterval(() => log.status(), 50)
  await seen
  clearInterval(asking)
  await expect.poll(() => log.status().writable).toBe(true)
  await log.append([entry('a', 'taken')])
})
