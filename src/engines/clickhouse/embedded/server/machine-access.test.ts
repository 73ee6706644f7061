import { readdir, readFile, readlink, stat } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OwnClickHouse, startOwnClickHouse } from '../../../../../test/support/clickhouse.ts'
import { openToOthers } from '../../../../../test/support/open-to-others.ts'
import { createLogger } from '../../../../lib/logger.ts'
import { openClickHouse } from '../../client.ts'

/**
 * The engine works on its own tables: nothing of the machine can be reached through it, with the right password
 * neither.
 */
let engine: OwnClickHouse
beforeAll(async () => {
  engine = await startOwnClickHouse()
  await engine.clickhouse.command('CREATE TABLE lines (line String) ENGINE = MergeTree ORDER BY line')
})
afterAll(() => engine?.stop())

const DENIED = { code: 497 }

test.each([
  "SELECT * FROM file('/etc/hostname', 'LineAsString')",
  "SELECT * FROM file/**/('/etc/hostname', 'LineAsString')",
  "SELECT file('/etc/hostname')",
  "SELECT `file`('/etc/hostname')",
  "SELECT `fi\\x6ce`('/etc/hostname')",
  'SELECT "f\\ile"\n(\'/etc/hostname\')',
  "SELECT * FROM filesystem('/etc')",
  "SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')",
  "SELECT * FROM s3('http://127.0.0.1:1/a.csv')",
  "SELECT * FROM remote('127.0.0.1:1', system.one)",
  "SELECT * FROM mysql('127.0.0.1:1', 'a', 'b', 'c', 'd')",
  "SELECT * FROM postgresql('127.0.0.1:1', 'a', 'b', 'c', 'd')",
  "SELECT * FROM sqlite('/tmp/a.db', 't')",
  "CREATE TABLE taken (line String) ENGINE = File(LineAsString, '/etc/hostname')",
  "CREATE TABLE taken (line String) ENGINE = URL('http://127.0.0.1:1/', 'LineAsString')",
  "CREATE DATABASE taken ENGINE = Filesystem('/etc')",
  "CREATE DICTIONARY taken (a UInt64) PRIMARY KEY a SOURCE(EXECUTABLE(COMMAND 'id' FORMAT 'TSV')) LAYOUT(FLAT()) LIFETIME(0)",
  'CREATE FUNCTION taken AS (x) -> x',
  "INSERT INTO lines FROM INFILE '/etc/hostname' FORMAT LineAsString",
  "SELECT 1 INTO OUTFILE '/tmp/taken'",
  "SELECT 1 INTO/**/outfile '/tmp/taken'",
  "BACKUP TABLE lines TO File('/tmp/taken')",
  'CREATE USER taken',
  'GRANT READ ON FILE TO default',
])('%s is refused', async (statement) => {
  await expect(engine.clickhouse.command(statement)).rejects.toMatchObject(DENIED)
})

test('the name of a file is not the name of a table', async () => {
  for (const database of ['footfall', 'default']) {
    const clickhouse = openClickHouse({ ...engine.embedded, database, log: createLogger('silent') })
    const refused = await clickhouse.command("SELECT * FROM '/etc/hostname'").catch((error) => error)
    expect([60, 497]).toContain(refused.code)
    await clickhouse.close()
  }
})

test('rows of a body cannot come from elsewhere', async () => {
  const { url, username, password } = engine.server
  const query = encodeURIComponent("INSERT INTO lines FROM INFILE '/etc/hostname' FORMAT LineAsString")
  const headers = { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
  const answer = await fetch(`${url}/?query=${query}`, { method: 'POST', body: 'a', headers })
  expect([answer.status, answer.headers.get('x-clickhouse-exception-code')]).toEqual([500, '497'])
})

test('programs can be run from a folder of the engine only, and there are none', async () => {
  await expect(
    engine.clickhouse.command("SELECT * FROM executable('id', 'LineAsString', 'a String')"),
  ).rejects.toMatchObject({ code: 1 })
})

test('socket, secret and everything else in the folder are for their owner only', async () => {
  const folder = path.join(engine.dataDir, 'clickhouse')
  expect(openToOthers(folder)).toEqual([])
  expect((await stat(engine.embedded.socket)).isSocket()).toBe(true)
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
})

test('nobody listens on an address', async () => {
  const { pid } = engine.embedded
  const sockets = new Set<string>()
  for (const table of ['tcp', 'tcp6'])
    for (const line of (await readFile(`/proc/${pid}/net/${table}`, 'utf8')).split('\n').slice(1))
      if (/^\s*\d+: \S+ \S+ 0A /.test(line)) sockets.add(line.trim().split(/\s+/)[9] as string)
  const files = await readdir(`/proc/${pid}/fd`)
  // Some are closed before they are looked at.
  const held = await Promise.all(files.map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => '')))
  expect([...sockets].filter((inode) => held.includes(`socket:[${inode}]`))).toEqual([])
})

test('a started engine has a new secret, the old one is refused, and clients go on by themselves', async () => {
  const before = await readFile(engine.embedded.secretFile, 'utf8')
  const restarts = engine.embedded.restarts
  process.kill(engine.embedded.pid as number, 'SIGKILL')
  await expect.poll(() => engine.embedded.restarts).toBeGreaterThan(restarts)
  await engine.embedded.whenReady()
  expect(await readFile(engine.embedded.secretFile, 'utf8')).not.toBe(before)
  const headers = { authorization: `Basic ${Buffer.from(`footfall:${before}`).toString('base64')}` }
  expect((await fetch(`${engine.server.url}/?query=SELECT%201`, { headers })).status).toBe(403)
  await engine.clickhouse.insert('lines', '{"line":"kept"}\n')
  await engine.clickhouse.command('SELECT 1')
})
