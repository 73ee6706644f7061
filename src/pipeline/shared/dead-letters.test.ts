import { expect, test } from 'vitest'
import { startTestPostgres } from '../../../test/support/postgres.ts'
import { recordDeadLetters } from './dead-letters.ts'

test('any number of dead letters is kept, each once', async () => {
  const { sql, stop } = await startTestPostgres()
  try {
    const letters = Array.from({ length: 10_000 }, (_, position) => {
      return { project: 1, position, uuid: crypto.randomUUID(), reason: 'x', error: 'e', payload: '{}' }
    })
    for (let again = 0; again < 2; again++) await sql.begin((tx) => recordDeadLetters(tx, 'live-0', letters))
    expect(await sql`SELECT count(*) AS kept FROM dead_letters`).toEqual([{ kept: letters.length }])
  } finally {
    await stop()
  }
})
