import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestClickHouse, type TestClickHouse } from '../../../test/support/clickhouse.ts'
import { anEvent, newProject, one } from '../../../test/support/identity.ts'
import { startTestPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import { type ClickHouse, openClickHouse, sql, uint } from '../../engines/clickhouse/index.ts'
import { flushQueue, pending } from '../../engines/outbox.ts'
import { createLogger } from '../../lib/logger.ts'
import { API_QUEUE, changeAndCopy } from './change-and-copy.ts'
import { patchPersonProperties } from './change-persons.ts'

describe('a change with a copy in ClickHouse', () => {
  let postgres: TestPostgres
  let server: TestClickHouse
  const log = createLogger('silent')
  /** An address where nobody listens. */
  const away = openClickHouse({ url: 'http://127.0.0.1:9', log })
  beforeAll(async () => {
    ;[postgres, server] = await Promise.all([startTestPostgres(), startTestClickHouse()])
  })
  afterAll(() => Promise.all([postgres?.stop(), server?.stop(), away.close()]))

  const rename = (project: number, uuid: string, clickhouse: ClickHouse, name: string) =>
    changeAndCopy({ sql: postgres.sql, clickhouse, log }, async (tx) => {
      const changed = await patchPersonProperties(tx, project, uuid, { set: { name } })
      if (!changed) throw new Error('nobody there')
      return { result: changed.person, rows: changed.rows }
    })
  const names = async (project: number) =>
    (
      await server.clickhouse.query<{ properties: string }>(
        sql`SELECT properties FROM persons FINAL WHERE project_id = ${uint(project)}`,
      )
    ).rows.map(({ properties }) => JSON.parse(properties).name)
  const aPerson = async () => {
    const project = await newProject(postgres.sql)
    return { project, uuid: (await one(postgres.sql, anEvent(project, 'x', 'ada'))).personId }
  }

  it('is there at once, and nothing is owed', async () => {
    const { project, uuid } = await aPerson()
    await rename(project, uuid, server.clickhouse, 'Ada')
    expect(await names(project)).toEqual(['Ada'])
    expect(await pending(postgres.sql, API_QUEUE)).toEqual([])
  })

  it('holds while ClickHouse is away, and is sent later', async () => {
    const { project, uuid } = await aPerson()
    expect((await rename(project, uuid, away, 'Grace')).properties).toMatchObject({ name: 'Grace' })
    expect(await names(project)).toEqual([])
    const insert = async (table: string, rows: Buffer, options: { token: string }) => {
      await server.clickhouse.insert(table, rows, options)
    }
    expect(await flushQueue({ sql: postgres.sql, queue: API_QUEUE, clickhouse: { insert } })).toBe(1)
    expect(await names(project)).toEqual(['Grace'])
  })

  it('promises nothing when the change itself fails', async () => {
    const { project } = await aPerson()
    await expect(rename(project, crypto.randomUUID(), server.clickhouse, 'Nobody')).rejects.toThrow('nobody there')
    expect(await pending(postgres.sql, API_QUEUE)).toEqual([])
  })
})
