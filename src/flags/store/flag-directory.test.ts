import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import type { Sql } from '../../engines/postgres/index.ts'
import { readLedger } from '../../events/index.ts'
import { createLogger } from '../../lib/logger.ts'
import { evaluateFlags } from '../rules/evaluate.ts'
import { BehaviourCohorts } from './behaviour-cohorts.ts'
import { type OpenFlagDirectory, openFlagDirectory } from './flag-directory.ts'
import { SubjectReader } from './subject-reader.ts'

const LONG = 3_600_000
const log = createLogger('silent')
let postgres: TestPostgres
let sql: Sql
let project: number
beforeAll(async () => {
  postgres = await startTestPostgres()
  sql = postgres.sql
  const [organization] = await sql<[{ id: string }]>`INSERT INTO organizations (name) VALUES ('Acme') RETURNING id`
  const [row] = await sql<[{ id: number }]>`
    INSERT INTO projects (organization_id, name, api_token) VALUES (${organization.id}, 'One', 'phc_one') RETURNING id`
  project = row.id
})
afterAll(() => postgres?.stop())

const EVERYBODY = { groups: [{ properties: [], rollout_percentage: 100 }] }
const addFlag = (key: string, filters: unknown = EVERYBODY) =>
  sql`INSERT INTO feature_flags (project_id, key, filters) VALUES (${project}, ${key}, ${sql.json(filters as never)})`
const keysOf = (directory: OpenFlagDirectory) => directory.of(project)?.flags.map(({ stored }) => stored.key) ?? []

async function withDirectories(
  count: number,
  run: (...directories: OpenFlagDirectory[]) => Promise<void>,
  options: { pollMs?: number } = {},
): Promise<void> {
  const opened = Array.from({ length: count }, () => openFlagDirectory(sql, { log, pollMs: LONG, ...options }))
  const directories = await Promise.all(opened)
  try {
    await run(...directories)
  } finally {
    await Promise.all(directories.map((directory) => directory.close()))
  }
}

test('a change is seen by every process, and one that changes nothing of it is not read again', async () => {
  await addFlag('first')
  await withDirectories(2, async (one, two) => {
    for (const directory of [one, two]) expect(keysOf(directory as OpenFlagDirectory)).toEqual(['first'])
    const before = one?.of(project)?.flags[0]
    await addFlag('second')
    for (const directory of [one, two])
      await expect.poll(() => keysOf(directory as OpenFlagDirectory)).toEqual(['first', 'second'])
    // A flag whose row is the same is not compiled again.
    expect(one?.of(project)?.flags[0]).toBe(before)
    await sql`UPDATE feature_flags SET deleted = true WHERE project_id = ${project}`
    for (const directory of [one, two])
      await expect.poll(() => (directory as OpenFlagDirectory).of(project)).toBeUndefined()
  })
})

test('a change whose announcement was lost is found by the poll', async () => {
  await addFlag('polled')
  await withDirectories(
    1,
    async (directory) => {
      await sql`ALTER TABLE feature_flags DISABLE TRIGGER feature_flags_changed`
      await sql`UPDATE feature_flags SET active = false WHERE key = 'polled'`
      await sql`ALTER TABLE feature_flags ENABLE TRIGGER feature_flags_changed`
      await expect.poll(() => directory?.of(project)?.flags[0]?.stored.active).toBe(false)
    },
    { pollMs: 20 },
  )
  await sql`DELETE FROM feature_flags`
})

test('a definition that cannot be read is off, and once in the ledger, whoever reads it', async () => {
  await addFlag('broken', { groups: [{ properties: [{ key: 'a', operator: 'resembles', value: 1 }] }] })
  await addFlag('sound')
  await withDirectories(2, async (one) => {
    const flags = one?.of(project)
    if (!flags) throw new Error('no flags')
    const subject = { distinctId: 'u', groups: {}, personProperties: {}, groupProperties: {}, stored: null, now: 0 }
    expect(evaluateFlags(flags, subject)).toMatchObject([
      { key: 'broken', enabled: false, reason: { code: 'flag_disabled' } },
      { key: 'sound', enabled: true },
    ])
    const warnings = (await readLedger(sql, project)).filter(({ type }) => type === 'feature_flag_unreadable')
    expect(warnings).toMatchObject([
      {
        count: 1,
        samples: [{ details: { key: 'broken', problem: expect.stringContaining('groups.0.properties.0') } }],
      },
    ])
  })
  await sql`DELETE FROM feature_flags`
})

