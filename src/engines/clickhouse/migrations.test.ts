import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OwnClickHouse, startOwnClickHouse } from '../../../test/support/clickhouse.ts'
import { createLogger } from '../../lib/logger.ts'
import { openClickHouse } from './client.ts'
import { applyClickHouseMigrations } from './migrations.ts'
import { sql } from './sql.ts'

const log = createLogger('silent')
let house: OwnClickHouse
beforeAll(async () => {
  house = await startOwnClickHouse()
})
afterAll(() => house?.stop())

const applied = async () =>
  (await house.clickhouse.query(sql`SELECT number, file FROM schema_migrations ORDER BY number`)).rows

test('every file is applied once, also when asked twice', async () => {
  const once = await applied()
  expect(once[0]).toEqual({ number: 1, file: '001_events.sql' })
  await applyClickHouseMigrations(house.clickhouse, log)
  expect(await applied()).toEqual(once)
})

test('a file that was cut in half is run again from its start', async () => {
  const before = await applied()
  await house.clickhouse.command('TRUNCATE TABLE schema_migrations')
  await house.clickhouse.command('DROP TABLE groups SYNC')
  await applyClickHouseMigrations(house.clickhouse, log)
  expect(await applied()).toEqual(before)
  expect((await house.clickhouse.query(sql`SELECT count() AS n FROM groups`)).rows).toEqual([{ n: 0 }])
})

test('a database that is missing is created', async () => {
  const fresh = openClickHouse({ ...house.embedded, database: 'fresh', log })
  await expect(fresh.query(sql`SELECT 1`)).rejects.toMatchObject({ code: 81, kind: 'bad_query' })
  await applyClickHouseMigrations(fresh, log)
  expect((await fresh.query(sql`SELECT count() AS n FROM events`)).rows).toEqual([{ n: 0 }])
  await fresh.close()
})
