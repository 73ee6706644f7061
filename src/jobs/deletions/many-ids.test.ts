import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestClickHouse, type TestClickHouse } from '../../../test/support/clickhouse.ts'
import { withFieldLimit } from '../../../test/support/field-limit.ts'
import { newProject } from '../../../test/support/identity.ts'
import { personUuid, seedEvents } from '../../../test/support/insights/seed.ts'
import { startTestPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import { sql as ch, ident, uint } from '../../engines/clickhouse/index.ts'
import { inTransaction } from '../../engines/postgres/index.ts'
import { createLogger } from '../../lib/logger.ts'
import { listDeletions, requestDeletion } from './queue.ts'
import { runDeletions } from './run.ts'

/** Persons with more ids than fit one parameter or one mutation, on an engine that refuses long parameters. */
let postgres: TestPostgres
let engine: TestClickHouse
let requestedBy: { id: number; email: string }

beforeAll(async () => {
  ;[postgres, engine] = await Promise.all([startTestPostgres(), startTestClickHouse()])
  const [user] = await postgres.sql<[{ id: number; email: string }]>`
    INSERT INTO users (email) VALUES ('owner@example.com') RETURNING id, email`
  requestedBy = user
})
afterAll(() => Promise.all([postgres?.stop(), engine?.stop()]))

const lines = (rows: readonly object[]): string => rows.map((row) => JSON.stringify(row)).join('\n')

/** A recording of each of them, received in 2020. */
async function seedRecordings(project: number, distinctIds: readonly string[]): Promise<void> {
  const [received, expires] = ['2020-01-01 00:00:00', '2100-01-01 00:00:00']
  const common = { project_id: project, expires_at: expires }
  const named = distinctIds.map((distinctId) => ({ ...common, session_id: `session of ${distinctId}`, distinctId }))
  const chunks = named.map(({ distinctId, ...row }) => ({ ...row, distinct_id: distinctId, received_at: received }))
  const minutes = named.map(({ distinctId, ...row }) => ({
    ...row,
    distinct_id: [0, distinctId],
    minute: received,
    last_received_at: received,
  }))
  await engine.clickhouse.insert('recording_chunks', lines(chunks))
  await engine.clickhouse.insert('recording_minutes', lines(minutes))
}

it.each([
  { what: '5,000 distinct ids', idCount: 5_000, formerCount: 0 },
  { what: '4,000 persons merged into it', idCount: 1, formerCount: 4_000 },
])('erases all of a person with $what', async ({ idCount, formerCount }) => {
  const project = await newProject(postgres.sql)
  const distinctIds = Array.from({ length: idCount }, (_, i) => `anonymous ${i}`)
  const former = Array.from({ length: formerCount }, (_, i) => `merged ${i}`)
  const formerUuids = former.map(personUuid)
  const all = [...distinctIds, ...former, 'somebody else']
  await seedEvents(
    engine.clickhouse,
    project,
    all.map((distinctId) => ({ event: 'x', at: '2020-01-01T00:00:00Z', distinctId, sessionId: `s ${distinctId}` })),
  )
  await seedRecordings(project, [...distinctIds, 'somebody else'])
  const copy = { is_deleted: 0, is_identified: 0, version: 1, created_at: '2020-01-01 00:00:00' }
  const copies = formerUuids.map((id) => ({ project_id: project, id, ...copy }))
  await engine.clickhouse.insert('persons', lines(copies))
  await postgres.sql`
    INSERT INTO person_tombstones (project_id, uuid, version) SELECT ${project}::int, uuid, 2 FROM unnest(${formerUuids}::uuid[]) AS uuid`
  const request = { project, distinctIds, formerUuids, deleteEvents: true, deleteRecordings: true, requestedBy }
  await inTransaction(postgres.sql, (tx) =>
    requestDeletion(tx, { ...request, personUuid: personUuid('themselves') }, new Date()),
  )

  const clickhouse = withFieldLimit(engine.clickhouse)
  const { done, failed } = await runDeletions({ sql: postgres.sql, clickhouse, log: createLogger('silent') }, null)
  const { deletions } = await listDeletions(postgres.sql, { project })
  expect(deletions).toMatchObject([
    {
      status: 'done',
      verified: true,
      eventsDeleted: idCount + formerCount,
      recordingsDeleted: idCount,
      error: null,
    },
  ])
  expect([done.length, failed.length]).toEqual([1, 0])
  const left = async (table: string) =>
    (
      await engine.clickhouse.query<{ n: number }>(
        ch`SELECT count() AS n FROM ${ident(table)} WHERE project_id = ${uint(project)}`,
      )
    ).rows.map(({ n }) => [table, Number(n)])
  const tables = ['events', 'sessions', 'recording_chunks', 'recording_minutes', 'persons']
  expect((await Promise.all(tables.map(left))).flat()).toEqual([
    ['events', 1],
    ['sessions', 1],
    ['recording_chunks', 1],
    ['recording_minutes', 1],
    ['persons', 0],
  ])
})
