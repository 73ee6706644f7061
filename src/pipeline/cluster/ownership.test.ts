import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { startTestPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import { inTransaction } from '../../engines/postgres/index.ts'
import { createLogger } from '../../lib/logger.ts'
import { type Ownership, shareAmongProcesses } from './ownership.ts'
import { LostPartition, movePosition } from './position.ts'

const LEASE_MS = 1_500
const PARTITIONS = ['p0', 'p1', 'p2', 'p3']

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await startTestPostgres()
})
beforeEach(async () => {
  await postgres.sql`TRUNCATE partition_leases, pipeline_members, pipeline_positions`
})
afterAll(() => postgres?.stop())

/**
 * A process that shares the partitions, as far as this room sees one. Its runners do nothing until they are told to
 * end.
 */
function member(id: string, leaseMs = LEASE_MS) {
  const stop = new AbortController()
  const held = new Map<string, Ownership>()
  const runs = new Map(
    PARTITIONS.map((partition) => [
      partition,
      async (ownership: Ownership) => {
        held.set(partition, ownership)
        await new Promise<void>((end) => ownership.signal.addEventListener('abort', () => end()))
        held.delete(partition)
      },
    ]),
  )
  const { sql } = postgres
  const log = createLogger('silent')
  const running = shareAmongProcesses({ sql, log, signal: stop.signal, id, leaseMs }, runs)
  const leave = async () => {
    stop.abort()
    await running
  }
  onTestFinished(leave)
  return { held, leave }
}

const range = (partition: string, from: number, next: number) => ({ partition, from, next, records: [] })

test('one process has every partition; when a second comes, each has half; when it goes, the first has all again', async () => {
  const first = member('first')
  await expect.poll(() => first.held.size).toBe(4)
  const second = member('second')
  const shares = () => [first.held.size, second.held.size, [...first.held.keys(), ...second.held.keys()].sort()]
  await expect.poll(shares).toEqual([2, 2, PARTITIONS])
  await second.leave()
  await expect.poll(() => first.held.size).toBe(4)
})

test('a lease that nobody puts off is taken over, under a higher epoch', async () => {
  const { sql } = postgres
  await sql`INSERT INTO partition_leases (partition, owner, epoch, expires_at) SELECT unnest(${PARTITIONS}::text[]), 'dead', 7, now() + interval '1 second'`
  const heir = member('heir')
  await expect.poll(() => heir.held.size).toBe(4)
  expect(heir.held.get('p0')?.epoch).toBeGreaterThan(7)
})

test('an owner that comes back under its own name need not wait for its own lease to run out', async () => {
  const { sql } = postgres
  await sql`INSERT INTO partition_leases (partition, owner, epoch, expires_at) SELECT unnest(${PARTITIONS}::text[]), 'same', 1, now() + interval '1 hour'`
  const same = member('same')
  await expect.poll(() => same.held.size).toBe(4)
})

test('a former owner cannot move the position, and the new one can', async () => {
  const { sql } = postgres
  // Long enough that a busy machine does not lose it before the thief comes.
  const first = member('first', 6 * LEASE_MS)
  await expect.poll(() => first.held.size).toBe(4)
  const before = first.held.get('p0') as Ownership
  await inTransaction(sql, (tx) => movePosition(tx, range('p0', 0, 10), before.epoch))
  await sql`UPDATE partition_leases SET owner = 'thief', epoch = epoch + 1, expires_at = now() + interval '1 hour' WHERE partition = 'p0'`
  await expect(inTransaction(sql, (tx) => movePosition(tx, range('p0', 10, 20), before.epoch))).rejects.toThrow(
    LostPartition,
  )
  await inTransaction(sql, (tx) => movePosition(tx, range('p0', 10, 20), before.epoch + 1))
  // It also finds out by itself.
  await expect.poll(() => first.held.has('p0')).toBe(false)
  expect(before.signal.aborted).toBe(true)
})
