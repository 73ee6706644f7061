import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rename, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OwnClickHouse, startOwnClickHouse } from '../../../../test/support/clickhouse.ts'
import { testProgram } from '../../../../test/support/test-program.ts'
import { createLogger } from '../../../lib/logger.ts'
import { openClickHouse } from '../client.ts'
import { ident, sql, str } from '../sql.ts'
import { startEmbeddedClickHouse } from './index.ts'

const log = createLogger('silent')
let server: OwnClickHouse
beforeAll(async () => {
  server = await startOwnClickHouse()
})
afterAll(() => server?.stop())

/** Events of one batch, spread over several monthly partitions. */
const batch = (event: string, count: number): string =>
  Array.from({ length: count }, (_, i) =>
    JSON.stringify({
      project_id: 1,
      uuid: randomUUID(),
      event,
      timestamp: `2026-${String((i % 4) + 1).padStart(2, '0')}-10 10:00:00.000001`,
      received_at: '2026-04-10 10:00:01.000',
      distinct_id: `person-${i % 7}`,
      person_id: randomUUID(),
      properties: JSON.stringify({ $browser: 'Firefox', step: i, nested: { deep: [i] } }),
      person_properties: '{"plan":"free"}',
    }),
  ).join('\n')

async function stored(event: string): Promise<number | undefined> {
  const { rows } = await server.clickhouse.query<{ n: number }>(
    sql`SELECT count() AS n FROM events WHERE project_id = 1 AND event = ${str(event)}`,
  )
  return rows[0]?.n
}

async function killAndWait(meanwhile?: () => Promise<void>): Promise<void> {
  const before = server.embedded.restarts
  process.kill(server.embedded.pid as number, 'SIGKILL')
  await meanwhile?.()
  await expect.poll(() => server.embedded.restarts, { interval: 5 }).toBeGreaterThan(before)
  await server.embedded.whenReady()
}

test('a batch over several partitions and several blocks is stored once, however often it is sent', async () => {
  const rows = batch('blocks', 1_000)
  const settings = { max_insert_block_size: 100, min_insert_block_size_rows: 100, min_insert_block_size_bytes: 0 }
  for (let i = 0; i < 3; i++) await server.clickhouse.insert('events', rows, { token: 'blocks-1', settings })
  expect(await stored('blocks')).toBe(1_000)
  await server.clickhouse.insert('events', rows, { token: 'blocks-2', settings })
  expect(await stored('blocks')).toBe(2_000)
})

test('killed and back by itself: same address, every acknowledged row, and the token still counts', async () => {
  const rows = batch('acknowledged', 500)
  await server.clickhouse.insert('events', rows, { token: 'acknowledged-1' })
  await killAndWait()
  expect(server.embedded.state).toBe('ready')
  expect(await stored('acknowledged')).toBe(500)
  await server.clickhouse.insert('events', rows, { token: 'acknowledged-1' })
  expect(await stored('acknowledged')).toBe(500)
})

test('the first statement after a restart finds the new secret, of whatever kind it is', async () => {
  const { clickhouse } = server
  await clickhouse.command('CREATE TABLE kinds (a UInt32) ENGINE = MergeTree ORDER BY a')
  await clickhouse.insert('kinds', '{"a":1}', { token: 'kinds-1' })
  const rows: Buffer[] = []
  for await (const part of clickhouse.native(sql`SELECT a FROM kinds`)) rows.push(part)
  const kinds = [
    () => clickhouse.command('SELECT 1'),
    () => clickhouse.createDatabase(),
    () => clickhouse.insert('kinds', '{"a":2}', { token: 'kinds-2' }),
    () => clickhouse.insertNative('kinds', Readable.from(rows)),
  ]
  for (const statement of kinds) {
    await killAndWait()
    await statement()
  }
  expect((await clickhouse.query(sql`SELECT a FROM kinds ORDER BY a`)).rows).toEqual([{ a: 1 }, { a: 1 }, { a: 2 }])
})

test('killed in the middle of an insert: sent again it is stored exactly once', async () => {
  const spool = path.join(server.dataDir, 'clickhouse', 'spool')
  const rows = batch('interrupted', 4_000)
  const first = server.clickhouse.insert('events', rows, { token: 'interrupted-1' }).catch((error) => error)
  // Also when it was quicker than this looks: then it is stored, and the second time a repetition.
  let settled = false
  void first.then(() => {
    settled = true
  })
  while (!settled && (await readdir(spool)).length === 0);
  await killAndWait()
  await first
  // What the dead one left half-written is gone, too.
  expect(await readdir(spool)).toEqual([])
  await server.clickhouse.insert('events', rows, { token: 'interrupted-1' })
  expect(await stored('interrupted')).toBe(4_000)
})

