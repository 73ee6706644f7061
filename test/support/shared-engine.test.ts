import { expect, it } from 'vitest'
import { openClickHouse, sql } from '../../src/engines/clickhouse/index.ts'
import { openPostgres } from '../../src/engines/postgres/index.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { startTestClickHouse } from './clickhouse.ts'
import { newProject } from './identity.ts'
import { startTestPostgres } from './postgres.ts'

const log = createLogger('silent')

it('a test file has a Postgres database of its own with every table, and nothing is left of it', async () => {
  const [one, other] = [await startTestPostgres(), await startTestPostgres()]
  await newProject(one.sql)
  expect(await one.sql`SELECT count(*)::int AS n FROM projects`).toEqual([{ n: 1 }])
  expect(await other.sql`SELECT count(*)::int AS n FROM projects`).toEqual([{ n: 0 }])
  await one.stop()
  await expect(openPostgres(one.embedded.connection, { log })).rejects.toThrow('does not exist')
  await other.stop()
})

it('and a ClickHouse database', async () => {
  const [one, other] = [await startTestClickHouse(), await startTestClickHouse()]
  await one.clickhouse.command("INSERT INTO schema_migrations (number, file) VALUES (999, 'of one')")
  const migrations = sql`SELECT count() AS n FROM schema_migrations WHERE number = 999`
  expect((await one.clickhouse.query(migrations)).rows).toEqual([{ n: 1 }])
  expect((await other.clickhouse.query(migrations)).rows).toEqual([{ n: 0 }])
  await one.stop()
  const gone = openClickHouse({ ...one.embedded, log })
  await expect(gone.query(migrations)).rejects.toMatchObject({ code: 81 })
  await gone.close()
  await other.stop()
})
