import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestClickHouse, type TestClickHouse } from '../../../test/support/clickhouse.ts'
import { startTestNats, type TestNats } from '../../../test/support/nats.ts'
import { startTestPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import { applyProvisioning } from '../../accounts/index.ts'
import { sql as chSql, str } from '../../engines/clickhouse/index.ts'
import { encodeCaptured } from '../../events/index.ts'
import { DefinitionRecorder } from '../../identity/index.ts'
import { createLogger } from '../../lib/logger.ts'
import { uuidV7 } from '../../lib/uuid.ts'
import {
  allPartitions,
  type EventLog,
  HISTORICAL_PARTITION,
  livePartition,
  livePartitions,
  openJetstreamLog,
  openLogReader,
  openSegmentLog,
} from '../../log/index.ts'
import { keepPresent, partitionsToOpen, settlePartitions } from '../../service/startup/partitions.ts'
import { runPartition } from '../events/partition-runner.ts'
import { UuidsInProgress } from '../events/uuids-in-progress.ts'
import { projectSettings } from '../shared/project-settings.ts'
import { eventSteps } from '../steps/index.ts'

const log = createLogger('silent')
const IDS = Array.from({ length: 12 }, (_, at) => `person ${at}`)
const FIRST = 2
const MOST = 7

let postgres: TestPostgres
let engine: TestClickHouse
let nats: TestNats
let logs = 0
/** Further than the numbers of one log reach. */
const LOG_APART = 4_000_000_000

beforeAll(async () => {
  ;[postgres, engine, nats] = await Promise.all([startTestPostgres(), startTestClickHouse(), startTestNats()])
  await applyProvisioning(postgres.sql, {
    organization: { name: 'Test' },
    projects: [{ id: 1, name: 'One', api_token: 'phc_one', timezone: 'UTC' }],
    users: [],
  })
})
afterAll(() => Promise.all([postgres?.stop(), engine?.stop(), nats?.stop()]))
beforeEach(() => fresh(FIRST))

async function fresh(count: number): Promise<void> {
  const { sql } = postgres
  await sql`TRUNCATE log_growths, log_writers, pipeline_positions, clickhouse_outbox, partition_leases`
  await sql`INSERT INTO log_growths (generation, live_partitions) VALUES (0, ${count})`
  // Positions are parts of the tokens by which ClickHouse knows rows again: another log begins above them.
  logs++
  for (const partition of [...livePartitions(MOST), HISTORICAL_PARTITION])
    await sql`INSERT INTO pipeline_positions (partition, position) VALUES (${partition}, ${logs * LOG_APART})`
}

type Kind = 'files' | 'NATS'

/** A log that grows, with runners that come and go. */
class Growing {
  readonly kind: Kind
  readonly dir: string
  readonly name = uuidV7()
  readonly last = new Map<string, number>()
  #log: EventLog | null = null
  count = FIRST
  #events = 0

  private constructor(kind: Kind, dir: string) {
    this.kind = kind
    this.dir = dir
  }

  static async open(kind: Kind): Promise<Growing> {
    if (kind === 'NATS') await nats.wipe()
    const growing = new Growing(kind, await mkdtemp(path.join(os.tmpdir(), 'footfall-growth-')))
    await growing.grow(FIRST)
    return growing
  }

  get log(): EventLog {
    if (this.#log === null) throw new Error('The log is not open')
    return this.#log
  }

  /** As a start with another setting does it. */
  async grow(to: number): Promise<void> {
    await this.#log?.close()
    const { sql } = postgres
    const opened = await this.#open(allPartitions(await partitionsToOpen(sql, to)))
    this.#log = opened
    const partitionsNow = async () => {
      await opened.refresh?.()
      return opened.status().partitions
    }
    this.count = await settlePartitions(sql, { wanted: to, partitionsNow, writer: null, log })
  }

  async #open(partitions: readonly string[]): Promise<EventLog> {
    const released = async () => {
      const rows = await postgres.sql<
        { partition: string; position: number }[]
      >`SELECT partition, position FROM pipeline_positions`
      return Object.fromEntries(rows.map(({ partition, position }) => [partition, position]))
    }
    return this.kind === 'NATS'
      ? openJetstreamLog({ url: nats.url, partitions, released })
      : openSegmentLog({ dir: this.dir, partitions, released: await released(), reserveBytes: 0 })
  }

  async append(ids: readonly number[]): Promise<void> {
    for (const at of ids) {
      const id = `${this.name} ${IDS[at]}`
      const n = ++this.#events
      this.last.set(id, n)
      const event = {
        uuid: uuidV7(),
        clientUuid: true,
        event: this.name,
        distinctId: id,
        timestamp: null,
        offset: null,
      }
      await this.log.append([
        {
          partition: livePartition(this.count, 1, id),
          payload: encodeCaptured({
            project: 1,
            receivedAt: Date.now(),
            sentAt: null,
            ip: null,
            historical: false,
            events: [{ ...event, properties: { $set: { last: n } } }],
            warnings: [],
          }),
        },
      ])
    }
  }

  /** Runs some partitions until `enough`, then stops them. */
  async run(partitions: readonly string[], enough: () => Promise<boolean>): Promise<void> {
    const stop = new AbortController()
    const reader = await openLogReader(this.log.readerHandle())
    const shared = { reader, sql: postgres.sql, clickhouse: engine.clickhouse, log, signal: stop.signal }
    const running = partitions.map((partition) =>
      runPartition({
        ...shared,
        partition,
        steps: eventSteps(),
        settings: projectSettings(postgres.sql),
        definitions: new DefinitionRecorder(),
        inProgress: new UuidsInProgress([]),
      }),
    )
    try {
      await expect.poll(enough, { interval: 20 }).toBe(true)
    } finally {
      stop.abort()
      await Promise.all(running)
      await reader.close()
    }
  }

  async isDone(): Promise<boolean> {
    const [{ owed }] = await postgres.sql<[{ owed: number }]>`SELECT count(*) AS owed FROM clickhouse_outbox`
    const stored = await engine.clickhouse.query<{ n: number }>(
      chSql`SELECT count() AS n FROM events WHERE event = ${str(this.name)}`,
    )
    const open = await postgres.sql`SELECT FROM log_growths WHERE ends <> '{}'`
    return owed === 0 && open.length === 0 && stored.rows[0]?.n === this.#events
  }

  async persons(): Promise<Map<string, number>> {
    const rows = await postgres.sql<{ id: string; last: number }[]>`
      SELECT d.distinct_id AS id, (p.properties ->> 'last')::int AS last
      FROM person_distinct_ids d JOIN persons p ON p.id = d.person_id WHERE d.distinct_id LIKE ${`${this.name}%`}`
    return new Map(rows.map(({ id, last }) => [id, last]))
  }

  async close(): Promise<void> {
    await this.log.close()
    await rm(this.dir, { recursive: true, force: true })
  }
}

type Step =
  | { readonly kind: 'append'; readonly ids: readonly number[] }
  | { readonly kind: 'grow'; readonly by: number }
  | { readonly kind: 'run'; readonly which: readonly number[]; readonly looks: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('append' as const),
    ids: fc.array(fc.nat(IDS.length - 1), { minLength: 1, maxLength: 20 }),
  }),
  fc.record({ kind: fc.constant('grow' as const), by: fc.integer({ min: 1, max: 3 }) }),
  fc.record({
    kind: fc.constant('run' as const),
    which: fc.uniqueArray(fc.nat(MOST - 1), { minLength: 1 }),
    looks: fc.nat(6),
  }),
)