test('an insert that cannot be spooled fails, and those after it on the same connection do not wait for it', async () => {
  const spool = path.join(server.dataDir, 'clickhouse', 'spool')
  const rows = batch('spooled', 400)
  for (let round = 0; round < 5; round++) {
    await rename(spool, `${spool}.away`)
    const failed = await Promise.allSettled([1, 2].map(() => server.clickhouse.insert('events', rows)))
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await rename(`${spool}.away`, spool)
    await server.clickhouse.insert('events', batch('afterwards', 1))
  }
  expect([await stored('spooled'), await stored('afterwards')]).toEqual([0, 5])
})

test('while it is away queries fail as unavailable', async () => {
  let failure: unknown
  await killAndWait(async () => {
    for (let tries = 0; failure === undefined && tries < 500; tries++)
      failure = await server.clickhouse.query(sql`SELECT 1`).then(
        () => undefined,
        (error) => error,
      )
  })
  expect(failure).toMatchObject({ name: 'ClickHouseFailure', kind: 'unavailable' })
})

test('a second owner of the folder is refused in words that help, and the first serves on', async () => {
  const second = startEmbeddedClickHouse({ dataDir: server.dataDir, log })
  await expect(second).rejects.toThrow(/another process already uses the ClickHouse data in .*FOOTFALL_DATA/)
  expect(await server.clickhouse.ping()).toBe(true)
})

test('a stop during a running query is quick and clean', async () => {
  const other = await startOwnClickHouse()
  const slow = other.clickhouse.query(
    sql`SELECT sum(sleepEachRow(0.1)) AS s FROM numbers(300) SETTINGS max_block_size = 1`,
  )
  const outcome = slow.catch((error) => error)
  const { rows } = await other.clickhouse.query(sql`SELECT 1 AS one`)
  expect(rows).toEqual([{ one: 1 }])
  await other.stop()
  expect(await outcome).toMatchObject({ name: 'ClickHouseFailure' })
  expect(other.embedded.state).toBe('stopped')
})

test('killed between noting a block and storing it: sent again its rows are stored', async () => {
  const other = await startOwnClickHouse()
  await other.clickhouse.command(
    'CREATE TABLE once (a UInt32) ENGINE = MergeTree ORDER BY a SETTINGS non_replicated_deduplication_window = 100',
  )
  await other.clickhouse.insert('once', '{"a":1}\n', { token: 'kept' })
  await other.clickhouse.insert('once', '{"a":2}\n', { token: 'cut' })
  const { rows } = await other.clickhouse.query<{ name: string; path: string }>(
    sql`SELECT name, path FROM system.parts WHERE table = 'once' AND active ORDER BY name`,
  )
  await other.embedded.stop()
  const cut = rows[1] as { name: string; path: string }
  // The state such a kill leaves: the note is there, the part still has its temporary name.
  await rename(cut.path, path.join(path.dirname(cut.path), `tmp_insert_${cut.name}`))

  const embedded = await startEmbeddedClickHouse({ dataDir: other.dataDir, log })
  const clickhouse = openClickHouse({ ...embedded, log })
  await clickhouse.insert('once', '{"a":1}\n', { token: 'kept' })
  await clickhouse.insert('once', '{"a":2}\n', { token: 'cut' })
  expect((await clickhouse.query(sql`SELECT a FROM once ORDER BY a`)).rows).toEqual([{ a: 1 }, { a: 2 }])
  await clickhouse.close()
  await embedded.stop()
  await other.stop()
})

/**
 * An insert that runs until it is cancelled: parts made meanwhile are in doubt, and looked through with the next
 * insert.
 */
async function whileAnInsertFails(work: () => Promise<void>): Promise<void> {
  const { clickhouse, embedded } = server
  await clickhouse.command(
    'CREATE TABLE IF NOT EXISTS slow (a UInt32, CONSTRAINT late CHECK sleepEachRow(0.1) = 0) ENGINE = MergeTree ORDER BY a',
  )
  const { url, username, password } = server.server
  const asked = new URLSearchParams({
    database: embedded.database,
    query: 'INSERT INTO slow FORMAT JSONEachRow',
    query_id: 'slow',
    function_sleep_max_microseconds_per_block: '0',
    max_insert_block_size: '1',
  })
  const failing = fetch(`${url}/?${asked}`, {
    method: 'POST',
    headers: { 'x-clickhouse-user': username, 'x-clickhouse-key': password },
    body: Array.from({ length: 3_000 }, (_, a) => `{"a":${a}}`).join('\n'),
  })
  const running = async () =>
    (
      await clickhouse.query(
        sql`SELECT 1 FROM system.processes WHERE query ILIKE '%INTO%slow%' AND query NOT ILIKE '%system.processes%'`,
      )
    ).rows.length
  await expect.poll(running).toBeGreaterThan(0)
  const before = embedded.restarts
  await work()
  await clickhouse.cancel('slow').catch(() => {})
  const answer = await failing.catch(() => null)
  if (answer !== null) expect(answer.status).toBe(500)
  // The engine looks at merged parts by itself too, now and then, and starts anew when one is not whole.
  else await expect.poll(() => embedded.restarts).toBeGreaterThan(before)
}

