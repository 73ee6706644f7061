import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type OwnPostgres, startOwnPostgres } from '../../../test/support/postgres.ts'
import { createLogger } from '../../lib/logger.ts'
import { openPostgres } from './client.ts'
import { applyPostgresMigrations, withMigrationLock } from './migrations.ts'

const log = createLogger('silent')
let postgres: OwnPostgres
let folder: string

beforeAll(async () => {
  postgres = await startOwnPostgres()
  folder = await mkdtemp(path.join(os.tmpdir(), 'footfall-migrations-'))
})

afterAll(async () => {
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
})

beforeEach(async () => {
  await postgres.sql`DROP TABLE IF EXISTS schema_migrations, one, two CASCADE`
  await rm(folder, { recursive: true })
  folder = await mkdtemp(path.join(os.tmpdir(), 'footfall-migrations-'))
  await write('001_one.sql', 'CREATE TABLE one (n integer); INSERT INTO one VALUES (1);')
  await write('002_two.sql', 'CREATE TABLE two (n integer);')
})

const write = (name: string, text: string) => writeFile(path.join(folder, name), text)
const migrate = () => applyPostgresMigrations(postgres.sql, log, { folder })
const applied = async () =>
  (await postgres.sql`SELECT name FROM schema_migrations ORDER BY number`).map((row) => row.name)

it('applies every file once, in order, however often it runs', async () => {
  await migrate()
  await migrate()
  expect(await applied()).toEqual(['001_one.sql', '002_two.sql'])
  expect(await postgres.sql`SELECT n FROM one`).toEqual([{ n: 1 }])
})

it('two processes that migrate at once do it once', async () => {
  const other = await openPostgres(postgres.embedded.connection, { log })
  await Promise.all([migrate(), applyPostgresMigrations(other, log, { folder }), migrate()])
  await other.end()
  expect(await postgres.sql`SELECT n FROM one`).toEqual([{ n: 1 }])
})

it('a file that fails leaves nothing of itself, and the ones before it in place', async () => {
  await write('002_two.sql', 'CREATE TABLE two (n integer); SELECT nonsense;')
  await expect(migrate()).rejects.toThrow(/^Migration 002_two\.sql failed and was rolled back: .*nonsense/)
  expect(await applied()).toEqual(['001_one.sql'])
  expect(await postgres.sql`SELECT to_regclass('two') AS two`).toEqual([{ two: null }])
})

it('refuses a changed file by its name', async () => {
  await migrate()
  await write('001_one.sql', 'CREATE TABLE one (n bigint);')
  await expect(migrate()).rejects.toThrow(
    'Migration 001_one.sql was applied to the database but 001_one.sql now has another text',
  )
})

it('refuses a database that is newer than the code', async () => {
  await write('003_three.sql', 'SELECT 1;')
  await migrate()
  await rm(path.join(folder, '003_three.sql'))
  await expect(migrate()).rejects.toThrow('The database is newer than this Footfall: it has migration 003_three.sql')
})

it('the lock lets one in at a time, and frees itself when the work fails', async () => {
  const other = await openPostgres(postgres.embedded.connection, { log })
  let inside = 0
  const work = async () => {
    inside += 1
    expect(inside).toBe(1)
    await postgres.sql`SELECT pg_sleep(0.01)`
    inside -= 1
  }
  await expect(withMigrationLock(other, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  await Promise.all([postgres.sql, other, postgres.sql, other].map((sql) => withMigrationLock(sql, work)))
  await other.end()
})
