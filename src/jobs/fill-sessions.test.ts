import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ON_CLUSTER, startTestClickHouse, type TestClickHouse } from '../../test/support/clickhouse.ts'
import { startTestPostgres, type TestPostgres } from '../../test/support/postgres.ts'
import { sql as ch, uint } from '../engines/clickhouse/index.ts'
import {
  EVENT_COLUMNS,
  type EventRow,
  eventRowsAsBinary,
  SESSION_COLUMNS,
  sessionRowsAsBinary,
  sessionRowsOf,
} from '../events/index.ts'
import { DAY } from '../lib/durations.ts'
import type { JsonObject } from '../lib/json.ts'
import { fillSessions } from './fill-sessions.ts'

let clickhouse: TestClickHouse
let postgres: TestPostgres
beforeAll(async () => {
  clickhouse = await startTestClickHouse()
  postgres = await startTestPostgres()
})
afterAll(() => Promise.all([clickhouse.stop(), postgres.stop()]))

const T0 = Date.UTC(2014, 4, 1, 23, 59, 50)
const PERSONS = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002']

/** Few values, so that sessions, times and texts meet. */
const text = fc.constantFrom('', 'a', 'b', 'é', '\u{1F600}', '\uFF5E', 'x'.repeat(2_100))
const value = fc.oneof(text, fc.constantFrom(null, 3, true))
const NAMES =
  `$current_url $pathname $host $screen_name $referrer $referring_domain utm_source utm_campaign gclid $browser $os
  $device_type $viewport_width $viewport_height $browser_language $geoip_country_code $geoip_city_name $external_click_url
  $web_vitals_LCP_value $bot_reason`.split(/\s+/)
const happened = fc.record({
  sessionId: fc.constantFrom('', 's1', 's2', 'S-3'),
  event: fc.constantFrom('$pageview', '$screen', '$autocapture', '$rageclick', '$exception', 'bought'),
  seconds: fc.integer({ min: 0, max: 20 }),
  person: fc.integer({ min: 0, max: 1 }),
  isBot: fc.boolean(),
  values: fc.array(fc.tuple(fc.constantFrom(...NAMES), value), { maxLength: 8 }),
})

interface Happened {
  readonly sessionId: string
  readonly event: string
  readonly seconds: number
  readonly person: number
  readonly isBot: boolean
  readonly values: readonly (readonly [string, unknown])[]
}

const rowOf = (project: number, each: Happened): EventRow => ({
  projectId: project,
  uuid: randomUUID(),
  event: each.event,
  // Each project has days of its own, because pages are recognised by where they begin.
  timestamp: T0 + 2 * project * DAY + each.seconds * 1000 + 0.25,
  receivedAt: T0,
  distinctId: `d${each.person}`,
  personId: PERSONS[each.person] as string,
  personMode: 'full',
  personCreatedAt: T0,
  sessionId: each.sessionId,
  groups: ['', '', '', '', ''],
  elementsChain: '',
  properties: { ...(Object.fromEntries(each.values) as JsonObject), ...(each.isBot ? { $is_bot: true } : {}) },
  personProperties: {},
})

const insertEvents = (rows: readonly EventRow[], inSessions: boolean) =>
  clickhouse.clickhouse.insert('events', eventRowsAsBinary(rows, { inSessions }), { binaryColumns: EVENT_COLUMNS })

/** The sessions of a project, merged. */
const sessionsOf = async (project: number) =>
  (
    await clickhouse.clickhouse.query(
      ch`SELECT * EXCEPT (project_id, urls, persons), arraySort(urls) AS urls, arraySort(persons) AS persons
        FROM sessions FINAL WHERE project_id = ${uint(project)} ORDER BY day, session_id`,
    )
  ).rows

const begin = () => postgres.sql`DELETE FROM session_backfill`
const fill = (page?: number) =>
  fillSessions({ sql: postgres.sql, clickhouse: clickhouse.clickhouse, ...(page === undefined ? {} : { page }) })

