import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withEngines } from '../../src/cli/connections.ts'
import { sql as ch } from '../../src/engines/clickhouse/index.ts'
import { uuidV7 } from '../../src/lib/uuid.ts'
import { fullSnapshot, meta, upload } from '../support/recordings.ts'
import { KEYS, startTestService, type TestService, TOKENS } from '../support/service.ts'

const PAGE = 'https://site.test/prices'
/** With an SDK of servers: the agent of these requests is no browser's. */
const WINDOW = { $lib: 'posthog-node', $viewport_width: 1000, $viewport_height: 600, $session_id: uuidV7() }

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service?.stop())

const point = (x: number, y: number, type = 'click', target_fixed = false) => ({ x, y, type, target_fixed })
const points = (distinct_id: string, data: unknown, properties = {}) => ({
  event: '$$heatmap',
  uuid: uuidV7(),
  distinct_id,
  properties: { ...WINDOW, ...properties, $heatmap_data: data },
})
const ask = async (query: Record<string, string | number>, path = 'heatmaps/', project = 1) => {
  const words = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  )
  return service.api(`/api/projects/${project}/${path}?${words}`)
}
const found = (query: Record<string, string | number>, count: number) =>
  service.waitFor(
    async () => {
      const { body } = await ask(query)
      return body.results?.length === count && body.results
    },
    `${count} points of ${JSON.stringify(query)}`,
  )

describe('heatmaps', () => {
  it('hold what events bring, once, however often it is sent', async () => {
    const sent = [
      points('ada', { [PAGE]: [point(500, 100), point(504, 102), point(20, 30, 'click', true)] }),
      points('ben', { [`${PAGE}?from=mail`]: [point(500, 100), point(500, 100, 'rageclick')] }),
      {
        event: 'bought',
        uuid: uuidV7(),
        distinct_id: 'ada',
        properties: { ...WINDOW, $heatmap_data: { [PAGE]: [point(0, 900)] } },
      },
    ]
    await service.capture(sent)
    await service.capture(sent)
    await service.stored()
    await found({ url_exact: PAGE }, 3)
    await service.waitFor(
      async () => (await service.api('ingestion_warnings/')).body.results.length > 0,
      'the retries are told',
    )
    expect(await found({ url_exact: PAGE }, 3)).toEqual([
      { count: 2, pointer_y: 96, pointer_relative_x: 0.5, pointer_target_fixed: false },
      { count: 1, pointer_y: 32, pointer_relative_x: 0.02, pointer_target_fixed: true },
      { count: 1, pointer_y: 896, pointer_relative_x: 0, pointer_target_fixed: false },
    ])
    const everywhere = { url_pattern: `${PAGE}([?].*)?` }
    expect((await found(everywhere, 3))[0]).toMatchObject({ count: 3 })
    expect((await found({ ...everywhere, aggregation: 'unique_visitors' }, 3))[0]).toMatchObject({ count: 2 })
    expect((await found({ url_pattern: 'https://*/prices*' }, 1))[0]).toMatchObject({ count: 1 })
    await found({ ...everywhere, type: 'rageclick' }, 1)
    await found({ ...everywhere, viewport_width_min: 1001 }, 0)
    await found({ ...everywhere, date_to: '2020-01-01', date_from: '2019-01-01' }, 0)
    await found({ ...everywhere, date_from: '-1dStart' }, 3)
  })

  it('are stored apart from events', async () => {
    const { body } = await service.api('events/?limit=50')
    expect(body.results.map(({ event }: { event: string }) => event)).toEqual(['bought'])
    expect(body.results[0].properties).not.toHaveProperty('$heatmap_data')
    const names = await service.api('event_definitions/')
    expect(names.body.results.map(({ name }: { name: string }) => name)).not.toContain('$$heatmap')
  })

  it('say how far a page was scrolled', async () => {
    const left = (distinct_id: string, $prev_pageview_max_scroll: number) => ({
      event: '$pageleave',
      distinct_id,
      properties: { ...WINDOW, $current_url: PAGE, $prev_pageview_pathname: '/prices', $prev_pageview_max_scroll },
    })
    await service.capture([left('ada', 0), left('ben', 720), left('cat', 710)])
    const depths = async () => (await ask({ url_exact: PAGE, type: 'scrolldepth' })).body.results
    await expect.poll(depths).toEqual([
      { scroll_depth_bucket: 600, bucket_count: 1, cumulative_count: 3 },
      { scroll_depth_bucket: 1300, bucket_count: 2, cumulative_count: 2 },
    ])
  })

  it('name their pages and the widths of windows', async () => {
    const { body } = await ask({ search: 'PRICES' }, 'heatmaps/pages/')
    expect(body).toEqual({
      results: [{ url: PAGE, points: 9, visitors: 3, types: { click: 5, rageclick: 1, scrolldepth: 3 } }],
      has_more: false,
    })
    expect((await ask({ search: 'nothing' }, 'heatmaps/pages/')).body.results).toEqual([])
    expect((await ask({ url_exact: PAGE }, 'heatmaps/widths/')).body.results).toEqual([
      { viewport_width: 992, points: 4, visitors: 1 },
    ])
  })

  it('leave bots out unless they are asked for', async () => {
    await service.capture(points('robot', { [`${PAGE}/bots`]: [point(1, 1)] }, { $is_bot: true, $lib: 'web' }))
    await found({ url_exact: `${PAGE}/bots`, bots: 'include' }, 1)
    await found({ url_exact: `${PAGE}/bots` }, 0)
  })

  it('are shown on a page out of a recording, at the nearest width', async () => {
    const session = uuidV7()
    const at = Date.now() - 60_000
    await upload(service.url, { session, events: [meta(at, `${PAGE}?x=1`), fullSnapshot(at + 1)] })
    const { frame } = await service.waitFor(async () => {
      const { body } = await ask({ url: PAGE, width: 1200 }, 'heatmaps/frame/')
      return body.frame && body
    }, 'the frame')
    expect(frame).toEqual({
      session_id: session,
      window_id: expect.any(String),
      url: `${PAGE}?x=1`,
      width: 800,
      height: 600,
      start: at,
      end: at + 5_001,
    })
    expect((await ask({ url: `${PAGE}/other`, width: 1200 }, 'heatmaps/frame/')).body).toEqual({ frame: null })
  })

  it.each([
    [{ url_pattern: '(' }, 'url_pattern', 'regular expression'],
    [{ date_from: 'soon' }, 'date_from', 'is not a date'],
    [{ viewport_width_min: 9, viewport_width_max: 1 }, 'viewport_width_min', 'larger than viewport_width_max'],
    [{ aggregation: 'sum' }, 'aggregation', 'total_count'],
    [{ date_from: '2024-01-02', date_to: '2024-01-01' }, 'date_to', 'lies before'],
  ])('refuse %o with a reason', async (query, attr, words) => {
    const { status, body } = await ask(query as Record<string, string>)
    expect([status, body.attr]).toEqual([400, attr])
    expect(body.detail).toContain(words)
  })

  it('are of their project, and for those who may read them', async () => {
    expect((await ask({}, 'heatmaps/', 2)).body.results).toEqual([])
    expect((await service.api('heatmaps/', { key: KEYS.insightsRead })).status).toBe(403)
    expect((await service.api('heatmaps/', { key: null })).status).toBe(401)
  })
})

