import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newProject } from '../support/identity.ts'
import { startTestPostgres, type TestPostgres } from '../support/postgres.ts'
import { testProgram } from '../support/test-program.ts'

/** Fewer and longer rows, to be quick: together they are as much text as 300,000 ordinary persons. */
const ROWS = 20_000
const NOTE_BYTES = 5_000
const HEAP_MB = 40

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await startTestPostgres()
})
afterAll(() => postgres?.stop())

it(`writes ${(ROWS * NOTE_BYTES) / 1e6} MB of persons as CSV with a heap of ${HEAP_MB} MB, to a reader that is slow at times`, async () => {
  const project = await newProject(postgres.sql)
  await postgres.sql`
    WITH fresh AS (
      INSERT INTO persons (project_id, uuid, properties, created_at)
      SELECT ${project}, gen_random_uuid(), jsonb_build_object('email', n || '@example.com', 'note', repeat('x', ${NOTE_BYTES}::int)), now() - n * interval '1 second'
      FROM generate_series(1, ${ROWS}::int) AS n RETURNING id)
    INSERT INTO person_distinct_ids (project_id, distinct_id, person_id) SELECT ${project}, 'd' || id, id FROM fresh`
  await postgres.sql`ANALYZE persons, person_distinct_ids`
  const child = spawn(
    process.execPath,
    [
      `--max-old-space-size=${HEAP_MB}`,
      testProgram('persons-csv'),
      JSON.stringify(postgres.embedded.connection),
      String(project),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const exited = once(child, 'exit')
  let lines = 0
  let bytes = 0
  let chunks = 0
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    bytes += chunk.length
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines++
    if (++chunks % 500 === 0) await new Promise((resolve) => setTimeout(resolve, 20))
  }
  expect(await exited).toEqual([0, null])
  expect(lines).toBe(ROWS + 1)
  expect(bytes).toBeGreaterThan(2 * HEAP_MB * 1024 * 1024)
})
