import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestClickHouse, type TestClickHouse } from '../../../test/support/clickhouse.ts'
import { sql, str, strings, uint } from './sql.ts'

let house: TestClickHouse
beforeAll(async () => {
  house = await startTestClickHouse()
})
afterAll(() => house?.stop())

test('values travel as parameters and come back as they were', async () => {
  const { rows } = await house.clickhouse.query(
    sql`SELECT ${str("it's\t\\a\nline")} AS text, ${strings(['a', "b'"])} AS list, ${uint(5)} AS number`,
  )
  expect(rows).toEqual([{ text: "it's\t\\a\nline", list: ['a', "b'"], number: 5 }])
})

test('a batch sent twice under one token is stored once', async () => {
  const rows = ['a', 'b'].map((id) => JSON.stringify({ project_id: 1, group_key: id })).join('\n')
  await house.clickhouse.command(
    'CREATE TABLE once (a String) ENGINE = MergeTree ORDER BY a SETTINGS non_replicated_deduplication_window = 100',
  )
  void rows
  expect(await house.clickhouse.insert('once', '{"a":"1"}\n{"a":"2"}\n', { token: 't1' })).toBe(2)
  await house.clickhouse.insert('once', '{"a":"1"}\n{"a":"2"}\n', { token: 't1' })
  const { rows: counted } = await house.clickhouse.query<{ n: number }>(sql`SELECT count() AS n FROM once`)
  expect(counted).toEqual([{ n: 2 }])
})
