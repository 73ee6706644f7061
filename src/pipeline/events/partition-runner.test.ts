import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startTestClickHouse, type TestClickHouse } from '../../../test/support/clickhouse.ts'
import { withFieldLimit } from '../../../test/support/field-limit.ts'
import { startTestPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import { applyProvisioning } from '../../accounts/index.ts'
import { type ClickHouse, ClickHouseFailure, sql as chSql, str } from '../../engines/clickhouse/index.ts'
import {
  type CapturedEvent,
  clickhouseTime,
  EVENT_COLUMNS,
  type EventRow,
  encodeCaptured,
  eventRowsAsBinary,
  readLedger,
  UUID_COLUMNS,
  uuidAsNumber,
  uuidRowsAsBinary,
} from '../../events/index.ts'
import { DefinitionRecorder } from '../../identity/index.ts'
import type { JsonObject } from '../../lib/json.ts'
import { createLogger } from '../../lib/logger.ts'
import { uuidV7 } from '../../lib/uuid.ts'
import { openSegmentLog, openSegmentReader, type SegmentLog } from '../../log/index.ts'
import { projectSettings } from '../shared/project-settings.ts'
import { eventSteps } from '../steps/index.ts'
import { applyDeferredUpdates } from './apply-deferred.ts'
import { runPartition } from './partition-runner.ts'
import { UuidsInProgress } from './uuids-in-progress.ts'

const PARTITION = 'live-0'
const log = createLogger(process.env.FOOTFALL_LOG_LEVEL ?? 'silent')

describe('a partition runs into the tables', () => {
  let postgres: TestPostgres
  let engine: TestClickHouse
  let folder: string
  let eventLog: SegmentLog

  beforeAll(async () => {
    ;[postgres, engine] = await Promise.all([startTestPostgres(), startTestClickHouse()])
    folder = await mkdtemp(path.join(os.tmpdir(), 'footfall-pipeline-'))
    eventLog = await openSegmentLog({ dir: folder, partitions: [PARTITION] })
    await applyProvisioning(postgres.sql, {
      organization: { name: 'Test' },
      projects: [{ id: 1, name: 'One', api_token: 'phc_one', timezone: 'UTC' }],
      users: [],
    })
  })
  afterAll(async () => {
    await eventLog?.close()
    await Promise.all([postgres?.stop(), engine?.stop()])
    await rm(folder, { recursive: true, force: true })
  })

  const captured = (event: string, fields: Partial<CapturedEvent> = {}): CapturedEvent => ({
    uuid: uuidV7(),
    clientUuid: true,
    event,
    distinctId: 'ada',
    properties: {},
    timestamp: null,
    offset: null,
    ...fields,
  })
  const append = (...events: CapturedEvent[]) =>
    eventLog.append([
      {
        partition: PARTITION,
        payload: encodeCaptured({
          project: 1,
          receivedAt: Date.now(),
          sentAt: null,
          ip: null,
          historical: false,
          events,
          warnings: [],
        }),
      },
    ])

  /** Runs the partition until the log is empty and everything promised has arrived. */
  async function run(options: { clickhouse?: ClickHouse } = {}): Promise<void> {
    const stop = new AbortController()
    const reader = openSegmentReader(eventLog.readerHandle())
    const running = runPartition({
      partition: PARTITION,
      reader,
      sql: postgres.sql,
      clickhouse: options.clickhouse ?? engine.clickhouse,
      steps: eventSteps(),
      settings: projectSettings(postgres.sql),
      definitions: new DefinitionRecorder(),
      inProgress: new UuidsInProgress([PARTITION]),
      log,
      signal: stop.signal,
    })
    await expect.poll(caughtUp).toBe(true)
    stop.abort()
    await running
    await reader.close()
  }

  async function caughtUp(): Promise<boolean> {
    const [at] = await postgres.sql<
      { position: number }[]
    >`SELECT position FROM pipeline_positions WHERE partition = ${PARTITION}`
    const [owed] = await postgres.sql<{ n: number }[]>`SELECT count(*) AS n FROM clickhouse_outbox`
    return (at?.position ?? 0) >= (eventLog.status().partitions[PARTITION]?.end ?? 0) && owed?.n === 0
  }

  const countOf = async (event: string) =>
    (await engine.clickhouse.query<{ n: number }>(chSql`SELECT count() AS n FROM events WHERE event = ${str(event)}`))
      .rows[0]?.n
  const warningCount = async (type: string) =>
    (await readLedger(postgres.sql, 1)).find((row) => row.type === type)?.count ?? 0

  it('stores what was captured, with its person', async () => {
    await append(
      captured('signed up', { properties: { $set: { plan: 'pro' } } }),
      captured('clicked', { distinctId: 'ben' }),
    )
    await run()
    expect(await countOf('signed up')).toBe(1)
    expect(await countOf('clicked')).toBe(1)
    const [ada] =
      await postgres.sql`SELECT p.properties FROM persons p JOIN person_distinct_ids d ON d.person_id = p.id WHERE d.distinct_id = 'ada'`
    expect(ada?.properties).toMatchObject({ plan: 'pro' })
  })

  it('counts a retry once, in the same batch, in a later one, and with another timestamp', async () => {
    const event = captured('retried', { timestamp: '2024-01-01T00:00:00Z' })
    await append(event, event)
    await append(event)
    await run()
    await append({ ...event, timestamp: '2024-01-02T00:00:00Z' })
    await run()
    expect(await countOf('retried')).toBe(1)
    expect(await warningCount('duplicate_event')).toBe(3)
  })

  it('delivers what an earlier life had promised, under its token, and only once', async () => {
    await append(captured('promised'))
    const dying: ClickHouse = {
      ...engine.clickhouse,
      // The rows arrive, but the process dies before it learns of it.
      insert: async (...args) => {
        await engine.clickhouse.insert(...args)
        if (args[0] === 'events') throw new Error('killed')
        return 0
      },
    }
    const stop = new AbortController()
    const reader = openSegmentReader(eventLog.readerHandle())
    const running = runPartition({
      partition: PARTITION,
      reader,
      sql: postgres.sql,
      clickhouse: dying,
      steps: eventSteps(),
      settings: projectSettings(postgres.sql),
      definitions: new DefinitionRecorder(),
      inProgress: new UuidsInProgress([PARTITION]),
      log,
      signal: stop.signal,
    })
    await expect.poll(() => countOf('promised')).toBe(1)
    stop.abort()
    await running
    await reader.close()
    expect(await caughtUp()).toBe(false)
    await run()
    expect(await countOf('promised')).toBe(1)
  })

  it('starts over when a delivery fails, although no event follows', async () => {
    await append(captured('failing'))
    const stop = new AbortController()
    const reader = openSegmentReader(eventLog.readerHandle())
    const released: number[] = []
    let failures = 0
    const running = runPartition({
      partition: PARTITION,
      reader: {
        partitions: reader.partitions,
        read: (...asked) => reader.read(...asked),
        wait: (...asked) => reader.wait(...asked),
        close: () => reader.close(),
        // The first position is that of the start; the second is that of the delivery.
        release: async (partition, upTo) => {
          if (released.push(upTo) === 2 && failures++ === 0) throw new Error('the connection was lost')
          await reader.release(partition, upTo)
        },
      },
      sql: postgres.sql,
      clickhouse: engine.clickhouse,
      steps: eventSteps(),
      settings: projectSettings(postgres.sql),
      definitions: new DefinitionRecorder(),
      inProgress: new UuidsInProgress([PARTITION]),
      log,
      signal: stop.signal,
    })
    await expect.poll(() => released.length).toBe(3)
    expect(failures).toBe(1)
    expect(released[2]).toBe(released[1])
    stop.abort()
    await running
    await reader.close()
    expect(await countOf('failing')).toBe(1)
  })

  it('waits for a ClickHouse that is away, and loses nothing', async () => {
    await append(captured('patient'))
    let refusals = 0
    const away: ClickHouse = {
      ...engine.clickhouse,
      insert: (...args) =>
        refusals++ < 3 ? Promise.reject(new Error('connect ECONNREFUSED')) : engine.clickhouse.insert(...args),
    }
    await run({ clickhouse: away })
    expect(refusals).toBeGreaterThan(3)
    expect(await countOf('patient')).toBe(1)
  })

  it('buries a row that ClickHouse refuses, found among many, and stores the others once', async () => {
    const picky: ClickHouse = {
      ...engine.clickhouse,
      insert: (table, rows, options) =>
        table === 'events' && rows.includes('indigestible')
          ? Promise.reject(
              new ClickHouseFailure('refused at \0', { code: 27, type: 'CANNOT_PARSE', kind: 'bad_query' }),
            )
          : engine.clickhouse.insert(table, rows, options),
    }
    const events = Array.from({ length: 30 }, (_, i) =>
      captured('picked', { properties: i === 11 ? { food: 'indigestible' } : { food: i } }),
    )
    await append(...events)
    await run({ clickhouse: picky })
    expect(await countOf('picked')).toBe(29)
    const [letter] = await postgres.sql`
      SELECT payload, project_id, error FROM dead_letters WHERE uuid = ${`events ${events[11]?.uuid}`}`
    expect(letter).toMatchObject({ project_id: 1, error: 'refused at \uFFFD' })
    expect(JSON.parse(letter?.payload)).toMatchObject({ event: 'picked', properties: { food: 'indigestible' } })
  })

  it('writes every column as it was, whatever it holds', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 }).map((value) => value.replaceAll('\uE0F7', ''))
    const someRow = fc.record<EventRow>({
      projectId: fc.constant(7),
      uuid: fc.uuid(),
      event: text,
      // A few months, because each is a part of the table.
      timestamp: fc
        .tuple(
          fc.constantFrom(Date.UTC(1900, 1), Date.UTC(1969, 11), 0, Date.UTC(2024, 1), Date.UTC(2250, 1)),
          fc.nat(),
        )
        .map(([month, micros]) => month + micros / 1000),
      receivedAt: fc.integer({ min: 0, max: Date.UTC(2290, 0, 1) }),
      distinctId: text,
      personId: fc.uuid(),
      personMode: fc.constantFrom('full', 'propertyless', 'force_upgrade'),
      personCreatedAt: fc.integer({ min: Date.UTC(1900, 0, 1), max: Date.UTC(2290, 0, 1) }),
      sessionId: text,
      groups: fc.array(text, { minLength: 5, maxLength: 5 }),
      elementsChain: text,
      properties: fc.dictionary(text, text, { maxKeys: 2 }),
      personProperties: fc.dictionary(text, text, { maxKeys: 2 }),
    })
    const rows = fc.sample(fc.uniqueArray(someRow, { selector: ({ uuid }) => uuid, minLength: 50, maxLength: 50 }), 1)
    const written = (rows[0] ?? []).map((row, at, all) => ({
      ...row,
      personProperties: all[at >> 2]?.personProperties ?? row.personProperties,
    }))
    const bytes = eventRowsAsBinary(written, { inSessions: true })
    await engine.clickhouse.insert('events', bytes, { binaryColumns: EVENT_COLUMNS })
    await engine.clickhouse.insert('event_uuids', uuidRowsAsBinary(written), { binaryColumns: UUID_COLUMNS })
    const { rows: found } = await engine.clickhouse.query(chSql`
      SELECT toString(uuid) AS id, event, toString(timestamp) AS at, toString(received_at) AS received, distinct_id, toString(person_id) AS person,
        toString(person_mode) AS mode, toString(person_created_at) AS created, session_id,
        [group_0, group_1, group_2, group_3, group_4] AS groups, elements_chain, properties, person_properties, in_sessions
      FROM events WHERE project_id = 7 ORDER BY id`)
    const inOrder = written.toSorted((a, b) => (a.uuid < b.uuid ? -1 : 1))
    expect(found).toEqual(
      inOrder.map((row) => ({
        id: row.uuid,
        event: row.event,
        at: clickhouseTime(row.timestamp),
        received: clickhouseTime(row.receivedAt).slice(0, 23),
        distinct_id: row.distinctId,
        person: row.personId,
        mode: row.personMode,
        created: clickhouseTime(row.personCreatedAt).slice(0, 23),
        session_id: row.sessionId,
        groups: row.groups,
        elements_chain: row.elementsChain,
        properties: JSON.stringify(row.properties),
        person_properties: JSON.stringify(row.personProperties),
        in_sessions: 1,
      })),
    )
    const { rows: uuids } = await engine.clickhouse.query(chSql`
      SELECT toString(uuid) AS number, toString(timestamp) AS at FROM event_uuids WHERE project_id = 7 ORDER BY uuid`)
    expect(uuids).toEqual(
      inOrder.map(({ uuid, timestamp }) => ({ number: uuidAsNumber(uuid), at: clickhouseTime(timestamp) })),
    )
  })

  it('stores a batch that reaches back over more months than ClickHouse likes to see in one insert', async () => {
    const month = (n: number) => new Date(Date.UTC(1995, n, 3)).toISOString()
    await append(...Array.from({ length: 120 }, (_, n) => captured('imported', { timestamp: month(n) })))
    await run()
    expect(await countOf('imported')).toBe(120)
  })

  it('buries an event whose step fails, and goes on', async () => {
    const poison = captured('poison', { properties: null as never })
    await append(captured('before poison'), poison, captured('after poison'))
    await run()
    expect([await countOf('before poison'), await countOf('poison'), await countOf('after poison')]).toEqual([1, 0, 1])
    const [letter] = await postgres.sql`SELECT reason, payload FROM dead_letters WHERE uuid = ${poison.uuid}`
    expect(letter).toMatchObject({ reason: 'step_failed' })
    expect(JSON.parse(letter?.payload)).toMatchObject({ event: 'poison' })
    expect(await warningCount('dead_letter')).toBe(1)
  })

  it('buries an event that Postgres refuses, found among many', async () => {
    await postgres.sql`
      ALTER TABLE persons ADD CONSTRAINT refuse_poison CHECK (NOT properties ? 'refuse me') NOT VALID`
    const events = Array.from({ length: 40 }, (_, i) =>
      captured(`among many`, { distinctId: `many-${i}`, properties: i === 17 ? { $set: { 'refuse me': 1 } } : {} }),
    )
    await append(...events)
    await run()
    await postgres.sql`ALTER TABLE persons DROP CONSTRAINT refuse_poison`
    expect(await countOf('among many')).toBe(39)
    const [letter] =
      await postgres.sql`SELECT reason FROM dead_letters WHERE uuid = ${(events[17] as CapturedEvent).uuid}`
    expect(letter?.reason).toBe('refused_by_postgres')
  })

  /**
   * Postgres refuses statements that give distinct ids to persons, when the condition holds for the rows of one
   * statement.
   */
  async function refusing(condition: string, work: () => Promise<void>, code = '23514'): Promise<void> {
    await postgres.sql.unsafe(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF ${condition} THEN RAISE EXCEPTION 'refused by the test' USING ERRCODE = '${code}'; END IF; RETURN NULL; END $$;
      CREATE TRIGGER refuse AFTER INSERT ON person_distinct_ids REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION refuse()`)
    try {
      await work()
    } finally {
      await postgres.sql.unsafe('DROP TRIGGER IF EXISTS refuse ON person_distinct_ids; DROP FUNCTION refuse()')
    }
  }
  const buried = async (events: readonly CapturedEvent[]) =>
    (
      await postgres.sql`
        SELECT uuid FROM dead_letters WHERE reason = 'refused_by_postgres' AND uuid = ANY(${events.map(({ uuid }) => uuid)}::text[])`
    ).map(({ uuid }) => uuid)

  it('buries the one that spoils a batch whose events are fine one by one', async () => {
    const events = Array.from({ length: 30 }, (_, i) => captured('together', { distinctId: `together-${i}` }))
    await refusing(`(SELECT count(*) FROM fresh WHERE distinct_id IN ('together-4', 'together-19')) > 1`, async () => {
      await append(...events)
      await run()
    })
    expect(await buried(events)).toEqual([events[19]?.uuid])
    expect(await countOf('together')).toBe(29)
  })

  it('buries a batch that is refused again and again although nothing shows in a dryRun, and goes on', async () => {
    const events = ['one', 'two'].map((id) => captured('inexplicable', { distinctId: `inexplicable ${id}` }))
    await postgres.sql`CREATE SEQUENCE refusals`
    await refusing(`nextval('refusals') % 2 = 1`, async () => {
      await append(...events)
      await run()
    })
    await append(captured('after the inexplicable'))
    await run()
    expect((await buried(events)).toSorted()).toEqual(events.map(({ uuid }) => uuid).toSorted())
    expect([await countOf('inexplicable'), await countOf('after the inexplicable')]).toEqual([0, 1])
  })

  it.each([
    ['has no room on its disk', '53100'],
    ['cannot read its disk', '58030'],
  ])('blames no event when Postgres %s for a while', async (what, code) => {
    const events = ['one', 'two', 'three'].map((id) => captured(`while it ${what}`, { distinctId: `${id} ${code}` }))
    await postgres.sql.unsafe(`CREATE SEQUENCE tries_${code}`)
    const unlucky = `EXISTS (SELECT FROM fresh WHERE distinct_id = 'two ${code}') AND nextval('tries_${code}') < 5`
    await refusing(
      unlucky,
      async () => {
        await append(...events)
        await run()
      },
      code,
    )
    expect(await buried(events)).toEqual([])
    expect(await countOf(`while it ${what}`)).toBe(3)
  })

  it('blames no event when Postgres refuses everything, and stores all of them once it is mended', async () => {
    const events = Array.from({ length: 3 }, () => captured('blameless'))
    // A sequence keeps its number when the transaction that asked for it is rolled back: so it counts the refusals.
    await postgres.sql`CREATE SEQUENCE stuck`
    await postgres.sql`ALTER TABLE pipeline_positions ADD CONSTRAINT stuck CHECK (nextval('stuck') < 0) NOT VALID`
    await append(...events)
    const running = run()
    const refusals = async () => (await postgres.sql`SELECT last_value::int AS n FROM stuck`)[0]?.n
    await expect.poll(refusals).toBeGreaterThan(3)
    await postgres.sql`ALTER TABLE pipeline_positions DROP CONSTRAINT stuck`
    await running
    expect(await buried(events)).toEqual([])
    expect(await countOf('blameless')).toBe(3)
  })

  it.each([1, 2, 3, 4, 5])('blames no event when Postgres is mended after %i refusals', async (refusals) => {
    const events = Array.from({ length: 3 }, () => captured(`mended after ${refusals}`))
    const name = `mended_after_${refusals}`
    await postgres.sql.unsafe(`CREATE SEQUENCE ${name}`)
    await postgres.sql.unsafe(
      `ALTER TABLE pipeline_positions ADD CONSTRAINT ${name} CHECK (nextval('${name}') > ${refusals}) NOT VALID`,
    )
    await append(...events)
    await run()
    await postgres.sql.unsafe(`ALTER TABLE pipeline_positions DROP CONSTRAINT ${name}`)
    expect(await buried(events)).toEqual([])
    expect(await countOf(`mended after ${refusals}`)).toBe(3)
  })

  it('drops what is older than its project takes, keeps a survey event without its survey, and says both in the ledger', async () => {
    await postgres.sql`UPDATE projects SET drop_events_older_than_seconds = 3600 WHERE id = 1`
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
    const old = captured('too old', { timestamp: hoursAgo(2) })
    const nameless = captured('survey sent')
    await append(old, captured('young enough', { timestamp: hoursAgo(0.5) }), nameless)
    await run()
    await postgres.sql`UPDATE projects SET drop_events_older_than_seconds = NULL WHERE id = 1`
    expect([await countOf('too old'), await countOf('young enough'), await countOf('survey sent')]).toEqual([0, 1, 1])
    const ledger = await readLedger(postgres.sql, 1)
    const samplesOf = (type: string) =>
      ledger.filter((row) => row.type === type).flatMap(({ samples }) => samples.map(({ uuid }) => uuid))
    expect(samplesOf('event_too_old')).toEqual([old.uuid])
    expect(samplesOf('survey_without_id')).toEqual([nameless.uuid])
  })

  it('buries a record that is no JSON', async () => {
    await eventLog.append([{ partition: PARTITION, payload: Buffer.from('{"half') }])
    await append(captured('after rubbish'))
    await run()
    expect(await countOf('after rubbish')).toBe(1)
    const [letter] = await postgres.sql`SELECT count(*) AS n FROM dead_letters WHERE reason = 'unreadable_record'`
    expect(letter?.n).toBe(1)
  })

  it('stores hostile properties and keeps their exact text', async () => {
    const properties = {
      'with.dot': 1,
      '': 'empty key',
      'quote"\'`\\': 'q',
      $when: '2020-01-01',
      nul: 'a\0b',
      lone: '\ud800',
      deep: JSON.parse(`${'{"a":'.repeat(60)}1${'}'.repeat(60)}`),
      list: [1, null, { x: true }],
      none: null,
      '%': 'percent',
      ünïcode: '✓',
    }
    await append(captured('hostile', { properties: { ...properties, $set: { nul: 'a\0b', lone: '\ud800', '\0': 1 } } }))
    await run()
    const { rows } = await engine.clickhouse.query<{ properties: string }>(
      chSql`SELECT properties FROM events WHERE event = 'hostile'`,
    )
    expect(JSON.parse(rows[0]?.properties as string)).toMatchObject(properties)
  })

  const propertiesOf = async (distinctId: string) =>
    (
      await postgres.sql`
        SELECT p.properties FROM persons p JOIN person_distinct_ids d ON d.person_id = p.id WHERE d.distinct_id = ${distinctId}`
    )[0]?.properties
  const spikeOf = (distinctId: string, properties: (i: number) => JsonObject) =>
    Array.from({ length: 1_500 }, (_, i) => captured('spike', { distinctId, properties: properties(i) }))

  it('puts off what a spike wants to change, and applies it afterwards', async () => {
    await append(...spikeOf('runaway', (i) => ({ $set: { last: i }, utm_source: `ad ${i}` })))
    await run()
    expect(await countOf('spike')).toBe(1_500)
    expect(await warningCount('person_processing_deferred_spike')).toBe(500)
    // What the events were stored with says what was put off; the person itself may be up to date already when the run
    // was slow.
    const { rows } = await engine.clickhouse.query<{ n: number }>(
      chSql`SELECT count() AS n FROM events WHERE event = 'spike' AND JSONExtractInt(person_properties, 'last') = 999`,
    )
    expect(rows[0]?.n).toBe(501)
    await postgres.sql`UPDATE deferred_person_updates SET updated_at = now() - interval '1 minute'`
    const deps = { sql: postgres.sql, clickhouse: engine.clickhouse, log }
    expect(await applyDeferredUpdates(deps, new AbortController().signal)).toBe(1)
    expect(await propertiesOf('runaway')).toMatchObject({
      last: 1_499,
      utm_source: 'ad 1499',
      $initial_utm_source: 'ad 0',
    })
  })

  it('applies what a spike put off before what its distinct id does later, or whoever it is merged into', async () => {
    const later = (distinctId: string, properties: JsonObject) => captured('$identify', { distinctId, properties })
    await append(
      ...spikeOf('hasty', (i) => ({ $set: { last: i, spike: i } })),
      later('hasty', { $set: { last: 'later' } }),
      ...spikeOf('unknown', (i) => ({ $set: { last: i, spike: i } })),
    )
    await run()
    expect(await propertiesOf('hasty')).toMatchObject({ last: 'later', spike: 1_499 })
    await append(later('known', { $anon_distinct_id: 'unknown', $set: { last: 'merged' } }))
    await run()
    expect(await propertiesOf('unknown')).toMatchObject({ last: 'merged', spike: 1_499 })
    expect(await postgres.sql`SELECT 1 FROM deferred_person_updates`).toHaveLength(0)
  })

  /** An engine with nothing but new sessions, which refuses a field of a request over 128 KiB, as a server does. */
  async function strictEngine(): Promise<ClickHouse> {
    const fresh = await startTestClickHouse()
    onTestFinished(() => fresh.stop())
    return withFieldLimit(fresh.clickhouse)
  }

  it('takes a large batch of events with ids of their own, and knows all of them when they come again', async () => {
    const clickhouse = await strictEngine()
    const stored = async () =>
      (await clickhouse.query<{ n: number }>(chSql`SELECT count() AS n FROM events WHERE event = 'copied'`)).rows[0]?.n
    const many = Array.from({ length: 8_000 }, () => captured('copied', { distinctId: 'bulk' }))
    for (let from = 0; from < many.length; from += 2_000) await append(...many.slice(from, from + 2_000))
    await run({ clickhouse })
    expect(await stored()).toBe(many.length)
    await append(...many, captured('copied', { distinctId: 'bulk' }))
    await run({ clickhouse })
    expect(await stored()).toBe(many.length + 1)
  })
})
