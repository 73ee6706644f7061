import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type OwnPostgres, startOwnPostgres } from '../../../test/support/postgres.ts'
import { createLogger } from '../../lib/logger.ts'
import { openPostgres } from './client.ts'
import { applyPostgresMigrations, withMigrationLock } from './migrations.ts'
import type { Sql } from './sql.ts'

const log = createLogger('silent')
let postgres: OwnPostgres
let folder: string

beforeAll(async () => {
  postgres = await startOwnPostgres()
  folder = await mkdtemp(path.join(os.tmpdir(), 'footfall-migrations-'))
})

afterAll(async () => {
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
})

beforeEach(async () => {
  await postgres.sql`DROP TABLE IF EXISTS schema_migrations, one, two CASCADE`
  await rm(folder, { recursive: true })
  folder = await mkdtemp(path.join(os.tmpdir(), 'footfall-migrations-'))
  await write('001_one.sql', 'CREATE TABLE one (n integer); INSERT INTO one VALUES (1);')
  await write('002_two.sql', 'CREATE TABLE two (n integer);')
})

const write = (name: string, text: string) => writeFile(path.join(folder, name), text)
const migrate = () => applyPostgresMigrations(postgres.sql, log, { folder })
const applied = async () =>
  (await postgres.sql`SELECT name FROM schema_migrations ORDER BY number`).map((row) => row.name)

it('applies every file once, in order, however often it runs', async () => {
  await migrate()
  await migrate()
  expect(await applied()).toEqual(['001_one.sql', '002_two.sql'])
  expect(await postgres.sql`SELECT n FROM one`).toEqual([{ n: 1 }])
})

it('two processes that migrate at once do it once', async () => {
  const other = await openPostgres(postgres.embedded.connection, { log })
  await Promise.all([migrate(), applyPostgresMigrations(other, log, { folder }), migrate()])
  await other.end()
  expect(await postgres.sql`SELECT n FROM one`).toEqual([{ n: 1 }])
})

it('a file that fails leaves nothing of itself, and the ones before it in place', async () => {
  await write('002_two.sql', 'CREATE TABLE two (n integer); SELECT nonsense;')
  await expect(migrate()).rejects.toThrow(/^Migration 002_two\.sql failed and was rolled back: .*nonsense/)
  expect(await applied()).toEqual(['001_one.sql'])
  expect(await postgres.sql`SELECT to_regclass('two') AS two`).toEqual([{ two: null }])
})

it('an index of a large table is made beside open transactions, and again after it was interrupted', async () => {
  await migrate()
  // What is left when the making of an index is interrupted: one that is never used.
  await postgres.sql`INSERT INTO one VALUES (1)`
  await postgres.sql`CREATE UNIQUE INDEX CONCURRENTLY one_n ON one (n)`.catch(() => {})
  const valid = async () =>
    (await postgres.sql`SELECT indisvalid FROM pg_index WHERE indexrelid = 'one_n'::regclass`)[0]?.indisvalid
  expect(await valid()).toBe(false)
  const text = 'DROP INDEX CONCURRENTLY IF EXISTS one_n;\nCREATE INDEX CONCURRENTLY one_n ON one (n);'
  await write('003_index.sql', `-- without a transaction\n-- Why; and how.\n${text}`)
  const other = await openPostgres(postgres.embedded.connection, { log })
  await Promise.all([migrate(), applyPostgresMigrations(other, log, { folder }), migrate()])
  await other.end()
  expect(await valid()).toBe(true)
  expect(await applied()).toEqual(['001_one.sql', '002_two.sql', '003_index.sql'])
})

it('refuses a changed file by its name', async () => {
  await migrate()
  await write('001_one.sql', 'CREATE TABLE one (n bigint);')
  await expect(migrate()).rejects.toThrow(
    'Migration 001_one.sql was applied to the database but 001_one.sql now has another text',
  )
})

it('refuses a database that is newer than the code', async () => {
  await write('003_three.sql', 'SELECT 1;')
  await migrate()
  await rm(path.join(folder, '003_three.sql'))
  await expect(migrate()).rejects.toThrow('The database is newer than this Footfall: it has migration 003_three.sql')
})

