import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestClickHouse, type TestClickHouse } from '../../../test/support/clickhouse.ts'
import { startTestPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import { click, fullSnapshot, meta, mutation, pack } from '../../../test/support/recordings.ts'
import { applyProvisioning } from '../../accounts/index.ts'
import { type ClickHouse, sql as ch, ident, str, strings } from '../../engines/clickhouse/index.ts'
import { encodeRecording, readLedger } from '../../events/index.ts'
import type { Json } from '../../lib/json.ts'
import { createLogger } from '../../lib/logger.ts'
import { openSegmentLog, openSegmentReader, RECORDINGS_PARTITION, type SegmentLog } from '../../log/index.ts'
import { eraseRecordings, snapshotLines } from '../../recordings/index.ts'
import { projectSettings } from '../shared/project-settings.ts'
import { runRecordings } from './recordings-runner.ts'

const log = createLogger(process.env.FOOTFALL_LOG_LEVEL ?? 'silent')

describe('uploads of recordings run into the tables', () => {
  let postgres: TestPostgres
  let engine: TestClickHouse
  let folder: string
  let eventLog: SegmentLog
  const t0 = Date.now() - 60_000

  beforeAll(async () => {
    ;[postgres, engine] = await Promise.all([startTestPostgres(), startTestClickHouse()])
    folder = await mkdtemp(path.join(os.tmpdir(), 'footfall-recordings-'))
    eventLog = await openSegmentLog({ dir: folder, partitions: [RECORDINGS_PARTITION] })
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

  const append = (sessionId: string, items: unknown[], project = 1, receivedAt = Date.now()) =>
    eventLog.append([
      {
        partition: RECORDINGS_PARTITION,
        payload: encodeRecording({
          project,
          receivedAt,
          sentAt: null,
          ip: null,
          distinctId: 'ada',
          sessionId,
          windowId: 'w',
          snapshotSource: 'web',
          lib: 'web',
          items: items as Json[],
        }),
      },
    ])

  function start(clickhouse: ClickHouse = engine.clickhouse) {
    const stopping = new AbortController()
    const reader = openSegmentReader(eventLog.readerHandle())
    const settings = projectSettings(postgres.sql)
    const running = runRecordings({ reader, sql: postgres.sql, clickhouse, settings, log, signal: stopping.signal })
    return {
      async stop() {
        stopping.abort()
        await running
        await reader.close()
      },
    }
  }

  async function run(clickhouse?: ClickHouse): Promise<void> {
    const runner = start(clickhouse)
    await expect.poll(caughtUp).toBe(true)
    await runner.stop()
  }

  async function caughtUp(): Promise<boolean> {
    const [at] = await postgres.sql<{ position: number }[]>`
      SELECT position FROM pipeline_positions WHERE partition = ${RECORDINGS_PARTITION}`
    return (at?.position ?? 0) >= (eventLog.status().partitions[RECORDINGS_PARTITION]?.end ?? 0)
  }

  async function lines(sessionId: string): Promise<string[]> {
    const all: string[] = []
    for await (const page of snapshotLines(engine.clickhouse, { project: 1, sessionId })) all.push(...page)
    return all
  }
  const clicks = async (sessionId: string) =>
    (
      await engine.clickhouse.query<{ n: number }>(
        ch`SELECT sum(click_count) AS n FROM recording_minutes WHERE session_id = ${str(sessionId)}`,
      )
    ).rows[0]?.n

  /** A ClickHouse that does what it is told and then does not answer, from the n-th insert on. */
  const dying = (from: number): ClickHouse => {
    let inserts = 0
    return {
      ...engine.clickhouse,
      insert: async (...args) => {
        const mute = inserts++ >= from
        const rows = await engine.clickhouse.insert(...args)
        return mute ? Promise.reject(new Error('socket hang up')) : rows
      },
    }
  }

  it.each([0, 1])(
    'stores an upload once, when it dies after insert %i and the log has grown meanwhile',
    async (from) => {
      const session = `dying-${from}`
      await append(session, [meta(t0), click(t0 + 1)])
      const first = start(dying(from))
      // The events go first, the summary follows.
      const arrived = async () => (from === 0 ? (await lines(session)).length === 2 : (await clicks(session)) === 1)
      await expect.poll(arrived).toBe(true)
      await first.stop()
      expect(await caughtUp()).toBe(false)
      await append(session, [click(t0 + 2)])
      await run()
      expect(await clicks(session)).toBe(2)
      expect(await lines(session)).toHaveLength(3)
    },
  )

  it('shows a recording only when it can be played', async () => {
    await append('in-order', [meta(t0), click(t0 + 1)])
    const seen: [table: string, summaries: number | undefined, events: number][] = []
    await run({
      ...engine.clickhouse,
      insert: async (table, ...rest) => {
        const written = await engine.clickhouse.insert(table, ...rest)
        seen.push([table, await clicks('in-order'), (await lines('in-order')).length])
        return written
      },
    })
    expect(seen).toEqual([
      ['recording_chunks', 0, 2],
      ['recording_minutes', 1, 2],
    ])
  })

  it('leaves nothing of a recording that is deleted while it is on its way', async () => {
    await append('deleted-midway', [meta(t0), click(t0 + 1)])
    await run({
      ...engine.clickhouse,
      insert: async (table, ...rest) => {
        if (table === 'recording_minutes')
          await eraseRecordings({ sql: postgres.sql, clickhouse: engine.clickhouse }, 1, ['deleted-midway'])
        return engine.clickhouse.insert(table, ...rest)
      },
    })
    expect(await clicks('deleted-midway')).toBe(0)
    expect(await lines('deleted-midway')).toEqual([])
  })

  it('stores recordings so that they go by themselves when their time is up', async () => {
    const then = Date.now() - 31 * 86_400_000
    await append('expired', [meta(then), click(then + 1)], 1, then)
    await append('lasting', [meta(t0), click(t0 + 1)])
    await run()
    expect(await lines('expired')).toEqual([])
    for (const table of ['recording_chunks', 'recording_minutes']) {
      await engine.clickhouse.command(`OPTIMIZE TABLE ${table} FINAL`)
      const { rows } = await engine.clickhouse.query<{ session_id: string }>(
        ch`SELECT session_id FROM ${ident(table)} WHERE session_id IN ${strings(['expired', 'lasting'])}`,
      )
      expect([...new Set(rows.map(({ session_id }) => session_id))]).toEqual(['lasting'])
    }
  })

  it('waits for a ClickHouse that is away', async () => {
    await append('patient', [click(t0)])
    let refusals = 0
    await run({
      ...engine.clickhouse,
      insert: (...args) =>
        refusals++ < 3 ? Promise.reject(new Error('connect ECONNREFUSED')) : engine.clickhouse.insert(...args),
    })
    expect(await clicks('patient')).toBe(1)
  })

  it('buries what is no recording, and goes on', async () => {
    await eventLog.append([{ partition: RECORDINGS_PARTITION, payload: Buffer.from('{"half') }])
    await eventLog.append([{ partition: RECORDINGS_PARTITION, payload: Buffer.from('{"project":1}') }])
    await append('nobody', [click(t0)], 99)
    await append('after', [click(t0)])
    await run()
    expect(await clicks('after')).toBe(1)
    const letters = await postgres.sql`SELECT reason, project_id FROM dead_letters ORDER BY position`
    expect(letters).toEqual([
      { reason: 'unreadable_record', project_id: 0 },
      { reason: 'unreadable_record', project_id: 1 },
      { reason: 'unknown_project', project_id: 99 },
    ])
  })

  it('stores a console line whose level is a name that every object has', async () => {
    const levels = ['constructor', '__proto__', { toString: 1 }, 'error']
    const said = levels.map((level, i) => ({
      type: 6,
      timestamp: t0 + i,
      data: { plugin: 'rrweb/console@1', payload: { level, payload: ['"hello"'] } },
    }))
    await append('console', said)
    await run()
    expect((await lines('console')).map((line) => JSON.parse(line))).toEqual(said)
    const { rows } = await engine.clickhouse.query(
      ch`SELECT console_levels FROM recording_chunks WHERE session_id = 'console'`,
    )
    expect(rows).toEqual([{ console_levels: ['log', 'log', 'log', 'error'] }])
  })

  it('keeps a bomb packed instead of unpacking it', async () => {
    const bomb = {
      type: 2,
      timestamp: t0,
      cv: '2024-10',
      data: gzipSync(Buffer.alloc(64 << 20, '1')).toString('latin1'),
    }
    await append('bomb', [bomb, click(t0 + 1)])
    await run()
    expect((await lines('bomb')).map((line) => JSON.parse(line))).toEqual([bomb, click(t0 + 1)])
    const warnings = await readLedger(postgres.sql, 1)
    expect(warnings.find(({ type }) => type === 'recording_item_unreadable')?.count).toBe(1)
  })

  it('reads a long session page by page, in order, whatever the order of its uploads', async () => {
    const events = [meta(t0), fullSnapshot(t0 + 1, 'x'.repeat(200_000))]
    for (let i = 2; i < 600; i++) events.push(mutation(t0 + i, `${i} ${'y'.repeat(20_000)}`))
    const parts = Array.from({ length: 12 }, (_, i) => events.slice(i * 50, (i + 1) * 50))
    for (const i of [3, 0, 7, 1, 11, 2, 5, 4, 10, 6, 9, 8])
      await append('long', parts[i]?.map((event) => (event.type === 4 ? event : pack(event))) ?? [])
    await run()
    const pages: number[] = []
    const read: unknown[] = []
    for await (const page of snapshotLines(engine.clickhouse, { project: 1, sessionId: 'long' })) {
      pages.push(page.reduce((sum, line) => sum + line.length, 0))
      read.push(...page.map((line) => JSON.parse(line)))
    }
    expect(read).toEqual(events)
    expect(pages.length).toBeGreaterThan(3)
    expect(Math.max(...pages)).toBeLessThan(6_000_000)
    expect(pages[0]).toBeLessThan(1_500_000)
  })
})
