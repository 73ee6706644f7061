/**
 * What SQL of a client costs over the same statement written by hand: both are asked of one engine in the same rounds, and have the same
 * answers. `npm run bench sql 10` takes ten million events.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { hogqlQuerySchema } from '../src/contract/queries/index.ts'
import { Fragment, openClickHouse, startEmbeddedClickHouse } from '../src/engines/clickhouse/index.ts'
import { type InsightContext, runSql } from '../src/insights/index.ts'
import { createLogger } from '../src/lib/logger.ts'
import { fillEvents } from './support/insight-events.ts'
import { SQL_PAIRS } from './support/sql-pairs.ts'

const MILLIONS = Number(process.argv[2] ?? 1)
const ROUNDS = 7
const MOST_TIMES = 1.1

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

const log = createLogger('silent')
const folder = await mkdtemp(path.join(tmpdir(), 'footfall-bench-sql-'))
const embedded = await startEmbeddedClickHouse({ dataDir: folder, log })
const clickhouse = openClickHouse({ ...embedded, log })
try {
  const { applyClickHouseMigrations } = await import('../src/engines/clickhouse/index.ts')
  await applyClickHouseMigrations(clickhouse, log)
  await fillEvents(clickhouse, MILLIONS * 1_000_000, Date.now())
  const project = { id: 1, timezone: 'UTC', week_start_day: 0 as const, test_account_filters: [] }
  const context: InsightContext = { clickhouse, now: Date.now(), hasOverrides: false, project }
  console.log(`${MILLIONS} million events, median ms of ${ROUNDS} rounds`)
  const times: number[] = []
  for (const { name, sql, byHand } of SQL_PAIRS) {
    const query = hogqlQuerySchema.parse({ kind: 'HogQLQuery', query: sql })
    const statement = new Fragment([byHand], [])
    const rounds = { ours: [] as number[], byHand: [] as number[] }
    for (let round = 0; round < ROUNDS; round++) {
      rounds.ours.push(await timed(() => runSql(context, query)))
      rounds.byHand.push(await timed(() => clickhouse.query(statement)))
    }
    const ratio = median(rounds.ours.map((ms, round) => ms / (rounds.byHand[round] as number)))
    times.push(ratio)
    const columns = [median(rounds.ours), median(rounds.byHand)].map((ms) => ms.toFixed(1).padStart(10))
    console.log(`${name.padEnd(28)}${columns.join('')}${`${ratio.toFixed(2)}x`.padStart(9)}`)
  }
  const all = median(times)
  console.log(
    `median of all: ${all.toFixed(2)}x, most ${Math.max(...times).toFixed(2)}x, ${all <= MOST_TIMES ? 'met' : 'MISSED'} (<= ${MOST_TIMES})`,
  )
} finally {
  await clickhouse.close()
  await embedded.stop()
  await rm(folder, { recursive: true, force: true })
}