test.each<[Kind, number]>([
  ['files', 12],
  ['NATS', 6],
])(
  'in %s: whenever the number grows and whoever runs, the last event of each distinct id is applied last',
  async (kind, numRuns) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
        await fresh(FIRST)
        const growing = await Growing.open(kind)
        try {
          for (const each of steps) {
            if (each.kind === 'append') await growing.append(each.ids)
            else if (each.kind === 'grow') await growing.grow(Math.min(MOST, growing.count + each.by))
            else {
              let looks = 0
              const names = livePartitions(growing.count)
              await growing.run(
                each.which.flatMap((at) => names[at] ?? []),
                async () => looks++ >= each.looks,
              )
            }
          }
          await growing.run(livePartitions(growing.count), () => growing.isDone())
          expect(await growing.persons()).toEqual(growing.last)
        } finally {
          await growing.close()
        }
      }),
      { numRuns, endOnFailure: true },
    )
  },
)

test.each<Kind>(['files', 'NATS'])(
  'in %s: a new partition waits for what was in the others before it was there',
  async (kind) => {
    const growing = await Growing.open(kind)
    await growing.append([...IDS.keys()])
    await growing.grow(MOST)
    await growing.append([...IDS.keys()])
    const news = livePartitions(MOST).slice(FIRST)
    let looks = 0
    await growing.run(news, async () => looks++ > 20)
    expect((await growing.persons()).size).toBe(0)
    await growing.run(livePartitions(MOST), () => growing.isDone())
    expect(await growing.persons()).toEqual(growing.last)
    await growing.close()
  },
)

test('the number does not shrink, and does not grow while another process writes by it', async () => {
  const { sql } = postgres
  await expect(partitionsToOpen(sql, 1)).rejects.toThrow('the log has 2 partitions and cannot have fewer (got 1)')
  const settle = (writer: string, wanted?: number) =>
    settlePartitions(sql, { wanted, partitionsNow: async () => ({ 'live-0': { end: 7, released: 0 } }), writer, log })
  expect(await settle('a')).toBe(2)
  expect(await settle('b', 4)).toBe(2)
  await sql`UPDATE log_writers SET seen_at = now() - interval '1 minute' WHERE id = 'a'`
  expect(await settle('b', 4)).toBe(4)
  expect(await settle('c')).toBe(4)
  expect(await sql`SELECT live_partitions, ends FROM log_growths ORDER BY generation`).toEqual([
    { live_partitions: 2, ends: {} },
    { live_partitions: 4, ends: { 'live-0': 7, 'live-1': 0 } },
  ])
})

test('a writer that was away while the number grew is told', async () => {
  const { sql } = postgres
  let told = 0
  const presence = keepPresent(sql, { writer: 'frozen', count: 2, log, onOutdated: () => told++, everyMs: 10 })
  await sql`INSERT INTO log_growths (generation, live_partitions) VALUES (1, 3)`
  await expect.poll(() => told).toBeGreaterThan(0)
  await presence.stop()
  expect(await sql`SELECT FROM log_writers`).toHaveLength(0)
})
