import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import { copyIn, copyOut } from './copy.ts'

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await startTestPostgres()
})
afterAll(() => postgres?.stop())

it('copies tables out and in, and leaves the connection ready for the next one, however slowly they are read', async () => {
  const session = await postgres.sql.reserve()
  await session`CREATE TABLE "from" (id int, "text" text)`
  await session`CREATE TABLE "to" (LIKE "from")`
  // Rows larger than what a stream holds at once: the library pauses its socket for them.
  await session`INSERT INTO "from" SELECT n, repeat('x', 20000) || E'\\t\\n\\\\' FROM generate_series(1, 50) n`
  for (let round = 0; round < 3; round++) {
    const parts: Buffer[] = []
    for await (const part of copyOut(session, 'from', ['id', 'text'])) {
      parts.push(part)
      await new Promise(setImmediate)
    }
    await session`TRUNCATE "to"`
    await postgres.sql.begin((tx) =>
      copyIn(
        tx,
        'to',
        ['id', 'text'],
        (async function* () {
          yield* parts
        })(),
      ),
    )
    const [same] = await session`SELECT count(*) AS rows FROM "from" JOIN "to" USING (id, "text")`
    expect(same).toEqual({ rows: 50 })
  }
  session.release()
})
