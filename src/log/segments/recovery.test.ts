import { copyFile, open, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import path from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  contents,
  crashedCopy,
  entry,
  logFolder,
  openLog,
  readerOf,
  segmentFiles,
} from '../../../test/support/log-folder.ts'
import { openSegmentLog } from './open.ts'

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `record ${String(i).padStart(3, '0')}`)

async function flipByte(file: string, at: number): Promise<void> {
  const handle = await open(file, 'r+')
  const byte = Buffer.alloc(1)
  await handle.read(byte, 0, 1, at)
  byte[0] = (byte[0] as number) ^ 0x40
  await handle.write(byte, 0, 1, at)
  await handle.close()
}

/** One segment with a group before, a group of three appends, and where each of these appends ends in the file. */
async function threeAppendsInAGroup() {
  const dir = await logFolder()
  const log = await openLog(dir)
  await log.append([entry('a', 'before')])
  const [file] = (await segmentFiles(dir)) as [string]
  const start = (await stat(file)).size
  await Promise.all([
    log.append([entry('a', 'first'), entry('b', 'first in b')]),
    log.append([entry('a', 'x'.repeat(300))]),
    log.append([entry('a', 'third'), entry('a', ''), entry('b', 'third in b')]),
  ])
  expect(log.status().groups).toBe(2)
  const copy = await crashedCopy(dir)
  const ends = [start, start + 16 + 5 + 16 + 10, start + 47 + 16 + 300, (await stat(file)).size]
  return { file: path.join(copy, path.basename(file)), ends }
}

/** What of that group is in the log when its file looks like this. */
async function recovered(bytes: Buffer, name: string) {
  const dir = await logFolder()
  await writeFile(path.join(dir, name), bytes)
  const log = await openSegmentLog({ dir, partitions: ['a', 'b'], reserveBytes: 0 })
  const found = { a: await contents(log, 'a'), b: await contents(log, 'b'), damage: log.status().damage.places }
  await log.close()
  return found
}

function upTo(appends: number) {
  const a = [['before'], ['first'], ['x'.repeat(300)], ['third', '']]
  const b = [[], ['first in b'], [], ['third in b']]
  return { a: a.slice(0, appends + 1).flat(), b: b.slice(0, appends + 1).flat(), damage: 0 }
}

test('a log cut anywhere in its last group holds exactly the complete appends before the cut', async () => {
  const { file, ends } = await threeAppendsInAGroup()
  const bytes = await readFile(file)
  const cuts = fc.integer({ min: ends[0] as number, max: bytes.length })
  await fc.assert(
    fc.asyncProperty(cuts, async (cut) => {
      const complete = ends.filter((end) => end <= cut).length - 1
      expect(await recovered(bytes.subarray(0, cut), path.basename(file))).toEqual(upTo(complete))
    }),
    { numRuns: 60 },
  )
})

test('a wrong byte anywhere in the last group leaves exactly the complete appends before it', async () => {
  const { file, ends } = await threeAppendsInAGroup()
  const bytes = await readFile(file)
  const places = fc.integer({ min: ends[0] as number, max: bytes.length - 1 })
  await fc.assert(
    fc.asyncProperty(places, fc.integer({ min: 1, max: 255 }), async (at, change) => {
      const damaged = Buffer.from(bytes)
      damaged[at] = (damaged[at] as number) ^ change
      const complete = ends.filter((end) => end <= at).length - 1
      expect(await recovered(damaged, path.basename(file))).toEqual(upTo(complete))
    }),
    { numRuns: 60 },
  )
})

test('zeros behind the last group (a file that grew before its blocks were written) are cut off', async () => {
  const { file } = await threeAppendsInAGroup()
  const bytes = Buffer.concat([await readFile(file), Buffer.alloc(10_000)])
  expect(await recovered(bytes, path.basename(file))).toEqual(upTo(3))
})

test('the first record after a torn tail is not lost, and the cut is reported', async () => {
  const dir = await logFolder()
  const log = await openLog(dir)
  await log.append([entry('a', 'kept')])
  await log.append([entry('a', 'torn')])
  const copy = await crashedCopy(dir)
  const [file] = (await segmentFiles(copy)) as [string]
  const whole = (await stat(file)).size
  await truncate(file, whole - 3)
  const again = await openLog(copy)
  expect(again.status().cutBytes).toBe(16 + 1)
  expect((await stat(file)).size).toBe(whole - 20)
  await again.append([entry('a', 'after')])
  expect(await contents(again, 'a')).toEqual(['kept', 'after'])
})

test('a position that was readable before a tail was lost is not given to another record', async () => {
  const dir = await logFolder()
  const log = await openLog(dir)
  await log.append([entry('a', 'kept')])
  await log.append([entry('a', 'lost later')])
  const before = await readerOf(log).read('a', 0, { bytes: 1e6, records: 10 })
  const copy = await crashedCopy(dir)
  const [file] = (await segmentFiles(copy)) as [string]
  await flipByte(file, (await stat(file)).size - 1)
  const again = await openLog(copy)
  await again.append([entry('a', 'new')])
  const after = await readerOf(again).read('a', 0, { bytes: 1e6, records: 10 })
  expect(after.records[1]?.payload.toString()).toBe('new')
  expect(after.records[1]?.position).toBeGreaterThan(before.next)
})

