import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import { whileAllPaused } from './pause-all.ts'

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await startTestPostgres()
})
afterAll(() => postgres?.stop())

it('waits for other processes no longer than until the signal, and then lets them go on', async () => {
  const { sql } = postgres
  await sql`
    INSERT INTO partition_leases (partition, owner, epoch, expires_at) VALUES ('live-0', 'another', 1, now() + interval '1 day')`
  const stop = new AbortController()
  const pausing = whileAllPaused(sql, { holder: 'this one', signal: stop.signal }, async () => 'all have left')
  const outcome = expect(pausing).rejects.toThrow('the service stops')
  const pauses = () => sql`SELECT holder FROM pipeline_pauses`
  await expect.poll(pauses).toHaveLength(1)
  stop.abort(new Error('the service stops'))
  await outcome
  expect(await pauses()).toHaveLength(0)
  expect(await sql`SELECT owner, epoch FROM partition_leases`).toMatchObject([{ owner: 'another', epoch: 1 }])
})
