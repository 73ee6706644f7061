import { readdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import {
  ALL,
  contents,
  entry,
  logFolder,
  openLog,
  readerOf,
  segmentFiles,
  texts,
} from '../../../test/support/log-folder.ts'
import { testProgram } from '../../../test/support/test-program.ts'
import { zombieOf } from '../../../test/support/zombie.ts'

test('a partition added later works beside old files, and its table may be in another order', async () => {
  const dir = await logFolder()
  const log = await openLog(dir)
  await log.append([entry('a', 'one'), entry('b', 'two')])
  await log.close()
  const again = await openLog(dir, { partitions: ['new', 'b', 'a'] })
  await again.append([entry('new', 'three'), entry('a', 'four')])
  expect(await contents(again, 'a')).toEqual(['one', 'four'])
  expect(await contents(again, 'b')).toEqual(['two'])
  expect(await contents(again, 'new')).toEqual(['three'])
})

test('a partition that is no longer named stays until its records are released', async () => {
  const dir = await logFolder()
  const log = await openLog(dir)
  await log.append([entry('b', 'unread')])
  await log.close()
  const without = await openLog(dir, { partitions: ['a'] })
  expect(without.partitions).toEqual(['a', 'b'])
  const reader = readerOf(without)
  const range = await reader.read('b', 0, ALL)
  expect(texts(range.records)).toEqual(['unread'])
  await without.close()
  const released = await openLog(dir, { partitions: ['a'], released: { b: range.next } })
  expect(released.partitions).toEqual(['a'])
})

test('consumers ahead of a folder that was deleted do not miss what comes next', async () => {
  const dir = await logFolder()
  const log = await openLog(dir)
  for (let i = 0; i < 20; i++) await log.append([entry('a', `${i}`), entry('b', `${i}`)])
  const released = { a: (await readerOf(log).read('a', 0, ALL)).next, b: 10_000_000 }
  await log.close()
  await rm(dir, { recursive: true })
  const fresh = await openLog(dir, { released })
  await fresh.append([entry('a', 'new in a'), entry('b', 'new in b')])
  const reader = readerOf(fresh)
  for (const name of ['a', 'b'] as const) {
    const range = await reader.read(name, released[name], ALL)
    expect(texts(range.records)).toEqual([`new in ${name}`])
    expect(range.records[0]?.position).toBeGreaterThan(10_000_000)
  }
  expect(fresh.status().backlogBytes).toBeLessThan(1_000)
})

test('a gap between old segments and consumers that are far ahead does not count as backlog', async () => {
  const dir = await logFolder()
  const log = await openLog(dir)
  await log.append([entry('a', 'old')])
  await log.close()
  const again = await openLog(dir, { released: { b: 1e12 } })
  await again.append([entry('a', 'new')])
  expect(await contents(again, 'a')).toEqual(['old', 'new'])
  expect(again.status().backlogBytes).toBeLessThan(1_000)
})

test('what was released before a restart is deleted at the start', async () => {
  const dir = await logFolder()
  const log = await openLog(dir, { segmentBytes: 500 })
  for (let i = 0; i < 30; i++) await log.append([entry('a', 'x'.repeat(50))])
  const { next } = await readerOf(log).read('a', 0, ALL)
  await log.close()
  expect((await segmentFiles(dir)).length).toBeGreaterThan(3)
  const again = await openLog(dir, { released: { a: next } })
  expect((await segmentFiles(dir)).length).toBe(1)
  expect(again.status()).toMatchObject({ segments: 1, backlogBytes: 0 })
})

test('a second writer on the folder is refused while the first is open', async () => {
  const dir = await logFolder()
  const log = await openLog(dir)
  await expect(openLog(dir)).rejects.toThrow('already open for writing')
  await log.append([entry('a', 'undisturbed')])
  await log.close()
  expect(await contents(await openLog(dir), 'a')).toEqual(['undisturbed'])
})

test('a writer that was killed holds nothing, also while it stands in the process table', async () => {
  const dir = await logFolder()
  const program = `
    const { openSegmentLog } = await import(${JSON.stringify(testProgram('library'))})
    const log = await openSegmentLog({ dir: process.argv[1], partitions: ['a'], reserveBytes: 0 })
    await log.append([{ partition: 'a', payload: Buffer.from('kept') }])
    setInterval(() => {}, 60_000)
    console.log('open')`
  const killed = await zombieOf(program, dir)
  try {
    const log = await openLog(dir)
    expect(await contents(log, 'a')).toEqual(['kept'])
    await log.close()
  } finally {
    killed.bury()
  }
})

test('the lock file of version 0.1 is forgotten, whoever has its number now', async () => {
  const dir = await logFolder()
  await writeFile(path.join(dir, 'writer.lock'), `${process.pid} 1`)
  await (await openLog(dir)).close()
  expect(await readdir(dir)).not.toContain('writer.lock')
})
