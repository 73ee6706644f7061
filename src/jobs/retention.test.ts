import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestClickHouse, type TestClickHouse } from '../../test/support/clickhouse.ts'
import { newProject } from '../../test/support/identity.ts'
import { seedEvents } from '../../test/support/insights/seed.ts'
import { startTestPostgres, type TestPostgres } from '../../test/support/postgres.ts'
import { deleteProject, findProject } from '../accounts/index.ts'
import { ident, sql, uint } from '../engines/clickhouse/index.ts'
import { eraseDeletedProjects } from './erase-projects.ts'
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

  it('removes the sessions of the last day with events too, once that day is over', async () => {
    const project = await newProject(postgres.sql)
    await postgres.sql`UPDATE projects SET data_retention_days = 30 WHERE id = ${project}`
    const last = { event: 'last', distinctId: 'a', sessionId: 'early', at: '2024-03-31T01:00:00Z' }
    await seedEvents(server.clickhouse, project, [last])
    const context = { sql: postgres.sql, clickhouse: server.clickhouse }
    const left = async (table: string) =>
      (await server.clickhouse.query(sql`SELECT 1 FROM ${ident(table)} WHERE project_id = ${uint(project)}`)).rows
        .length
    await removeOldEvents(context, new Date('2024-04-30T03:00:00Z'))
    expect([await left('events'), await left('sessions')]).toEqual([0, 1])
    await removeOldEvents(context, new Date('2024-05-01T03:00:00Z'))
    expect(await left('sessions')).toBe(0)
  })

  it('erases what a deleted project has left in both engines, and what arrives later, but nothing of others', async () => {
    const db = postgres.sql
    const [gone, stays] = [await newProject(db), await newProject(db)]
    const fill = async (project: number) => {
      await seedEvents(server.clickhouse, project, [{ event: 'x', distinctId: 'a', at: '2024-05-01T00:00:00Z' }])
      const [board] = await db<{ id: number }[]>`
        INSERT INTO dashboards (project_id, name) VALUES (${project}, 'board') RETURNING id`
      await db`INSERT INTO dashboard_tiles (dashboard_id, body) VALUES (${board?.id ?? 0}, 'text')`
      await db`INSERT INTO persons (project_id, uuid, created_at) VALUES (${project}, gen_random_uuid(), now())`
    }
    for (const project of [gone, stays]) await fill(project)
    const project = await findProject(db, gone)
    if (!project) throw new Error('there is no project')
    await db.begin((tx) => deleteProject(tx, project))
    expect(await findProject(db, gone)).toBeUndefined()
    const context = { sql: db, clickhouse: server.clickhouse }
    const left = async (id: number) => [
      (await server.clickhouse.query(sql`SELECT 1 FROM events WHERE project_id = ${uint(id)}`)).rows.length,
      (await db`SELECT 1 FROM persons WHERE project_id = ${id}`).length,
      (await db`SELECT 1 FROM dashboards WHERE project_id = ${id}`).length,
    ]
    expect(await eraseDeletedProjects(context)).toEqual([gone])
    expect([await left(gone), await left(stays)]).toEqual([
      [0, 0, 0],
      [1, 1, 1],
    ])
    // Events that were still in the log find their project, and go with the next run.
    await fill(gone)
    expect(await eraseDeletedProjects(context)).toEqual([])
    await db`UPDATE deleted_projects SET erased_at = now() - interval '2 days'`
    expect(await eraseDeletedProjects(context)).toEqual([gone])
    expect(await left(gone)).toEqual([0, 0, 0])
  })
})
