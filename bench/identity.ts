/**
 * Events a second through identity, each batch in a transaction that commits: new persons, known persons without changes, and a change
 * with every event; and what looking persons up costs among few and among many, each on a server of its own, in turns, so that both meet the same
 * machine. Run it with `npm run bench identity`.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import {
  applyPostgresMigrations,
  inTransaction,
  openPostgres,
  type Sql,
  startEmbeddedPostgres,
} from '../src/engines/postgres/index.ts'
import { type IdentityEvent, resolveIdentities } from '../src/identity/index.ts'
import type { JsonObject } from '../src/lib/json.ts'
import { createLogger } from '../src/lib/logger.ts'
import { uuidV7 } from '../src/lib/uuid.ts'

const BATCH = 500
const ROUND_MS = 2_000
const LOOKUP_ROUND_MS = 500
const LOOKUP_ROUNDS = 9
const PARTITIONS = 2
const FEW = 10_000
const MANY = 200_000
const START = Date.now()
const WANTED = { 'new persons': 12_000, 'known, no change': 20_000, 'a change every event': 20_000 }

const page: JsonObject = {
  $current_url: 'https://example.com/pricing',
  $pathname: '/pricing',
  $browser: 'Chrome',
  $os: 'Linux',
  $device_type: 'Desktop',
  $referrer: '$direct',
  $lib: 'web',
  title: 'Pricing',
}

const event = (project: number, distinctId: string, properties: JsonObject): IdentityEvent => ({
  project,
  uuid: uuidV7(),
  event: '$pageview',
  distinctId,
  timestamp: START,
  properties,
  personProcessing: 'full',
})

const run = (sql: Sql, events: IdentityEvent[]) =>
  inTransaction(sql, (tx) => resolveIdentities(tx, events, new Date()), { retries: 20 })

async function createPersons(sql: Sql, project: number, from: number, to: number): Promise<void> {
  for (let i = from; i < to; i += 5_000)
    await run(
      sql,
      Array.from({ length: Math.min(5_000, to - i) }, (_, n) => event(project, `user-${i + n}`, page)),
    )
}

/** Partitions at work beside each other, as the pipeline has them; each keeps to its own distinct ids. */
async function eventsPerSecond(
  sql: Sql,
  next: (partition: number) => IdentityEvent,
  roundMs = ROUND_MS,
): Promise<number> {
  let done = 0
  const startedAt = performance.now()
  const partition = async (own: number) => {
    while (performance.now() - startedAt < roundMs) {
      const events = Array.from({ length: BATCH }, () => next(own))
      await run(sql, events)
      done += events.length
    }
  }
  await Promise.all(Array.from({ length: PARTITIONS }, (_, own) => partition(own)))
  return (done * 1000) / (performance.now() - startedAt)
}

/** An event of any of the first persons. */
const ofSomebody =
  (project: number, persons: number, properties: () => JsonObject) =>
  (partition: number): IdentityEvent => {
    const person = (Math.floor((Math.random() * persons) / PARTITIONS) * PARTITIONS + partition) % persons
    return event(project, `user-${person}`, properties())
  }

let count = 0
const ofSomebodyNew = (project: number) => (): IdentityEvent => event(project, `new-${count++}`, page)

/** Parsed, as the events of the log are: an object made by spreading has a shape of its own, which slows down everything that reads it. */
const change = (): JsonObject => JSON.parse(`{"$set":{"n":${count++}},${JSON.stringify(page).slice(1)}`)

interface Server {
  readonly sql: Sql
  readonly project: number
  stop(): Promise<void>
}

async function startServer(): Promise<Server> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'footfall-bench-'))
  const log = createLogger('silent')
  const postgres = await startEmbeddedPostgres({ dataDir, log })
  const sql = await openPostgres(postgres.connection, { log })
  await applyPostgresMigrations(sql, log)
  const [{ id: organization }] = await sql<
    [{ id: string }]
  >`INSERT INTO organizations (name) VALUES ('bench') RETURNING id`
  const [{ id: project }] = await sql<[{ id: number }]>`
    INSERT INTO projects (organization_id, name, api_token) VALUES (${organization}, 'bench', 'bench') RETURNING id`
  return {
    sql,
    project,
    stop: async () => {
      await sql.end({ timeout: 1 })
      await postgres.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

const round = (n: number) => Math.round(n).toLocaleString('en')
const median = (numbers: number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] as number

const [few, many] = await Promise.all([startServer(), startServer()])
try {
  const { sql, project } = few
  await createPersons(sql, project, 0, FEW)
  const known = ofSomebody(project, FEW, () => page)
  await eventsPerSecond(sql, known)
  const rates = {
    'new persons': await eventsPerSecond(sql, ofSomebodyNew(project)),
    'known, no change': await eventsPerSecond(sql, known),
    'a change every event': await eventsPerSecond(sql, ofSomebody(project, FEW, change)),
  }
  for (const [what, rate] of Object.entries(rates))
    console.log(
      `${what.padEnd(22)} ${round(rate)}/s   ${(rate / WANTED[what as keyof typeof rates]).toFixed(2)} of ${round(WANTED[what as keyof typeof rates])}`,
    )

  await createPersons(many.sql, many.project, 0, MANY)
  const lookups = { few: [] as number[], many: [] as number[] }
  const lookUp = {
    few: () =>
      eventsPerSecond(
        few.sql,
        ofSomebody(few.project, FEW, () => page),
        LOOKUP_ROUND_MS,
      ),
    many: () =>
      eventsPerSecond(
        many.sql,
        ofSomebody(many.project, MANY, () => page),
        LOOKUP_ROUND_MS,
      ),
  }
  for (const server of [few, many]) await server.sql`VACUUM ANALYZE`
  for (let i = -2; i < LOOKUP_ROUNDS; i++)
    for (const which of i % 2 === 0 ? (['few', 'many'] as const) : (['many', 'few'] as const)) {
      const rate = await lookUp[which]()
      if (i >= 0) lookups[which].push(rate)
    }
  const cost = median(lookups.few.map((rate, i) => rate / (lookups.many[i] as number)))
  console.log(`lookup among ${round(FEW)}    ${round(median(lookups.few))}/s`)
  console.log(`lookup among ${round(MANY)}   ${round(median(lookups.many))}/s   cost ${cost.toFixed(2)}x`)
} finally {
  await Promise.all([few.stop(), many.stop()])
}