let project = 100

describe('sessions of stored events', () => {
  it('keep the greatest reason by bytes, as ClickHouse compares, not by UTF-16 units', () => {
    const [less, greater] = ['\uFF5E', '\u{1F600}']
    const bot = { sessionId: 's', event: '$pageview', seconds: 0, person: 0, isBot: true }
    const events = [less, greater, less].map((reason) => rowOf(98, { ...bot, values: [['$bot_reason', reason]] }))
    expect(sessionRowsOf(events)).toMatchObject([{ botReason: greater }])
  })

  it('are what the same events make when they arrive, in any order and any batches', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(happened, { minLength: 1, maxLength: 25 }),
        fc.infiniteStream(fc.nat(5)),
        async (all, cuts) => {
          const [arrived, stored] = [++project, ++project]
          const events = all.map((each) => rowOf(arrived, each))
          for (let from = 0; from < events.length; ) {
            const to = from + 1 + (cuts.next().value as number)
            const rows = sessionRowsAsBinary(sessionRowsOf(events.slice(from, to)))
            await clickhouse.clickhouse.insert('sessions', rows, { binaryColumns: SESSION_COLUMNS })
            from = to
          }
          await begin()
          await insertEvents(
            [...events].reverse().map((row) => ({ ...row, projectId: stored })),
            false,
          )
          await fill(1)
          expect(await sessionsOf(stored)).toEqual(await sessionsOf(arrived))
          // So that the next round finds nothing of this one.
          await clickhouse.clickhouse.command(ch`ALTER TABLE events DELETE WHERE in_sessions = 0`, {
            settings: { mutations_sync: 2 },
          })
        },
      ),
      { numRuns: 15 },
    )
  })

  it.skipIf(ON_CLUSTER)(
    'are added once, also when it is interrupted after a page (not in the rehearsal of a cluster: its tables recognise no insert)',
    async () => {
      const rows = Array.from({ length: 12 }, (_, index) =>
        rowOf(99, {
          sessionId: `s${index % 6}`,
          event: '$pageview',
          seconds: index,
          person: 0,
          isBot: false,
          values: [],
        }),
      )
      await insertEvents(rows, false)
      await begin()
      // The page is in ClickHouse, but that was not noted: it is inserted again.
      const stop = new AbortController()
      const interrupted = Object.assign(Object.create(clickhouse.clickhouse), {
        insert: async (...given: Parameters<typeof clickhouse.clickhouse.insert>) => {
          await clickhouse.clickhouse.insert(...given)
          stop.abort()
          throw new Error('killed')
        },
      }) as typeof clickhouse.clickhouse
      await expect(fillSessions({ sql: postgres.sql, clickhouse: interrupted, page: 4 }, stop.signal)).rejects.toThrow(
        'killed',
      )
      await fill(4)
      expect(await fill(4)).toBe(0)
      const { rows: sums } = await clickhouse.clickhouse.query<{ sessions: number; views: number }>(
        ch`SELECT uniqExact(session_id) AS sessions, sum(pageviews) AS views FROM sessions WHERE project_id = 99`,
      )
      expect(sums).toEqual([{ sessions: 6, views: 12 }])
    },
  )

  it('wait for what an earlier version left in the outbox, and leave events alone that are in their sessions', async () => {
    await begin()
    await postgres.sql`
      INSERT INTO clickhouse_outbox (lane, table_name, token, rows) VALUES ('live-0', 'packed events', 'old', '')`
    expect(await fill()).toBeNull()
    await postgres.sql`DELETE FROM clickhouse_outbox`
    await insertEvents(
      [rowOf(98, { sessionId: 'new', event: '$pageview', seconds: 1, person: 0, isBot: false, values: [] })],
      true,
    )
    await fill()
    expect(await sessionsOf(98)).toEqual([])
  })
})
