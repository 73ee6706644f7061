import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OwnClickHouse, startOwnClickHouse } from '../../../test/support/clickhouse.ts'
import { sql } from '../../engines/clickhouse/index.ts'
import { createLogger } from '../../lib/logger.ts'
import { deliver } from './deliver.ts'
import { encodedRows } from './delivery.ts'

const context = { log: createLogger('silent'), signal: new AbortController().signal }
let server: OwnClickHouse
beforeAll(async () => {
  server = await startOwnClickHouse()
  await server.clickhouse.command(`CREATE TABLE notes (id UInt64) ENGINE = MergeTree ORDER BY id
    SETTINGS non_replicated_deduplication_window = 1000`)
})
afterAll(() => server?.stop())

const stored = async () =>
  (await server.clickhouse.query<{ id: number }>(sql`SELECT id FROM notes ORDER BY id`)).rows.map(({ id }) => id)

test('a row that ClickHouse refuses, or that we cannot write, costs only itself, also when all is sent again', async () => {
  const items = Array.from({ length: 20 }, (_, id) => (id === 7 ? 'no number' : id))
  const encode = (some: readonly (number | string)[]) => {
    if (some.includes(13)) throw new TypeError('no such method')
    return Buffer.from(some.map((id) => JSON.stringify({ id })).join('\n'))
  }
  const delivery = encodedRows({ table: 'notes', token: 't', items, encode, textOf: String })
  for (let time = 0; time < 2; time++) {
    const refused = await deliver(server.clickhouse, delivery, context)
    expect(refused).toEqual([
      { table: 'notes', row: 'no number', error: expect.any(String) },
      { table: 'notes', row: '13', error: 'no such method' },
    ])
    expect(await stored()).toEqual([0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 14, 15, 16, 17, 18, 19])
  }
})