/** Rows of the tables, so many for each event. */
const rows = () =>
  withEngines('export', { data: service.data, project: 1 }, async ({ clickhouse }) => {
    const { rows } = await clickhouse.query<{ points: number; events: number; inSessions: number }>(ch`
      SELECT (SELECT count() FROM heatmaps WHERE url = 'https://crash.test/') AS points,
        (SELECT count() FROM events WHERE event = 'crashed') AS events,
        (SELECT sum(events) FROM sessions WHERE session_id = 'crash') AS inSessions`)
    return rows[0]
  })

it('points and sessions count each event once when the service is killed while they arrive', async () => {
  const LIVES = 3
  const SENT = 40
  const event = (name: string) => ({
    event: name,
    uuid: uuidV7(),
    distinct_id: 'crash',
    properties: { ...WINDOW, $session_id: 'crash', $heatmap_data: { 'https://crash.test/': [point(1, 1)] } },
  })
  const all = Array.from({ length: LIVES * SENT }, () => [event('crashed'), event('$$heatmap')])
  for (let life = 0; life < LIVES; life++) {
    for (const pair of all.slice(life * SENT, (life + 1) * SENT)) await service.capture(pair)
    await service.kill9()
    service = await startTestService({ data: service.data })
  }
  for (const pair of all) await service.capture(pair)
  await service.capture({ event: 'afterwards', distinct_id: 'crash' })
  await service.stored()
  const wanted = LIVES * SENT
  expect(await rows()).toEqual({ points: 2 * wanted, events: wanted, inSessions: wanted })
})

it('visitors who ask not to be tracked are left alone when the project says so', async () => {
  await service.api('/api/projects/1/', { method: 'PATCH', body: { honor_do_not_track: true } })
  const send = (event: string, headers: Record<string, string>) =>
    fetch(`${service.url}/i/v0/e/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ api_key: TOKENS.one, event, distinct_id: 'shy' }),
    })
  expect((await send('with dnt', { dnt: '1' })).status).toBe(200)
  await send('with gpc', { 'sec-gpc': '1' })
  await send('with none', { dnt: '0' })
  await service.stored()
  const kept = (await service.api('events/?distinct_id=shy')).body.results
  expect(kept.map(({ event }: { event: string }) => event)).toEqual(['with none'])
  const told = (await service.api('ingestion_warnings/')).body.results
  expect(told).toContainEqual(expect.objectContaining({ type: 'visitor_asked_not_to_be_tracked' }))
  await service.api('/api/projects/1/', { method: 'PATCH', body: { honor_do_not_track: false } })
})

it('deleting a person deletes its points, also those that came without an event', async () => {
  const page = 'https://gone.test/'
  await service.capture([points('gone', { [page]: [point(1, 1)] }), points('stays', { [page]: [point(1, 1)] })])
  await service.waitFor(async () => (await ask({ url_exact: page })).body.results[0]?.count === 2, 'both points')
  const { body } = await service.api('persons/?distinct_id=gone')
  await service.api(`persons/${body.results[0].id}/?delete_events=true`, { method: 'DELETE' })
  const ran = await service.cli('deletions', 'run', '--json')
  expect(JSON.parse(ran.stdout)).toMatchObject([{ status: 'done', verified: true }])
  expect((await ask({ url_exact: page })).body.results).toMatchObject([{ count: 1 }])
})
