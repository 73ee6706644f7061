/**
 * What lists and searches of persons cost among few and among very many: rows that Postgres generates, in a server of their own, asked
 * through the code of the API. Prints the first time and the median of some rounds for each. Run it with `npm run bench persons` (10 million; another number
 * as an argument).
 */
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { findProject } from '../src/accounts/index.ts'
import { listPersons } from '../src/api/persons/list-persons.ts'
import { PERSON_QUERY } from '../src/api/persons/person-query.ts'
import { openClickHouse } from '../src/engines/clickhouse/index.ts'
import {
  applyPostgresMigrations,
  onPrimary,
  openPostgres,
  type Sql,
  startEmbeddedPostgres,
} from '../src/engines/postgres/index.ts'
import { createLogger } from '../src/lib/logger.ts'

const ROUNDS = 5
const AT_ONCE = 500_000
const log = createLogger('silent')
const many = Number(process.argv[2] ?? 10_000_000)
const folder = await mkdtemp(path.join(tmpdir(), 'footfall-bench-persons-'))
const embedded = await startEmbeddedPostgres({ dataDir: folder, log })
const sql = await openPostgres(embedded.connection, { log })
// Asked only about patterns, of which there are none here.
const clickhouse = openClickHouse({ url: 'http://127.0.0.1:9', log })
try {
  await applyPostgresMigrations(sql, log)
  const [organization] = await sql<[{ id: string }]>`INSERT INTO organizations (name) VALUES ('bench') RETURNING id`
  for (const [id, name] of [
    [1, 'few'],
    [2, 'many'],
  ] as const)
    await sql`INSERT INTO projects (id, organization_id, name, api_token) VALUES (${id}, ${organization.id}, ${name}, ${name})`
  const few = Math.min(10_000, many)
  await fill(sql, 1, few)
  const started = performance.now()
  await fill(sql, 2, many)
  await sql.unsafe('VACUUM (ANALYZE) persons, person_distinct_ids').simple()
  console.log(`${many} persons generated in ${Math.round((performance.now() - started) / 1000)} s`)
  console.log(['list', `${few} persons`, `${many} persons`].join(' | '))
  for (const [what, query] of questions(many)) {
    const [small, large] = [await timed(1, query), await timed(2, query)]
    console.log([what, small, large].join(' | '))
  }
} finally {
  await clickhouse.close()
  await sql.end({ timeout: 1 })
  await embedded.stop()
  await rm(folder, { recursive: true, force: true })
}

/** One in five persons has an e-mail; each has one distinct id, created in the order of its number. */
async function fill(sql: Sql, project: number, count: number): Promise<void> {
  for (let from = 0; from < count; from += AT_ONCE) {
    const to = Math.min(count, from + AT_ONCE) - 1
    await sql`
      WITH new AS (
        INSERT INTO persons (project_id, uuid, properties, created_at, version, is_identified, last_seen_at)
        SELECT ${project}, md5(${project} || '-' || n)::uuid,
          jsonb_build_object('plan', (ARRAY['free', 'pro', 'team'])[1 + n % 3], '$browser', 'Chrome', '$os', 'Linux', 'n', n)
            || CASE WHEN n % 5 = 0 THEN jsonb_build_object('email', md5(n::text) || '@' || (ARRAY['gmail.com', 'example.com'])[1 + n % 2])
               ELSE '{}' END,
          now() - make_interval(secs => ${count} - n), 0, n % 5 = 0, now()
        FROM generate_series(${from}::bigint, ${to}::bigint) AS n
        RETURNING id, properties ->> 'n' AS n)
      INSERT INTO person_distinct_ids (project_id, distinct_id, person_id, position)
      SELECT ${project}, 'visitor-' || n, id, 0 FROM new`
  }
}

function questions(count: number): [string, Record<string, string>][] {
  const place = { created_at: new Date(Date.now() - (count / 2) * 1_000).toISOString() }
  return [
    ['newest first, first page', {}],
    ['oldest first', { order: 'created_at' }],
    ['last seen first', { order: '-last_seen_at' }],
    ['page at offset 5,000', { offset: '5000' }],
    [`page behind ${place.created_at.slice(0, 10)} (a key reads on)`, { behind: place.created_at }],
    ['by distinct id', { distinct_id: 'visitor-4000' }],
    ['by e-mail', { email: emailOf(4_000) }],
    ['search: a whole e-mail', { search: emailOf(4_000) }],
    ['search: a rare part of one', { search: emailOf(4_000).slice(3, 12) }],
    ['search: a common part', { search: 'gmail' }],
    ['search: nothing found', { search: 'nobody-has-this' }],
    ['filter: plan is pro', { properties: JSON.stringify([{ key: 'plan', value: 'pro' }]) }],
  ]
}

/** The first time, when nothing is kept or cached yet, and the median of those after it. */
async function timed(project: number, { behind, ...query }: Record<string, string>): Promise<string> {
  const found = await findProject(sql, project)
  if (!found) throw new Error(`there is no project ${project}`)
  const call = { sql, reading: onPrimary(sql), clickhouse, project: found, now: () => new Date() }
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const from = performance.now()
    const place = behind === undefined ? undefined : ([behind, '00000000-0000-0000-0000-000000000000'] as const)
    await listPersons(call, PERSON_QUERY.parse({ limit: '100', ...query }), place)
    times.push(performance.now() - from)
  }
  const [first = 0, ...later] = times
  const median = later.toSorted((a, b) => a - b)[Math.floor(later.length / 2)] ?? 0
  return `${first.toFixed(1)}, then ${median.toFixed(1)} ms`
}

function emailOf(n: number): string {
  return `${createHash('md5').update(String(n)).digest('hex')}@${n % 2 === 0 ? 'gmail.com' : 'example.com'}`
}
