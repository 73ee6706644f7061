import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import { createLogger } from '../../lib/logger.ts'
import { type OpenProjectDirectory, postgresProjectDirectory } from './postgres-project-directory.ts'

const LONG = 3_600_000
let postgres: TestPostgres
let organization: string
beforeAll(async () => {
  postgres = await startTestPostgres()
  const [row] = await postgres.sql<[{ id: string }]>`INSERT INTO organizations (name) VALUES ('Acme') RETURNING id`
  organization = row.id
})
afterAll(() => postgres.stop())

const addProject = async (token: string): Promise<number> => {
  const [row] = await postgres.sql<[{ id: number }]>`
    INSERT INTO projects (organization_id, name, api_token) VALUES (${organization}, ${token}, ${token}) RETURNING id`
  return row.id
}

/** Counts the statements that go through it. */
async function withDirectory(
  run: (directory: OpenProjectDirectory, statements: () => number) => Promise<void>,
  options: { refreshMs?: number; unknownForMs?: number; mostUnknown?: number } = {},
): Promise<void> {
  let statements = 0
  const counted = new Proxy(postgres.sql, {
    apply(target, self, args) {
      // A fragment inside a statement is no statement of its own.
      if (/^\s*SELECT/.test(args[0][0])) statements++
      return Reflect.apply(target, self, args)
    },
  })
  const directory = await postgresProjectDirectory(counted, {
    log: createLogger('silent'),
    refreshMs: LONG,
    unknownForMs: LONG,
    ...options,
  })
  const atStart = statements
  try {
    await run(directory, () => statements - atStart)
  } finally {
    await directory.close()
  }
}

test('a known key is answered at once, from memory, with the settings of its project', async () => {
  const id = await addProject('phc_known')
  await withDirectory(async (directory, statements) => {
    expect(directory.find('phc_known')).toEqual({
      id,
      token: 'phc_known',
      autocaptureOptOut: false,
      sessionRecordingOptIn: true,
      anonymizeIps: false,
      heatmapsOptIn: true,
      honorDoNotTrack: false,
      recordingsLimited: false,
      cookielessSalt: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(statements()).toBe(0)
  })
})

test('a project made this moment works at once', async () => {
  await withDirectory(async (directory) => {
    const id = await addProject('phc_new')
    expect(await directory.find('phc_new')).toMatchObject({ id })
    expect(directory.find('phc_new')).toMatchObject({ id })
  })
})

test('a bad key is asked for once', async () => {
  await withDirectory(async (directory, statements) => {
    expect(await directory.find('phc_bad')).toBeUndefined()
    expect(directory.find('phc_bad')).toBeUndefined()
    expect(statements()).toBe(1)
  })
})

test('a flood of different bad keys becomes a few statements', async () => {
  await withDirectory(async (directory, statements) => {
    const found = await Promise.all(Array.from({ length: 2000 }, (_, n) => directory.find(`phc_bad_${n}`)))
    expect(found.every((project) => project === undefined)).toBe(true)
    expect(statements()).toBeLessThan(5)
  })
})

test('bad keys are forgotten in the end: the oldest first, and each after its time', async () => {
  await withDirectory(
    async (directory, statements) => {
      for (const key of ['phc_1', 'phc_2', 'phc_3']) await directory.find(key)
      expect(directory.find('phc_3')).toBeUndefined()
      await directory.find('phc_1')
      expect(statements()).toBe(4)
    },
    { mostUnknown: 2 },
  )
  await withDirectory(
    async (directory) => {
      expect(await directory.find('phc_late')).toBeUndefined()
      const id = await addProject('phc_late')
      expect(await directory.find('phc_late')).toMatchObject({ id })
    },
    { unknownForMs: 0 },
  )
})

test('changed settings and changed keys show after NOTIFY projects_changed', async () => {
  await addProject('phc_old')
  await withDirectory(async (directory) => {
    await postgres.sql`UPDATE projects SET autocapture_opt_out = true, api_token = 'phc_rotated' WHERE api_token = 'phc_old'`
    await postgres.sql`SELECT pg_notify('projects_changed', '')`
    await expect.poll(() => directory.find('phc_rotated')).toMatchObject({ autocaptureOptOut: true })
    await expect.poll(() => directory.find('phc_old')).toBeUndefined()
  })
})

test('changes show without a notice, a little later', async () => {
  await addProject('phc_polled')
  await withDirectory(
    async (directory) => {
      await postgres.sql`UPDATE projects SET session_recording_opt_in = false WHERE api_token = 'phc_polled'`
      await expect.poll(() => directory.find('phc_polled')).toMatchObject({ sessionRecordingOptIn: false })
    },
    { refreshMs: 20 },
  )
})

test('the salt of a day is the same for all processes, and those of earlier days are thrown away', async () => {
  await postgres.sql`INSERT INTO cookieless_salts (day) VALUES ('2020-01-01') ON CONFLICT DO NOTHING`
  await addProject('phc_salted')
  const today = () => new Date().toISOString().slice(0, 10)
  let salts: unknown[] = []
  let day: string
  // Again when midnight came between the two.
  do {
    day = today()
    salts = []
    for (let process = 0; process < 2; process++)
      await withDirectory(async (directory) => {
        salts.push((await directory.find('phc_salted'))?.cookielessSalt)
      })
  } while (day !== today())
  expect(salts[0]).toEqual(expect.any(String))
  expect(salts[1]).toBe(salts[0])
  expect(await postgres.sql`SELECT day FROM cookieless_salts WHERE day < now() - interval '3 days'`).toEqual([])
})