test('damage in front of a later group is no torn tail: what follows it is kept, and the loss is counted once', async () => {
  const dir = await logFolder()
  const log = await openLog(dir)
  await log.append([entry('a', 'one')])
  await log.append([entry('a', 'rotten'), entry('b', 'beside it')])
  await log.append([entry('a', 'three')])
  const copy = await crashedCopy(dir)
  const [file] = (await segmentFiles(copy)) as [string]
  const rotten = (await readFile(file)).indexOf('rotten')
  await flipByte(file, rotten + 2)
  const again = await openLog(copy)
  expect(again.status().cutBytes).toBe(0)
  const reader = readerOf(again)
  const range = await reader.read('a', 0, { bytes: 1e6, records: 10 })
  expect(range.records.map(({ payload }) => payload.toString())).toEqual(['one', 'three'])
  await reader.read('a', 0, { bytes: 1e6, records: 10 })
  expect(again.status().damage).toEqual({ places: 1, bytes: 16 + 6 })
  expect(await contents(again, 'b')).toEqual(['beside it'])
})

test('behind a damaged head the next record is found, in an old segment as well', async () => {
  const dir = await logFolder()
  const log = await openLog(dir, { segmentBytes: 400 })
  const sent = numbered(40)
  for (const text of sent) await log.append([entry('a', text)])
  await log.close()
  const [, file] = (await segmentFiles(dir)) as [string, string]
  const bytes = await readFile(file)
  const hit = sent.findIndex((text) => bytes.includes(text)) + 1
  await flipByte(file, bytes.indexOf(sent[hit] as string) - 10)
  const again = await openLog(dir)
  expect(await contents(again, 'a')).toEqual(sent.filter((_, i) => i !== hit))
  expect(again.status().damage.places).toBe(1)
})

test('a segment whose header is damaged costs that segment, not the log', async () => {
  const dir = await logFolder()
  const log = await openLog(dir, { segmentBytes: 400 })
  const sent = numbered(40)
  for (const text of sent) await log.append([entry('a', text)])
  await log.close()
  const files = await segmentFiles(dir)
  const lost: string[] = []
  for (const file of [files[1] as string, files.at(-1) as string]) {
    const bytes = await readFile(file)
    lost.push(...sent.filter((text) => bytes.includes(text)))
    await flipByte(file, 40)
  }
  expect(files.length).toBeGreaterThan(3)
  const again = await openLog(dir)
  await again.append([entry('a', 'after')])
  const expected = [...sent.filter((text) => !lost.includes(text)), 'after']
  expect(await contents(again, 'a')).toEqual(expected)
  expect(again.status().damage.places).toBe(2)
})

test('a segment that lost its end is read to there, and the loss is counted', async () => {
  const dir = await logFolder()
  const log = await openLog(dir, { segmentBytes: 400 })
  const sent = numbered(20)
  for (const text of sent) await log.append([entry('a', text)])
  await log.close()
  const [file] = (await segmentFiles(dir)) as [string]
  const bytes = await readFile(file)
  const lastInFile = sent.filter((text) => bytes.includes(text)).length - 1
  await truncate(file, bytes.length - 3)
  const again = await openLog(dir)
  expect(await contents(again, 'a')).toEqual(sent.filter((_, i) => i !== lastInFile))
  expect(again.status().damage.places).toBe(1)
})

test('bytes of a payload that look like a frame are never taken for one', async () => {
  const dir = await logFolder()
  const log = await openLog(dir)
  await log.append([entry('a', 'inner')])
  const [file] = (await segmentFiles(dir)) as [string]
  const bytes = await readFile(file)
  const frame = bytes.subarray(bytes.indexOf('inner') - 16, bytes.indexOf('inner') + 5)
  await log.append([entry('a', frame)])
  await log.append([entry('a', 'last')])
  const copy = await crashedCopy(dir)
  const [copied] = (await segmentFiles(copy)) as [string]
  // Damage the head of the record that carries the frame.
  await flipByte(copied, bytes.length + 1)
  expect(await contents(await openLog(copy), 'a')).toEqual(['inner', 'last'])
})

test('what an interrupted creation of a segment left is removed', async () => {
  const dir = await logFolder()
  const log = await openLog(dir)
  await log.append([entry('a', 'one')])
  await log.close()
  const [file] = (await segmentFiles(dir)) as [string]
  await copyFile(file, path.join(dir, '0000000000099999.segment.new'))
  const again = await openLog(dir)
  expect(await contents(again, 'a')).toEqual(['one'])
  await expect(stat(path.join(dir, '0000000000099999.segment.new'))).rejects.toThrow('ENOENT')
})
