import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSegmentLog } from './open.ts'
import { openSegmentReader } from './reader.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'log-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const entry = (partition: string, text: string) => ({ partition, payload: Buffer.from(text) })
const ALL = { bytes: 1e9, records: 1e6 }

test('what was appended is read back in its partition, in order, before and after a restart', async () => {
  const log = await openSegmentLog({ dir, partitions: ['a', 'b'], reserveBytes: 0 })
  await log.append([entry('a', 'one'), entry('b', 'two'), entry('a', 'three')])
  await Promise.all([log.append([entry('a', 'four')]), log.append([entry('b', 'five')])])
  const reader = openSegmentReader(log.readerHandle())
  const a = await reader.read('a', 0, ALL)
  const b = await reader.read('b', 0, ALL)
  expect(a.records.map(({ payload }) => String(payload))).toEqual(['one', 'three', 'four'])
  expect(b.records.map(({ payload }) => String(payload))).toEqual(['two', 'five'])
  expect(log.status()).toMatchObject({ appends: 3, groups: 2, records: 5, writable: true })
  await reader.close()
  await log.close()

  const again = await openSegmentLog({ dir, partitions: ['b', 'c', 'a'], reserveBytes: 0 })
  await again.append([entry('c', 'six'), entry('a', 'seven')])
  const second = openSegmentReader(again.readerHandle())
  const rest = await second.read('a', 0, ALL)
  expect(rest.records.slice(0, 3)).toEqual(a.records)
  expect(rest.records.map(({ payload }) => String(payload))).toEqual(['one', 'three', 'four', 'seven'])
  expect((await second.read('a', a.next, ALL)).records.map(({ payload }) => String(payload))).toEqual(['seven'])
  await second.close()
  await again.close()
})
