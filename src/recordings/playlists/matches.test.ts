import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestClickHouse, type TestClickHouse } from '../../../test/support/clickhouse.ts'
import { startTestPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import { click, meta } from '../../../test/support/recordings.ts'
import { applyProvisioning } from '../../accounts/index.ts'
import { EVENT_COLUMNS, encodeRecording, eventRowsAsBinary, openRecording } from '../../events/index.ts'
import type { Json } from '../../lib/json.ts'
import { createLogger } from '../../lib/logger.ts'
import { eraseRecordings } from '../erase.ts'
import { expireRecordings } from '../expire.ts'
import { acceptUpload } from '../ingest/accept-upload.ts'
import { CHUNK_COLUMNS, chunkRowsAsBinary, minuteRowsAsNdjson } from '../ingest/rows.ts'
import { createShare, findShare, listShares, revokeShare } from '../shares.ts'
import { markViewed } from '../views.ts'
import { type PlaylistCounts, playlistCounts } from './counts.ts'
import { refreshPlaylists } from './matches.ts'
import { createPlaylist, type Playlist, updatePlaylist } from './playlist.ts'

describe('what playlists match', () => {
  let postgres: TestPostgres
  let engine: TestClickHouse
  const log = createLogger('silent')

  beforeAll(async () => {
    ;[postgres, engine] = await Promise.all([startTestPostgres(), startTestClickHouse()])
    await applyProvisioning(postgres.sql, {
      organization: { name: 'Test' },
      projects: [{ id: 1, name: 'One', api_token: 'phc_one', timezone: 'UTC' }],
      users: [{ email: 'ada@example.com', personal_api_keys: [] }],
    } as never)
  })
  afterAll(() => Promise.all([postgres?.stop(), engine?.stop()]))

  let position = 0
  async function record(sessionId: string, clicks: number): Promise<void> {
    const receivedAt = Date.now()
    const at = receivedAt - 10_000
    const recording = {
      project: 1,
      receivedAt,
      sentAt: null,
      ip: null,
      distinctId: 'ada',
      sessionId,
      windowId: 'w',
      snapshotSource: 'web',
      lib: 'web',
      items: [meta(at), ...Array.from({ length: clicks }, (_, i) => click(at + i))] as unknown as Json[],
    }
    const { chunks, minutes } = acceptUpload(openRecording(encodeRecording(recording)), position++, 30)
    await engine.clickhouse.insert('recording_chunks', chunkRowsAsBinary(chunks), { binaryColumns: CHUNK_COLUMNS })
    await engine.clickhouse.insert('recording_minutes', minuteRowsAsNdjson(minutes))
  }

  const refresh = async () => {
    await postgres.sql`UPDATE playlist_matches SET refreshed_at = now() - interval '1 hour'`
    return refreshPlaylists({ sql: postgres.sql, clickhouse: engine.clickhouse, log })
  }
  const counts = async ({ id }: Playlist): Promise<PlaylistCounts> => (await playlistCounts(postgres.sql, [id], 1))(id)

  it('are counted, and said to have grown, until the filters change', async () => {
    const clicked = { having_predicates: [{ type: 'recording', key: 'click_count', operator: 'gte', value: 2 }] }
    const playlist = await createPlaylist(postgres.sql, 1, 1, { filters: clicked })
    await record('busy', 2)
    await record('idle', 1)
    expect((await counts(playlist)).saved_filters).toEqual({})
    await refresh()
    expect((await counts(playlist)).saved_filters).toMatchObject({
      count: 1,
      has_more: 0,
      watched_count: 0,
      increased: 0,
      last_refreshed_at: expect.any(Number),
    })
    await record('busier', 3)
    await markViewed(postgres.sql, 1, 'busy', 1)
    await refresh()
    expect((await counts(playlist)).saved_filters).toMatchObject({ count: 2, watched_count: 1, increased: 1 })
    await eraseRecordings({ sql: postgres.sql, clickhouse: engine.clickhouse }, 1, ['busy'])
    await refresh()
    expect((await counts(playlist)).saved_filters).toMatchObject({ count: 1, watched_count: 0, increased: 0 })
    await updatePlaylist(postgres.sql, playlist, 1, { filters: { ...clicked, date_from: '-1d' } })
    expect((await counts(playlist)).saved_filters).toEqual({})
  })

  it('passes over what has no filters, was deleted, or was looked at just now', async () => {
    await refresh()
    const before = await refreshPlaylists({ sql: postgres.sql, clickhouse: engine.clickhouse, log })
    expect(before).toBe(0)
    await createPlaylist(postgres.sql, 1, 1, {})
    await createPlaylist(postgres.sql, 1, 1, { filters: null })
    await createPlaylist(postgres.sql, 1, 1, { filters: ['odd'] })
    await createPlaylist(postgres.sql, 1, 1, { filters: { console_logs: ['error'] }, deleted: true })
    expect(await refreshPlaylists({ sql: postgres.sql, clickhouse: engine.clickhouse, log })).toBe(0)
  })

  it('go when the project keeps recordings for a shorter time', async () => {
    const engines = { sql: postgres.sql, clickhouse: engine.clickhouse }
    const everything = await createPlaylist(postgres.sql, 1, 1, { filters: { date_from: null, order: 'start_time' } })
    const later = (days: number) => new Date(Date.now() + days * 86_400_000)
    expect(await expireRecordings(engines, later(29))).toEqual([])
    await postgres.sql`UPDATE projects SET recording_retention_days = 7 WHERE id = 1`
    await record('kept', 1)
    expect(await expireRecordings(engines, later(6))).toEqual([])
    await refresh()
    expect((await counts(everything)).saved_filters.count).toBe(3)
    expect(await expireRecordings(engines, later(8))).toEqual([1])
    await refresh()
    expect((await counts(everything)).saved_filters.count).toBe(0)
    await record('busier', 3)
    await record('idle', 1)
  })

  it('keeps the reason when filters cannot be answered, and goes on with the others', async () => {
    const bad = await createPlaylist(postgres.sql, 1, 1, { filters: { events: 'nonsense' } })
    const unstorable = await createPlaylist(postgres.sql, 1, 1, { filters: { order: 'by \0' } })
    const good = await createPlaylist(postgres.sql, 1, 1, { filters: { date_from: '-1h' } })
    await refreshPlaylists({ sql: postgres.sql, clickhouse: engine.clickhouse, log })
    const [row] = await postgres.sql`SELECT error FROM playlist_matches WHERE playlist_id = ${bad.id}`
    expect(row?.error).toBe('Expected a list of items.')
    const [other] = await postgres.sql`SELECT error FROM playlist_matches WHERE playlist_id = ${unstorable.id}`
    expect(other?.error).toContain('Recordings know no "by \uFFFD"')
    expect((await counts(good)).saved_filters.count).toBe(2)
  })

  it('of those who gave up on a funnel follow the funnel', async () => {
    const began = Date.now() - 60_000
    const happen = (event: string, person: number, sessionId: string, seconds: number) =>
      engine.clickhouse.insert(
        'events',
        eventRowsAsBinary(
          [
            {
              projectId: 1,
              uuid: randomUUID(),
              event,
              timestamp: began + seconds * 1_000,
              receivedAt: began,
              distinctId: `person-${person}`,
              personId: `00000000-0000-4000-8000-00000000000${person}`,
              personMode: 'full',
              personCreatedAt: began,
              sessionId,
              groups: ['', '', '', '', ''],
              elementsChain: '',
              properties: {},
              personProperties: {},
            },
          ],
          { inSessions: false },
        ),
        { binaryColumns: EVENT_COLUMNS },
      )
    const source = {
      kind: 'FunnelsActorsQuery',
      funnelStep: -2,
      source: {
        kind: 'FunnelsQuery',
        series: ['signed up', 'bought'].map((event) => ({ kind: 'EventsNode', event })),
        dateRange: { date_from: '-1d' },
      },
    }
    const playlist = await createPlaylist(postgres.sql, 1, 1, { filters: { kind: 'insight_actors', source } })
    const matched = async () => {
      await refresh()
      const { count, increased } = (await counts(playlist)).saved_filters
      return [count, increased]
    }
    for (const session of ['gave-up', 'gave-up-too', 'somebody-else']) await record(session, 1)
    await happen('signed up', 1, 'gave-up', 1)
    expect(await matched()).toEqual([1, 0])
    await happen('signed up', 2, 'gave-up-too', 2)
    expect(await matched()).toEqual([2, 1])
    await happen('bought', 1, 'gave-up', 3)
    expect(await matched()).toEqual([1, 0])
  })

  it('a public link ends when it expires, to whatever it leads', async () => {
    const [user] = await postgres.sql<[{ id: number }]>`SELECT id FROM users LIMIT 1`
    for (const shared of [{ page: 'web' }, { sessionId: 'some' }] as const) {
      const { token, share } = await createShare(postgres.sql, 1, user.id, shared, 1)
      expect((await findShare(postgres.sql, token))?.id).toBe(share.id)
      await postgres.sql`UPDATE recording_shares SET expires_at = now() WHERE id = ${share.id}`
      expect(await findShare(postgres.sql, token)).toBeUndefined()
      expect(await listShares(postgres.sql, 1, shared)).toEqual([])
      expect(await revokeShare(postgres.sql, 1, shared, share.id)).toBe(false)
    }
  })
})