test('many who ask about many persons at once become a few statements', async () => {
  await addFlag('pro', { groups: [{ properties: [{ key: 'plan', value: 'pro', type: 'person' }] }] })
  await sql`
    WITH new AS (
      INSERT INTO persons (project_id, uuid, properties, created_at)
      SELECT ${project}, gen_random_uuid(), jsonb_build_object('plan', 'pro', 'n', n), now() FROM generate_series(1, 300) n
      RETURNING id, properties ->> 'n' AS n)
    INSERT INTO person_distinct_ids (project_id, distinct_id, person_id) SELECT ${project}, 'p' || n, id FROM new`
  let statements = 0
  const counted = new Proxy(sql, {
    apply(target, self, args) {
      statements++
      return Reflect.apply(target, self, args)
    },
  })
  await withDirectories(1, async (directory) => {
    const flags = directory?.of(project)
    if (!flags) throw new Error('no flags')
    const times = { freshMs: LONG, patienceMs: LONG }
    const reader = new SubjectReader(counted, new BehaviourCohorts(counted, null, log), times)
    const asked = Array.from({ length: 900 }, (_, n) =>
      reader.read(flags, { distinctId: `p${(n % 300) + 1}`, groups: {} }),
    )
    for (const found of await Promise.all(asked)) expect(found?.person?.properties.plan).toBe('pro')
    // 64 persons at a time.
    expect(statements).toBe(Math.ceil(300 / 64))
    // Known now: without a promise, and without a statement.
    const before = statements
    expect(reader.read(flags, { distinctId: 'p7', groups: {} })).not.toBeInstanceOf(Promise)
    expect(await reader.read(flags, { distinctId: 'nobody', groups: {} })).toMatchObject({ person: null })
    expect(statements).toBe(before + 1)
  })
})

test('while PostgreSQL cannot be asked, nothing waits for it for long', async () => {
  await withDirectories(1, async (directory) => {
    const flags = directory?.of(project)
    if (!flags) throw new Error('no flags')
    let statements = 0
    const away = new Proxy(sql, {
      apply() {
        statements++
        return Promise.reject(new Error('connection refused'))
      },
    })
    const reader = new SubjectReader(away, new BehaviourCohorts(away, null, log))
    const asked = Array.from({ length: 500 }, (_, n) => reader.read(flags, { distinctId: `p${n}`, groups: {} }))
    for (const found of await Promise.all(asked)) expect(found).toBeNull()
    expect(statements).toBeLessThan(5)
  })
  await sql`DELETE FROM feature_flags`
})

test('ten thousand flags of one project are loaded and answered', async () => {
  await sql`
    INSERT INTO feature_flags (project_id, key, filters)
    SELECT ${project}, 'flag-' || n, ${sql.json({
      groups: [{ properties: [{ key: 'plan', value: 'pro', type: 'person' }], rollout_percentage: 50 }],
      multivariate: {
        variants: [
          { key: 'a', rollout_percentage: 50 },
          { key: 'b', rollout_percentage: 50 },
        ],
      },
    })} FROM generate_series(1, 10000) n`
  await withDirectories(1, async (directory) => {
    const flags = directory?.of(project)
    if (!flags) throw new Error('no flags')
    const subject = {
      distinctId: 'u',
      groups: {},
      personProperties: { plan: 'pro' },
      groupProperties: {},
      stored: null,
      now: 0,
    }
    const on = evaluateFlags(flags, subject).filter(({ enabled }) => enabled).length
    expect(on).toBeGreaterThan(4500)
    expect(on).toBeLessThan(5500)
  })
  await sql`DELETE FROM feature_flags`
})