/**
 * A table for tests of its parts: rows of their own inserts, and what is wrong with the newest part when its disk was
 * full.
 */
async function tableOf(name: string) {
  const { clickhouse } = server
  await clickhouse.command(
    `CREATE TABLE ${name} (a UInt32, t String) ENGINE = MergeTree ORDER BY a SETTINGS non_replicated_deduplication_window = 100`,
  )
  return {
    insert: (a: number) => clickhouse.insert(name, `{"a":${a},"t":"${'x'.repeat(100)}"}`, { token: `t${a}` }),
    found: async () => (await clickhouse.query(sql`SELECT a FROM ${ident(name)} ORDER BY a`)).rows,
    async emptyTheMarks() {
      const { rows } = await clickhouse.query<{ path: string }>(
        sql`SELECT path FROM system.parts WHERE table = ${str(name)} AND active ORDER BY max_block_number DESC LIMIT 1`,
      )
      const part = rows[0]?.path as string
      const marks = (await readdir(part)).filter((file) => /\.c?mrk/.test(file))
      expect(marks).not.toEqual([])
      for (const file of marks) await truncate(path.join(part, file), 0)
    },
  }
}

test('after an insert that failed, a part that is not whole is dropped, and its rows are stored when they are sent again', async () => {
  const { insert, found, emptyTheMarks } = await tableOf('doubted')
  await insert(1)
  await whileAnInsertFails(async () => {
    await insert(2)
    await emptyTheMarks()
  })
  await expect(insert(3)).rejects.toMatchObject({ code: 243, message: expect.stringContaining('not written whole') })
  expect(await found()).toEqual([{ a: 1 }, { a: 3 }])
  // As whoever still has the rows does.
  for (const a of [2, 3]) await insert(a)
  expect(await found()).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }])
})

test('a part that was not merged whole gives way to the parts it was made of', async () => {
  const { insert, found, emptyTheMarks } = await tableOf('merged')
  for (const a of [1, 2, 3]) await insert(a)
  const before = server.embedded.restarts
  await whileAnInsertFails(async () => {
    await server.clickhouse.command('OPTIMIZE TABLE merged FINAL')
    await emptyTheMarks()
  })
  // The engine starts anew; whoever has the rows sends them until they are taken.
  const taken = () =>
    insert(4).then(
      () => true,
      () => false,
    )
  await expect.poll(taken).toBe(true)
  expect(server.embedded.restarts).toBeGreaterThan(before)
  for (const a of [1, 2, 3, 4]) await insert(a)
  expect(await found()).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }, { a: 4 }])
})

test('a parent that is killed takes its engine with it', async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'footfall-orphan-'))
  const program = `
    import { startEmbeddedClickHouse } from ${JSON.stringify(testProgram('library'))}
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    const embedded = await startEmbeddedClickHouse({ dataDir: ${JSON.stringify(dataDir)}, log })
    console.log(embedded.pid)`
  const parent = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(parent.stdout, 'data')) as [Buffer]
  const pid = Number(line.toString())
  // One that has ended may stand in the process table until somebody asks for its status.
  const alive = async () => {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    return stat !== '' && !/\) [ZX] /.test(stat)
  }
  expect(await alive()).toBe(true)
  parent.kill('SIGKILL')
  await expect.poll(alive).toBe(false)
  await rm(dataDir, { recursive: true, force: true })
})

test('the same folder opens again with all its rows', async () => {
  const count = await stored('acknowledged')
  await server.embedded.stop()
  const embedded = await startEmbeddedClickHouse({ dataDir: server.dataDir, log })
  const clickhouse = openClickHouse({ ...embedded, log })
  const { rows } = await clickhouse.query<{ n: number }>(
    sql`SELECT count() AS n FROM events WHERE event = 'acknowledged'`,
  )
  expect(rows).toEqual([{ n: count }])
  await clickhouse.close()
  await embedded.stop()
})
