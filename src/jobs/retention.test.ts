import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestClickHouse, type TestClickHouse } from '../../test/support/clickhouse.ts'
import { newProject } from '../../test/support/identity.ts'
import { seedEvents } from '../../test/support/insights/seed.ts'
import { startTestPostgres, type TestPostgres } from '../../test/support/postgres.ts'
import { sql } from '../engines/clickhouse/index.ts'
import { removeOldEvents } from './retention.ts'

describe('keeping events for so many days', () => {
  let postgres: TestPostgres
  let server: TestClickHouse
  beforeAll(async () => {
    ;[postgres, server] = await Promise.all([startTestPostgres(), startTestClickHouse()])
  })
  afterAll(() => Promise.all([postgres?.stop(), server?.stop()]))

  it('removes what is older, in the projects that say so', async () => {
    const [short, forever] = [await newProject(postgres.sql), await newProject(postgres.sql)]
    await postgres.sql`UPDATE projects SET data_retention_days = 30 WHERE id = ${short}`
    const events = [
      { event: 'old', distinctId: 'a', at: '2024-01-01T00:00:00Z' },
      { event: 'new', distinctId: 'a', at: '2024-05-01T00:00:00Z' },
    ]
    for (const project of [short, forever]) await seedEvents(server.clickhouse, project, events)
    const context = { sql: postgres.sql, clickhouse: server.clickhouse }
    expect(await removeOldEvents(context, new Date('2024-05-10T00:00:00Z'))).toEqual(new Map([[short, 1]]))
    expect(await removeOldEvents(context, new Date('2024-05-10T00:00:00Z'))).toEqual(new Map())
    const { rows } = await server.clickhouse.query(sql`SELECT project_id, event FROM events ORDER BY project_id, event`)
    expect(rows).toEqual([
      { project_id: short, event: 'new' },
      { project_id: forever, event: 'new' },
      { project_id: forever, event: 'old' },
    ])
  })
})
