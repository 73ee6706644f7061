import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { click, meta, upload } from '../support/recordings.ts'
import { KEYS, startTestService, type TestService, TOKENS } from '../support/service.ts'

describe('recordings beyond one project member', () => {
  let service: TestService
  const t0 = Date.now() - 60_000

  beforeAll(async () => {
    service = await startTestService()
    for (const [session, distinctId] of [
      ['one', 'ada'],
      ['two', 'ben'],
      ['three', 'cem'],
    ] as const)
      await upload(service.url, { session, distinctId, events: [meta(t0), click(t0 + 1)] })
    await service.stored()
  })
  afterAll(() => service?.stop())

  const look = (token: string, path = '') => service.api(`/api/shared/${token}/${path}`, { key: null })

  it('is not shared until somebody makes a link, which shows that recording and nothing else', async () => {
    const shares = 'session_recordings/one/shares/'
    expect((await service.api(shares)).body).toEqual({ results: [] })
    const made = await service.api(shares, { method: 'POST' })
    expect(made.status).toBe(201)
    const { token, url, api_url, expires_at, id } = made.body
    expect(url).toBe(`${service.url}/shared/${token}`)
    expect(api_url).toBe(`${service.url}/api/shared/${token}/`)
    expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(6 * 86_400_000)
    const seen = await look(token)
    expect(seen.body).toMatchObject({ kind: 'recording', playlist: null, results: [{ id: 'one', click_count: 1 }] })
    expect(seen.text).not.toContain('ada')
    expect(seen.headers.get('cache-control')).toBe('no-store')
    expect((await look(token, 'recordings/one/')).body.blocks).toHaveLength(1)
    expect((await look(token, 'recordings/one/snapshots/')).text.split('\n').filter(Boolean)).toHaveLength(2)
    expect((await look(token, 'recordings/two/snapshots/')).status).toBe(404)
    expect((await look('guess')).status).toBe(404)
    expect((await service.api(shares)).body.results).toMatchObject([{ id }])
    expect((await service.api(shares)).text).not.toContain(token)

    expect((await service.api(`${shares}${id}/`, { method: 'DELETE' })).status).toBe(204)
    expect((await service.api(`${shares}${id}/`, { method: 'DELETE' })).status).toBe(404)
    for (const path of ['', 'recordings/one/', 'recordings/one/snapshots/'])
      expect((await look(token, path)).status).toBe(404)
  })

  it('shows a playlist as it is now, until the link or the playlist ends', async () => {
    const { short_id } = (await service.api('session_recording_playlists/', { body: { name: 'Best of' } })).body
    const at = `session_recording_playlists/${short_id}/`
    await service.api(`${at}recordings/two/`, { method: 'POST' })
    const { token } = (await service.api(`${at}shares/`, { body: { expires_in_days: 1 } })).body
    expect((await look(token)).body).toMatchObject({
      kind: 'playlist',
      playlist: { name: 'Best of', description: '' },
      results: [{ id: 'two' }],
    })
    await service.api(`${at}recordings/three/`, { method: 'POST' })
    expect((await look(token, 'recordings/three/snapshots/')).status).toBe(200)
    expect((await look(token, 'recordings/one/snapshots/')).status).toBe(404)
    await service.api(at, { method: 'PATCH', body: { deleted: true } })
    expect((await look(token)).status).toBe(404)
  })

  it('needs the right to share', async () => {
    for (const path of [
      'session_recordings/one/shares/',
      'session_recording_playlists/x/shares/',
      'web_analytics/shares/',
    ]) {
      expect((await service.api(path, { body: {}, key: KEYS.playlists })).body.detail).toBe(
        "API key missing required scope 'sharing_configuration:write'",
      )
      expect((await service.api(path, { key: null })).status).toBe(401)
    }
    const answer = await service.api('session_recordings/one/shares/', { body: { expires_in_days: 0 } })
    expect(answer).toMatchObject({ status: 400, body: { attr: 'expires_in_days' } })
  })

  describe('a link to web analytics', () => {
    const shares = 'web_analytics/shares/'
    const overview = { kind: 'WebOverviewQuery', dateRange: { date_from: '-7d' } }
    const asked = (token: string, queries: unknown[]) =>
      service.api(`/api/shared/${token}/web_analytics/`, { key: null, body: { queries } })

    beforeAll(async () => {
      await service.capture(
        ['dan', 'eva'].map((distinct_id) => ({
          event: '$pageview',
          distinct_id,
          properties: {
            $session_id: `web-${distinct_id}`,
            $current_url: 'https://site.test/',
            $pathname: '/',
            $host: 'site.test',
            secret: 'classified',
            // The program that sends them is no browser.
            $is_bot: false,
            $set: { email: `${distinct_id}@example.com` },
          },
        })),
      )
      await service.stored()
    })

    it('shows the numbers of the page with its filters, once a minute, and ends when it is revoked', async () => {
      const made = await service.api(shares, { body: { expires_in_days: 3 } })
      expect(made.status).toBe(201)
      const { token, url, id } = made.body
      expect(url).toBe(`${service.url}/shared/${token}`)
      const page = await fetch(url)
      expect(page.headers.get('x-robots-tag')).toBe('noindex')
      const seen = await look(token)
      expect(seen.body).toEqual({
        kind: 'web_analytics',
        playlist: null,
        web_analytics: { name: 'One', timezone: 'UTC' },
        results: [],
      })
      const filter = { key: '$entry_pathname', type: 'session', operator: 'exact', value: ['/'] }
      const queries = [
        overview,
        { ...overview, properties: [filter] },
        { kind: 'WebStatsTableQuery', breakdownBy: 'Page', dateRange: { date_from: '-7d' } },
      ]
      const numbers = await asked(token, queries)
      expect(numbers.headers.get('x-robots-tag')).toBe('noindex')
      const visitors = ({ answer }: { answer: { results: { key: string; value: number }[] } }) =>
        answer.results.find(({ key }) => key === 'visitors')?.value
      expect(numbers.body.results.slice(0, 2).map(visitors)).toEqual([2, 2])
      expect(numbers.body.results[2].answer.results).toEqual([['/', [2, null], [2, null]]])

      // What arrives meanwhile does not make the service count again for the public.
      await service.capture([
        {
          event: '$pageview',
          distinct_id: 'fay',
          properties: { $session_id: 'web-fay', $is_bot: false, $pathname: '/', $current_url: 'https://site.test/' },
        },
      ])
      await service.stored()
      const own = await service.api('web_analytics/', { body: { queries: [overview] } })
      expect(visitors(own.body.results[0])).toBe(3)
      const again = await asked(token, [overview])
      expect(visitors(again.body.results[0])).toBe(2)

      const { body: noted } = await service.api('/api/organizations/@current/audit_log/?scope=SharingConfiguration')
      expect(JSON.stringify(noted)).toContain('"page":"web"')
      expect((await service.api(shares)).body.results).toMatchObject([{ id }])
      expect((await service.api(`${shares}${id}/`, { method: 'DELETE' })).status).toBe(204)
      expect((await look(token)).status).toBe(404)
      expect((await asked(token, [overview])).status).toBe(404)
    })

    it('answers nothing about persons, properties, sessions or anything else of the project', async () => {
      const { token } = (await service.api(shares, { method: 'POST' })).body
      const refused = [
        { kind: 'HogQLQuery', query: 'select distinct_id from events' },
        { kind: 'EventsQuery', select: ['*'] },
        { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: '$pageview' }] },
        { kind: 'WebVitalsQuery', source: { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'x' }] } },
        ...[
          { key: 'email', type: 'person', value: 'dan@example.com' },
          { key: 'secret', type: 'event', value: 'classified' },
          { key: 'distinct_id', type: 'session', value: 'dan' },
          { key: 'session_id', type: 'session', value: 'web-dan' },
          { key: "distinct_id = 'dan'", type: 'hogql' },
          { key: 'id', type: 'cohort', value: 1 },
          { key: '$entry_pathname', type: 'session', operator: 'regex', value: '.*' },
        ].map((filter) => ({ ...overview, properties: [filter] })),
      ]
      const { body } = await asked(token, refused)
      expect(body.results.map(({ status }: { status?: number }) => status)).toEqual(refused.map(() => 400))
      for (const path of ['recordings/one/', 'recordings/one/snapshots/', 'recordings/web-dan/'])
        expect((await look(token, path)).status, path).toBe(404)

      const { paths } = (await service.api('/api/schema/', { key: null })).body as {
        paths: Record<string, Record<string, { security: object[] }>>
      }
      const guarded = Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).flatMap(([method, { security }]) => (security.length > 0 ? [{ path, method }] : [])),
      )
      expect(guarded.length).toBeGreaterThan(100)
      const open: string[] = []
      for (const { path, method } of guarded) {
        const answer = await service.api(path.replace('{project_id}', '1').replace(/\{\w+\}/g, '1'), {
          method: method.toUpperCase(),
          key: token,
          ...(['get', 'delete'].includes(method) ? {} : { body: {} }),
        })
        if (answer.status !== 401) open.push(`${method} ${path} -> ${answer.status}`)
      }
      expect(open).toEqual([])
    })
  })

  it('keeps the matches of a playlist fresh: filters, and the persons behind an insight', async () => {
    await service.capture([
      { event: 'paid', distinct_id: 'ada', properties: { $session_id: 'one' } },
      { event: 'paid', distinct_id: 'ben' },
    ])
    await service.stored()
    const source = {
      kind: 'InsightActorsQuery',
      source: { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'paid' }], dateRange: { date_from: '-1d' } },
      series: 0,
    }
    const make = async (filters: unknown) =>
      (await service.api('session_recording_playlists/', { body: { name: 'fresh', filters } })).body.short_id
    const actors = await make({ kind: 'insight_actors', source })
    const filtered = await make({ events: [{ id: 'paid', type: 'events' }] })
    const sessions = async (short: string) => {
      const { body } = await service.api(`session_recording_playlists/${short}/recordings/`)
      return body.results.map(({ id }: { id: string }) => id).sort()
    }
    // Ben's event names no session: his recordings are shown all the same.
    expect(await sessions(actors)).toEqual(['one', 'two'])
    expect(await sessions(filtered)).toEqual(['one'])
    await service.api('session_recordings/one/', { method: 'PATCH', body: { viewed: true } })
    expect(
      await service.api('session_recording_playlists/', { body: { filters: { kind: 'insight_actors', source: {} } } }),
    ).toMatchObject({ status: 400, body: { code: 'invalid_input', attr: 'filters' } })
  })

  it('is deleted with its person, and counted in the receipt', async () => {
    const { id } = (await service.api('persons/?distinct_id=ben')).body.results[0]
    expect((await service.api(`persons/${id}/?delete_events=true`, { method: 'DELETE' })).status).toBe(204)
    const { stdout } = await service.cli('deletions', 'run', '--json')
    expect(JSON.parse(stdout)).toMatchObject([
      { status: 'done', verified: true, events_deleted: 1, recordings_deleted: 1 },
    ])
    expect((await service.api('session_recordings/two/')).status).toBe(404)
    expect((await service.api('session_recordings/one/')).status).toBe(200)
  })

  it('stops at the limit of the month, and says so to the browser', async () => {
    const at = '/api/projects/2/'
    const send = async (session: string) => {
      // Of this month, also when it has just begun.
      const now = Date.now()
      const answer = await upload(service.url, { session, token: TOKENS.two, events: [meta(now), click(now + 1)] })
      return [answer.status, await answer.json()]
    }
    await service.api(at, { method: 'PATCH', body: { recording_quota_per_month: 1 } })
    expect(await send('first')).toEqual([200, { status: 'Ok' }])
    const limited = [200, { status: 'Ok', quota_limited: ['recordings'] }]
    let n = 0
    await service.waitFor(async () => JSON.stringify(await send(`more-${n++}`)) === JSON.stringify(limited))
    await service.waitFor(async () =>
      (await service.api(`${at}ingestion_warnings/`)).body.results.some(
        ({ type }: { type: string }) => type === 'recording_quota_reached',
      ),
    )
    await service.api(at, { method: 'PATCH', body: { recording_quota_per_month: null } })
    await service.waitFor(async () => JSON.stringify(await send('third')) === JSON.stringify([200, { status: 'Ok' }]))
  })
})
