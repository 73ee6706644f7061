import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OwnClickHouse, startOwnClickHouse } from '../../../test/support/clickhouse.ts'
import { createLogger } from '../../lib/logger.ts'
import { openClickHouse } from './client.ts'
import { applyClickHouseMigrations } from './migrations.ts'
import { sql } from './sql.ts'

const log = createLogger('silent')
let server: OwnClickHouse
beforeAll(async () => {
  server = await startOwnClickHouse()
})
afterAll(() => server?.stop())

const applied = async () =>
  (await server.clickhouse.query(sql`SELECT number, file FROM schema_migrations ORDER BY number`)).rows

test('every file is applied once, also when asked twice', async () => {
  const once = await applied()
  expect(once[0]).toEqual({ number: 1, file: '001_events.sql' })
  await applyClickHouseMigrations(server.clickhouse, log)
  expect(await applied()).toEqual(once)
})

test('a file that was cut in half is run again from its start', async () => {
  const before = await applied()
  await server.clickhouse.command('TRUNCATE TABLE schema_migrations')
  await server.clickhouse.command('DROP TABLE groups SYNC')
  await applyClickHouseMigrations(server.clickhouse, log)
  expect(await applied()).toEqual(before)
  expect((await server.clickhouse.query(sql`SELECT count() AS n FROM groups`)).rows).toEqual([{ n: 0 }])
})

test('a database that is missing is created', async () => {
  const fresh = openClickHouse({ ...server.embedded, database: 'fresh', log })
  await expect(fresh.query(sql`SELECT 1`)).rejects.toMatchObject({ code: 81, kind: 'bad_query' })
  await applyClickHouseMigrations(fresh, log)
  expect((await fresh.query(sql`SELECT count() AS n FROM events`)).rows).toEqual([{ n: 0 }])
  await fresh.close()
})