it('the lock lets one in at a time, and frees itself when the work fails', async () => {
  const other = await openPostgres(postgres.embedded.connection, { log })
  let inside = 0
  const work = async () => {
    inside += 1
    expect(inside).toBe(1)
    await postgres.sql`SELECT pg_sleep(0.01)`
    inside -= 1
  }
  await expect(withMigrationLock(other, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await postgres.sql`SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid()`).toHaveLength(
    0,
  )
  await Promise.all([postgres.sql, other, postgres.sql, other].map((sql) => withMigrationLock(sql, work)))
  await other.end()
})

it('properties of some kilobytes stay in the row of their person, and persons are found by a part of their e-mail', async () => {
  const { sql } = postgres
  const [organization] = await sql`INSERT INTO organizations (name) VALUES ('Large') RETURNING id`
  await sql`INSERT INTO projects (id, organization_id, name, api_token) VALUES (9, ${organization?.id}, 'Large', 'phc_large')`
  await sql`
    INSERT INTO persons (project_id, uuid, created_at, properties)
    SELECT 9, gen_random_uuid(), now(), jsonb_build_object('email', n || '@example.com', 'text',
      (SELECT string_agg(md5(n || ' ' || part), '') FROM generate_series(1, 150) AS part))
    FROM generate_series(1, 200) AS n`
  const [size] = await sql`
    SELECT pg_relation_size(reltoastrelid) AS outside, (SELECT avg(length(properties::text)) FROM persons)::int AS mean
    FROM pg_class WHERE oid = 'persons'::regclass`
  expect(size).toMatchObject({ outside: 0, mean: expect.closeTo(4_850, -2) })
  const [plan] = await sql.begin(async (tx) => {
    await tx`SET LOCAL enable_seqscan = off`
    return tx`
      EXPLAIN (FORMAT JSON) SELECT 1 FROM persons p
      WHERE p.lower_email LIKE lower('%17@exam%')`
  })
  expect(JSON.stringify(plan)).toContain('persons_email_parts')
})

/** Beside the tables of this version, in a schema that new connections see alone, as migration `last` left it. */
async function asOf(last: number, work: (old: Sql) => Promise<void>): Promise<void> {
  await postgres.sql`DROP SCHEMA IF EXISTS older CASCADE`
  await postgres.sql`CREATE SCHEMA older`
  await postgres.sql`ALTER ROLE CURRENT_USER SET search_path = older`
  const old = await openPostgres(postgres.embedded.connection, { log })
  try {
    await applyPostgresMigrations(old, log, { only: Array.from({ length: last + 1 }, (_, number) => number) })
    await work(old)
  } finally {
    await old`ALTER ROLE CURRENT_USER RESET search_path`
    await old.end({ timeout: 1 })
  }
}

it('what version 0.1 wrote about accounts and deletions is carried forward', () =>
  asOf(75, async (old) => {
    const [organization] = await old`INSERT INTO organizations (name) VALUES ('Acme') RETURNING id`
    await old`INSERT INTO projects (id, organization_id, name, api_token) VALUES (1, ${organization?.id}, 'One', 'phc_old')`
    await old`INSERT INTO users (email) VALUES ('ada@example.com')`
    await old`INSERT INTO web_sessions (hash, user_id, expires_at) VALUES ('a', 1, now() + interval '1 day')`
    await old`
      INSERT INTO personal_api_keys (id, user_id, label, hash, mask_value, scopes) VALUES ('k', 1, 'mine', 'b', 'phx', '{*}')`
    await old`
      INSERT INTO deletions (project_id, person_uuid, former_uuids, distinct_ids, delete_events, delete_recordings,
        requested_by_email, scheduled_for, status)
      VALUES (1, gen_random_uuid(), '{}', '{ada@example.com,device}', true, true, 'ada@example.com', now(), 'pending')`
    await applyPostgresMigrations(old, log)
    expect(await old`SELECT id_hashes, traces_erased_at FROM deletions`).toEqual([
      { id_hashes: ['ada@example.com', 'device'].map(idHash), traces_erased_at: null },
    ])
    expect(await old`SELECT address, id IS NOT NULL AS named FROM web_sessions`).toEqual([
      { address: null, named: true },
    ])
    expect(await old`SELECT expires_at, allowed_addresses FROM personal_api_keys`).toEqual([
      { expires_at: null, allowed_addresses: [] },
    ])
    expect(await old`SELECT id, api_token FROM capture_projects`).toEqual([{ id: 1, api_token: 'phc_old' }])
  }))

it('a scheduled change is kept, and counts from when it is due', () =>
  asOf(142, async (old) => {
    const [organization] = await old`INSERT INTO organizations (name) VALUES ('Acme') RETURNING id`
    await old`INSERT INTO projects (id, organization_id, name, api_token) VALUES (1, ${organization?.id}, 'One', 'phc_old')`
    await old`
      INSERT INTO scheduled_changes (project_id, record_id, payload, scheduled_at, is_recurring, recurrence_interval)
      VALUES (1, '1', '{}', '2026-01-31T08:00:00Z', true, 'monthly')`
    await applyPostgresMigrations(old, log)
    expect(await old`SELECT scheduled_at, first_at FROM scheduled_changes`).toEqual([
      { scheduled_at: new Date('2026-01-31T08:00:00Z'), first_at: null },
    ])
  }))

const idHash = (id: string) => createHash('sha256').update(id).digest('hex')
