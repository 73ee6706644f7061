import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  click,
  consoleLine,
  fullSnapshot,
  input,
  meta,
  mouseMove,
  mutation,
  pack,
  type Rrweb,
  type Upload,
  upload,
} from '../support/recordings.ts'
import { KEYS, startTestService, type TestService, TOKENS } from '../support/service.ts'

const LIST = 'session_recordings/'

describe('session recordings', () => {
  let service: TestService
  /** Three minutes ago, at a whole minute. */
  const t0 = Math.floor((Date.now() - 180_000) / 60_000) * 60_000

  beforeAll(async () => {
    service = await startTestService()
  })
  afterAll(() => service?.stop())

  const send = async (recording: Upload) => {
    const answer = await upload(service.url, recording)
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'Ok' }])
  }
  const one = async (session: string) => (await service.api(`${LIST}${session}/`)).body
  const snapshots = async (session: string, query = ''): Promise<Rrweb[]> =>
    (await service.api(`${LIST}${session}/snapshots/${query}`)).text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  /** The summary comes after the events it counts. */
  const arrived = (session: string, clicks: number) =>
    service.waitFor(async () => (await one(session)).click_count === clicks, `${clicks} clicks of ${session}`)
  const warned = (type: string, count: number) =>
    service.waitFor(async () => {
      const { results } = (await service.api('ingestion_warnings/')).body
      return results.some((row: { type: string; count: number }) => row.type === type && row.count === count)
    }, `${count} warnings of ${type}`)
  const ids = async (query: string) =>
    (await service.api(`${LIST}?${query}`)).body.results.map((recording: { id: string }) => recording.id)
  const json = (value: unknown) => encodeURIComponent(JSON.stringify(value))

  it('says what happened in a recording, whatever the order and number of its uploads', async () => {
    const early = [meta(t0), pack(fullSnapshot(t0 + 10)), click(t0 + 1_000), input(t0 + 1_500), input(t0 + 1_600)]
    const middle = [pack(mutation(t0 + 4_000, 'changed')), click(t0 + 4_500), mouseMove(t0 + 4_600)]
    const late = [
      consoleLine(t0 + 70_000, 'error', 'it broke'),
      consoleLine(t0 + 70_001, 'warn', 'it may break'),
      consoleLine(t0 + 70_002, 'info', 'all is well'),
      click(t0 + 90_250),
      meta(t0 + 90_300, 'https://example.com/end'),
    ]
    const other = [meta(t0 + 2_000, 'https://example.com/popup'), click(t0 + 2_500)]
    await send({ session: 'summary', events: late })
    await send({ session: 'summary', events: middle })
    await send({ session: 'summary', events: other, window: 'window-2' })
    await send({ session: 'summary', events: early })
    await arrived('summary', 4)
    expect(await one('summary')).toMatchObject({
      id: 'summary',
      distinct_id: 'ada',
      viewed: false,
      viewers: [],
      start_time: new Date(t0).toISOString(),
      end_time: new Date(t0 + 90_300).toISOString(),
      recording_duration: 90,
      // Seconds 1 to 4, and second 90.
      active_seconds: 5,
      inactive_seconds: 85,
      click_count: 4,
      keypress_count: 2,
      mouse_activity_count: 5,
      console_log_count: 1,
      console_warn_count: 1,
      console_error_count: 1,
      start_url: 'https://example.com/start',
      snapshot_source: 'web',
      ongoing: true,
      windows: ['window-1', 'window-2'],
    })
    expect(await one('summary')).not.toHaveProperty('received_at')
    // The project calls nobody a test account, so nobody is left out: not even a session without any event.
    const { results } = (await service.api(`${LIST}?filter_test_accounts=true`)).body
    expect(results.map(({ id }: { id: string }) => id)).toContain('summary')
    const played = await snapshots('summary')
    const unpacked = [early[0], fullSnapshot(t0 + 10), ...early.slice(2), ...other]
    expect(played).toEqual([...unpacked, mutation(t0 + 4_000, 'changed'), ...middle.slice(1), ...late])
    expect(await snapshots('summary', '?window_id=window-2')).toEqual(other)
    expect(await snapshots('summary', `?start=${t0 + 2_000}&end=${t0 + 4_000}`)).toEqual(other)
    expect((await service.api(`${LIST}summary/snapshots/?array=1`)).body).toEqual(played)
    expect((await service.api(`${LIST}summary/export/`)).body).toMatchObject({
      recording: { id: 'summary' },
      events: played,
    })
  })

  it('counts an upload that is sent again once', async () => {
    const events = [meta(t0), click(t0 + 1)]
    await send({ session: 'again', events })
    await arrived('again', 1)
    await send({ session: 'again', events })
    await send({ session: 'again', events: [click(t0 + 2)] })
    await arrived('again', 2)
    expect(await snapshots('again')).toHaveLength(3)
    await warned('recording_sent_again', 1)
  })

  it('keeps lone surrogates, huge numbers and whatever else a page holds', async () => {
    const text =
      '{"type":5,"data":{"tag":"x","payload":{"half":"\\ud83d","nul":"\\u0000","n":12345678901234567890}},"timestamp":'
    const line = `${text}${t0 + 5}}`
    const body = `[{"event":"$snapshot","properties":{"$session_id":"odd","distinct_id":"ada","token":"${TOKENS.one}","$snapshot_data":[${line}]}}]`
    const answer = await fetch(`${service.url}/s/`, { method: 'POST', body })
    expect(answer.status).toBe(200)
    await service.waitFor(async () => (await one('odd')).id === 'odd')
    expect((await service.api(`${LIST}odd/snapshots/`)).text).toBe(`${line}\n`)
  })

  it('stores what is good of a bad upload, and says what was not', async () => {
    const broken = { type: 2, timestamp: t0 + 1, data: '\u001f\u008bnot gzip', cv: '2024-10' }
    const unknown = { type: 3, timestamp: t0 + 2, data: { source: 0, adds: 'x' }, cv: '2099-01' }
    await send({
      session: 'bad',
      events: [null, 7, 'x', {}, { type: 3 }, { type: 3, timestamp: 'now' }, broken, unknown],
    })
    await send({ session: 'bad', events: [click(t0 + 3)] })
    await arrived('bad', 1)
    expect(await snapshots('bad')).toEqual([broken, unknown, click(t0 + 3)])
    await warned('recording_item_invalid', 6)
    await warned('recording_item_unreadable', 2)
  })

  it('files a recording of a wrong clock under its arrival', async () => {
    const long = Date.UTC(2011, 4, 5)
    const before = Date.now()
    await send({ session: 'clock', events: [meta(long), click(long + 1_000)] })
    await arrived('clock', 1)
    const { start_time, recording_duration } = await one('clock')
    expect(Date.parse(start_time)).toBeGreaterThanOrEqual(before - 2_000)
    expect(Date.parse(start_time)).toBeLessThanOrEqual(Date.now())
    expect(recording_duration).toBe(1)
    expect(await snapshots('clock')).toEqual([meta(long), click(long + 1_000)])
  })

  it('is found by what happened in it', async () => {
    const at = (i: number) => [meta(t0 + i, `https://shop.example/${i}`), click(t0 + i + 1)]
    for (let i = 1; i <= 3; i++)
      await upload(service.url, { session: `f${i}`, events: at(i * 1000), distinctId: `user-${i}`, token: TOKENS.two })
    await upload(service.url, {
      session: 'f1',
      events: [consoleLine(t0 + 20_000, 'error', 'Payment refused'), click(t0 + 20_001)],
      distinctId: 'user-1',
      token: TOKENS.two,
    })
    await service.capture(
      [
        {
          event: 'bought',
          distinct_id: 'user-1',
          properties: { $session_id: 'f1', plan: 'pro', $set: { vip: 'yes' } },
        },
        { event: 'bought', distinct_id: 'user-2', properties: { $session_id: 'f2', plan: 'free' } },
        { event: 'left', distinct_id: 'user-3', properties: { $session_id: 'f3' } },
      ],
      TOKENS.two,
    )
    const list = async (query: string) => {
      const answer = await service.api(`/api/projects/2/${LIST}?${query}`)
      return answer.status === 200 ? answer.body.results.map((recording: { id: string }) => recording.id) : answer.body
    }
    await service.stored()
    const group = (...values: unknown[]) => json({ type: 'AND', values: [{ type: 'AND', values }] })
    const bought = { type: 'events', id: 'bought', name: 'bought' }
    const pro = { type: 'event', key: 'plan', value: 'pro', operator: 'exact' }

    expect(await list('')).toEqual(['f3', 'f2', 'f1'])
    expect(await list('order_direction=ASC&limit=2')).toEqual(['f1', 'f2'])
    expect(await list('order=click_count&limit=1')).toEqual(['f1'])
    expect(await list(`events=${json([bought])}`)).toEqual(['f2', 'f1'])
    expect(await list(`events=${json([{ ...bought, properties: [pro] }])}`)).toEqual(['f1'])
    expect(await list(`filter_group=${group(bought, pro)}`)).toEqual(['f1'])
    expect(await list(`filter_group=${group({ ...bought, negation: true })}`)).toEqual(['f3'])
    expect(await list(`filter_group=${group({ ...pro, operator: 'is_not' })}`)).toEqual(['f3', 'f2'])
    expect(
      await list(`filter_group=${group({ type: 'person', key: 'vip', value: ['yes'], operator: 'exact' })}`),
    ).toEqual(['f1'])
    expect(await list(`operand=OR&events=${json([{ id: 'left' }])}&console_logs=${json(['error'])}`)).toEqual([
      'f3',
      'f1',
    ])
    expect(await list('console_search_query=payment')).toEqual(['f1'])
    expect(
      await list(
        `properties=${json([{ type: 'recording', key: 'visited_page', value: '/2000', operator: 'icontains' }])}`,
      ),
    ).toEqual(['f2'])
    expect(
      await list(
        `having_predicates=${json([{ type: 'recording', key: 'console_error_count', value: 0, operator: 'gt' }])}`,
      ),
    ).toEqual(['f1'])
    expect(
      await list(
        `session_recording_duration=${json({ type: 'recording', key: 'duration', value: 10, operator: 'gt' })}`,
      ),
    ).toEqual(['f1'])
    expect(await list(`session_ids=${json(['f1', 'nothing', 'f3'])}`)).toEqual(['f1', 'f3'])
    expect(await list('session_ids=[]')).toEqual([])
    expect(await list('distinct_id=user-2')).toEqual(['f2'])
    const person = (await service.api('/api/projects/2/persons/?distinct_id=user-1')).body.results[0]
    expect(await list(`person_uuid=${person.uuid}`)).toEqual(['f1'])
    expect(await list(`person_id=${person.id}`)).toEqual(['f1'])
    expect(await list('date_from=-1h&date_to=-30M')).toEqual([])
    expect(await list('properties=[{"type":"recording","key":"nonsense","value":1}]')).toMatchObject({
      code: 'invalid_input',
      attr: 'properties__0',
    })
    expect(await list('sesion_ids=[]')).toMatchObject({ code: 'invalid_input', attr: 'sesion_ids' })
    expect(await list('comment_text={"type":"recording","key":"comment_text","value":"x"}')).toMatchObject({
      code: 'invalid_input',
      attr: 'comment_text',
    })

    const ask = async (query: object) => {
      const answer = await service.api('/api/projects/2/query/', { body: { query } })
      return { ...answer, ids: answer.body.results?.map((recording: { id: string }) => recording.id) }
    }
    const asked = await ask({ kind: 'RecordingsQuery', events: [bought], order: 'start_time', order_direction: 'ASC' })
    expect([asked.status, asked.ids]).toEqual([200, ['f1', 'f2']])
    expect(asked.body).toMatchObject({ has_next: false, is_cached: false, timezone: 'UTC', error: null })
    expect((await ask({ kind: 'RecordingsQuery', limit: 1, session_ids: ['f2', 'f3'] })).body.has_next).toBe(true)
    expect((await ask({ kind: 'RecordingsQuery', person_uuid: 'nobody' })).ids).toEqual([])
    expect(await ask({ kind: 'RecordingsQuery', nonsense: 1 })).toMatchObject({
      status: 400,
      body: { code: 'invalid_input', attr: 'nonsense' },
    })

    const matching = (query: string) => service.api(`/api/projects/2/${LIST}matching_events?${query}`)
    const events = (await service.api('/api/projects/2/events/?event=bought&distinct_id=user-1')).body.results
    const uuids = events.map(({ id }: { id: string }) => id)
    expect((await matching(`session_ids=["f1"]&events=${json([bought])}`)).body).toEqual({ results: uuids })
    expect((await matching(`session_ids=["f1"]&properties=${json([pro])}`)).body).toEqual({ results: uuids })
    expect((await matching(`session_ids=["f3"]&events=${json([bought])}`)).body).toEqual({ results: [] })
    expect((await matching(`session_ids=["none"]&events=${json([bought])}`)).status).toBe(404)
    expect(await matching(`session_ids=["f1"]`)).toMatchObject({ status: 400, body: { attr: 'events' } })
    expect(await matching(`session_ids=["f1","f2"]&events=${json([bought])}`)).toMatchObject({
      status: 400,
      body: { attr: 'session_ids' },
    })
    const [first] = (await service.api(`/api/projects/2/${LIST}?distinct_id=user-1`)).body.results
    expect(first.person).toMatchObject({ distinct_ids: ['user-1'], properties: { vip: 'yes' } })
  })

  it('knows who has watched it', async () => {
    await send({ session: 'watched', events: [meta(t0), click(t0 + 1)] })
    await arrived('watched', 1)
    const at = `${LIST}watched/`
    expect(await service.api(at, { method: 'PATCH', body: { viewed: true } })).toMatchObject({
      status: 200,
      body: { id: 'watched', viewed: true, viewers: [] },
    })
    const seen = (await service.api(at, { key: KEYS.colleague })).body
    expect([seen.viewed, seen.viewers]).toEqual([false, ['owner@example.com']])
    expect(await ids('session_ids=["watched"]&hide_viewed_recordings=current-user')).toEqual([])
    expect((await service.api(at, { method: 'PATCH', body: {} })).status).toBe(400)
    const playlist = (await service.api('session_recording_playlists/', { body: {} })).body.short_id
    await service.api(`session_recording_playlists/${playlist}/recordings/watched/`, { method: 'POST' })
    await service.api(`session_recording_playlists/${playlist}/recordings/nothing/`, { method: 'POST' })
    expect((await service.api(`session_recording_playlists/${playlist}/`)).body.recordings_counts.collection).toEqual({
      count: 2,
      watched_count: 1,
    })
    const inside = await service.api(`session_recording_playlists/${playlist}/recordings/`)
    expect(inside.body).toMatchObject({ results: [{ id: 'watched', viewed: true }], has_next: false })
    expect((await service.api(at, { method: 'PATCH', body: { viewed: false } })).body.viewed).toBe(false)
  })

  it('is gone when deleted, and does not come back with a late upload', async () => {
    for (const session of ['gone', 'gone-2']) await send({ session, events: [meta(t0), click(t0 + 1)] })
    await arrived('gone', 1)
    await arrived('gone-2', 1)
    const answer = await service.api(`${LIST}gone/`, { method: 'DELETE' })
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect((await service.api(`${LIST}gone/`)).status).toBe(404)
    expect((await service.api(`${LIST}gone/snapshots/`)).status).toBe(404)
    expect((await service.api(`${LIST}gone/`, { method: 'DELETE' })).status).toBe(404)
    expect(
      (await service.api(`${LIST}bulk_delete/`, { body: { session_recording_ids: ['gone', 'gone-2', 'never'] } })).body,
    ).toEqual({ success: true, deleted_count: 1, total_requested: 3 })
    await send({ session: 'gone', events: [click(t0 + 2)] })
    await send({ session: 'after-gone', events: [click(t0 + 2)] })
    await arrived('after-gone', 1)
    expect((await service.api(`${LIST}gone/`)).status).toBe(404)
  })

  it.each([
    ['GET', LIST, 'read'],
    ['GET', `${LIST}matching_events/`, 'read'],
    ['GET', `${LIST}x/`, 'read'],
    ['GET', `${LIST}x/snapshots/`, 'read'],
    ['GET', `${LIST}x/export/`, 'read'],
    ['PATCH', `${LIST}x/`, 'write'],
    ['DELETE', `${LIST}x/`, 'write'],
    ['POST', `${LIST}bulk_delete/`, 'write'],
  ])('%s %s guards its door', async (method, path, access) => {
    const body = method === 'GET' || method === 'DELETE' ? undefined : {}
    expect((await service.api(path, { method, body, key: null })).status).toBe(401)
    expect((await service.api(path, { method, body, key: KEYS.projectTwo })).status).toBe(403)
    expect((await service.api(path, { method, body, key: KEYS.personsRead })).body.detail).toBe(
      `API key missing required scope 'session_recording:${access}'`,
    )
    if (path.includes('/x/')) expect((await service.api(path, { method, body })).status).toBe(404)
  })

  it('survives a kill at any moment without losing or doubling anything', async () => {
    const sent = Array.from({ length: 30 }, (_, i) => click(t0 + i * 10))
    for (const event of sent.slice(0, 15)) await send({ session: 'killed', events: [event] })
    await service.kill9()
    service = await startTestService({ data: service.data })
    for (const event of sent.slice(15)) await send({ session: 'killed', events: [event] })
    await arrived('killed', sent.length)
    expect(await snapshots('killed')).toEqual(sent)
  })
})
