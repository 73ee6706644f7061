import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OwnClickHouse, startOwnClickHouse } from '../../test/support/clickhouse.ts'
import { ident, sql } from '../engines/clickhouse/index.ts'
import { createLogger } from '../lib/logger.ts'
import { makeClones } from './clickhouse-tables.ts'
import { dumpClickHouse } from './dump-clickhouse.ts'
import { readPacked, type WriteFile, writePacked } from './packed-file.ts'

/** More than the buffers between the engine and a file hold. */
const ROWS = 20_000
const ROW_BYTES = 1_000

const log = createLogger('silent')
let engine: OwnClickHouse
let dir: string
beforeAll(async () => {
  engine = await startOwnClickHouse()
  dir = await mkdtemp(path.join(os.tmpdir(), 'footfall-dump-'))
  const { clickhouse } = engine
  await clickhouse.command(
    'CREATE TABLE large (month UInt8, text String) ENGINE = MergeTree PARTITION BY month ORDER BY text',
  )
  await clickhouse.command(
    `INSERT INTO large SELECT number % 2, leftPad(toString(number), ${ROW_BYTES}) FROM numbers(${ROWS})`,
  )
  await makeClones(clickhouse, ['large'])
})
afterAll(async () => {
  await engine?.stop()
  await rm(dir, { recursive: true, force: true })
})

const end = () => process.kill(engine.embedded.pid as number, 'SIGKILL')

/** Writes files as a backup does. Calls `onPart` with how often a file was begun and how many parts of it have come. */
function writeTo(folder: string, onPart: (begun: number, part: number) => void): WriteFile {
  let begun = 0
  return async (name, source) => {
    begun++
    let part = 0
    const watched = async function* () {
      for await (const bytes of source) {
        onPart(begun, ++part)
        yield bytes
      }
    }
    await writePacked(path.join(dir, folder, name), watched())
    return name
  }
}

const dump = (write: WriteFile, signal = new AbortController().signal) =>
  dumpClickHouse(engine.clickhouse, { tables: ['large'], write, log, signal })

/** Loads a dump into a table and counts its rows, and how many of them are different. */
async function loaded(folder: string, { tables }: Awaited<ReturnType<typeof dump>>): Promise<unknown> {
  const { clickhouse } = engine
  await clickhouse.command(sql`CREATE TABLE ${ident(folder)} AS large`)
  for (const { file } of tables[0]?.pieces ?? [])
    await clickhouse.insertNative(folder, readPacked(path.join(dir, folder, file)))
  const { rows } = await clickhouse.query(sql`SELECT count() AS rows, uniqExact(text) AS texts FROM ${ident(folder)}`)
  return rows[0]
}

test('an engine that ends in the middle of a file, and of the next one, is read again', async () => {
  const dumped = await dump(
    writeTo('ended', (begun, part) => {
      if ((begun === 1 || begun === 3) && part === 2) end()
    }),
  )
  expect(dumped.tables[0]?.pieces.map(({ rows }) => rows)).toEqual([ROWS / 2, ROWS / 2])
  expect(await loaded('ended', dumped)).toEqual({ rows: ROWS, texts: ROWS })
})

test('a file that ends the engine each time is given up', async () => {
  let last = 0
  const write = writeTo('deadly', (begun, part) => {
    last = begun
    if (part === 2) end()
  })
  await expect(dump(write)).rejects.toThrow('ClickHouse does not answer')
  expect(last).toBe(3)
})

test('nothing is waited for when the service has ended', async () => {
  const ended = new AbortController()
  const write = writeTo('called-off', (_, part) => {
    if (part !== 2) return
    end()
    ended.abort(new Error('the service has ended'))
  })
  await expect(dump(write, ended.signal)).rejects.toThrow('the service has ended')
})
