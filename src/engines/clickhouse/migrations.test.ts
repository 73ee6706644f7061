import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OwnClickHouse, startOwnClickHouse } from '../../../test/support/clickhouse.ts'
import { createLogger } from '../../lib/logger.ts'
import { openClickHouse } from './client.ts'
import { applyClickHouseMigrations } from './migrations.ts'
import { placeOldData } from './old-data.ts'
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

test('old data move to another volume, or stay, as the settings say', async () => {
  const { clickhouse } = server
  const definitions = async () => {
    const { rows } = await clickhouse.query<{ name: string; rules: string }>(sql`
      SELECT name, extract(engine_full, 'TTL (.*) SETTINGS') AS rules FROM system.tables
      WHERE database = currentDatabase() AND name IN ('events', 'recording_chunks') ORDER BY name`)
    return rows.map(({ rules }) => rules)
  }
  const before = await definitions()
  expect(before).toEqual(['', 'expires_at'])
  // The only policy that the embedded engine has, and its volume.
  const here = { policy: 'default', volume: 'default' }
  for (const days of [90, 90, 30]) {
    await placeOldData(clickhouse, { ...here, days }, log)
    expect(await definitions()).toEqual([
      `toDateTime(timestamp) + toIntervalDay(${days}) TO VOLUME 'default'`,
      `expires_at, toDateTime(received_at) + toIntervalDay(${days}) TO VOLUME 'default'`,
    ])
  }
  await placeOldData(clickhouse, null, log)
  expect(await definitions()).toEqual(before)
  await expect(placeOldData(clickhouse, { ...here, volume: 'none', days: 1 }, log)).rejects.toThrow('none')
  await placeOldData(clickhouse, null, log)
})
