import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import { drawn } from '../../../test/support/random.ts'
import { flagListQuerySchema } from '../../contract/resources/flag-management.ts'
import type { Sql } from '../../engines/postgres/index.ts'
import { statusOf } from '../check/rollout.ts'
import { listFlags } from './list-flags.ts'

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

test('the list of stale flags has those that say so of themselves', async () => {
  const random = drawn('stale flags')
  const pick = <T>(...of: T[]): T => of[Math.floor(random() * of.length)] as T
  const condition = () => ({
    properties: pick<object[] | null | undefined>([], [], null, undefined, [{ key: 'a', value: 1, type: 'person' }]),
    rollout_percentage: pick<number | null | undefined>(100, 100, 0, 50, null, undefined),
    variant: pick<string | null | undefined>(null, undefined, 'a'),
  })
  const rows = Array.from({ length: 400 }, (_, n) => ({
    key: `random-${n}`,
    filters: {
      groups: pick<unknown>([], [condition()], [condition(), condition()], [condition()], null, undefined),
      multivariate: pick<unknown>(
        null,
        undefined,
        { variants: [] },
        { variants: [{ key: 'a', rollout_percentage: 100 }] },
        {
          variants: [
            { key: 'a', rollout_percentage: 50 },
            { key: 'b', rollout_percentage: 50 },
          ],
        },
      ),
    },
    active: pick(true, false),
    created: pick(0, 29, 31, 90),
    called: pick<number | null>(null, null, 1, 29, 31, 400),
  }))
  await sql`
    INSERT INTO feature_flags (project_id, key, filters, active, created_at)
    SELECT ${project}, r.key, r.filters, r.active, now() - make_interval(days => r.created)
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) AS r (key text, filters jsonb, active boolean, created int)`
  await sql`
    INSERT INTO feature_flag_usage (flag_id, last_called_at)
    SELECT f.id, now() - make_interval(days => r.called)
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) AS r (key text, called int)
    JOIN feature_flags f ON f.key = r.key AND f.project_id = ${project} WHERE r.called IS NOT NULL`
  const stored = await sql<Parameters<typeof statusOf>[0][]>`
    SELECT f.*, u.last_called_at FROM feature_flags f LEFT JOIN feature_flag_usage u ON u.flag_id = f.id
    WHERE f.project_id = ${project}`
  const keyOf = (flag: object) => (flag as { key: string }).key
  const expected = stored.filter((flag) => statusOf(flag, new Date()).status === 'STALE').map(keyOf)
  const asked = flagListQuerySchema.parse({ active: 'STALE', limit: '1000' })
  const { flags } = await listFlags(sql, project, asked)
  expect(expected.length).toBeGreaterThan(20)
  expect(flags.map(keyOf).sort()).toEqual(expected.sort())
})
