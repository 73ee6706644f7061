import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KEYS, startTestService, type TestService, TOKENS } from '../support/service.ts'

describe('questions as query nodes', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
    await service.capture([
      { event: 'buy', distinct_id: 'ada', properties: { price: 5, $set: { plan: 'pro' } } },
      { event: 'buy', distinct_id: 'bob', properties: { price: 7 } },
      { event: '$pageview', distinct_id: 'ada', properties: { $browser: 'Chrome' } },
    ])
    await service.capture({ event: 'secret', distinct_id: 'eve' }, TOKENS.two)
    await service.stored()
  })
  afterAll(() => service?.stop())

  const ask = (query: string, more: object = {}) =>
    service.api('query/', { body: { query: { kind: 'HogQLQuery', query }, ...more } })

  it('answers SQL with columns, types and rows', async () => {
    const { status, body } = await ask(
      'select event, sum(properties.price) as total, max(timestamp) from events group by event order by event',
    )
    expect(status).toBe(200)
    expect(body).toMatchObject({
      columns: ['event', 'total', 'max(timestamp)'],
      results: [
        ['$pageview', null, expect.stringMatching(/^\d{4}-.*T.*Z$/)],
        ['buy', 12, expect.any(String)],
      ],
      hasMore: false,
      limit: 100,
      is_cached: false,
    })
    expect(body.types[0]).toEqual(['event', 'String'])
    expect(body.explain).toBeNull()
    const node = { kind: 'HogQLQuery', query: 'select count() from events' }
    const { body: explained } = await service.api('query/?explain=sql', { body: { query: node } })
    expect(explained.explain).toMatchObject([{ sql: expect.stringContaining('SELECT'), rows_read: expect.any(Number) }])
    expect(explained.explain[0].rows_read).toBeGreaterThan(0)
  })

  it('sees persons as they are now', async () => {
    const query = 'select properties.plan from persons where properties.plan is not null'
    expect((await ask(query)).body.results).toEqual([['pro']])
    const { id } = (await service.api('persons/?distinct_id=ada')).body.results[0]
    await service.api(`persons/${id}/`, { method: 'PATCH', body: { properties: { plan: 'free' } } })
    expect((await ask(query)).body.results).toEqual([['free']])
    await service.api(`persons/${id}/`, { method: 'DELETE' })
    expect((await ask(query)).body.results).toEqual([])
  })

  it('answers insights, wrapped or not', async () => {
    const source = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'buy' }] }
    for (const query of [source, { kind: 'InsightVizNode', source }, JSON.stringify(source)]) {
      const { status, body } = await service.api('query/', { body: { query } })
      expect(status).toBe(200)
      expect(body.results[0].count).toBe(2)
    }
    const dates = { date_from: '2001-01-01', date_to: '2001-01-02' }
    expect(
      (await service.api('query/', { body: { query: source, filters_override: dates } })).body.results[0].count,
    ).toBe(0)
  })

  it('answers tables of events', async () => {
    const table = (more: object) =>
      service.api('query/', { body: { query: { kind: 'DataTableNode', source: { kind: 'EventsQuery', ...more } } } })
    const rows = await table({
      select: ['*', 'properties.price -- Price', 'person'],
      event: 'buy',
      orderBy: ['properties.price DESC'],
    })
    expect(rows.body).toMatchObject({
      columns: ['*', 'properties.price -- Price', 'person'],
      hasMore: false,
      results: [
        [{ event: 'buy', distinct_id: 'bob', properties: { price: 7 } }, expect.anything(), { distinct_id: 'bob' }],
        [{ distinct_id: 'ada', timestamp: expect.stringMatching(/Z$/) }, expect.anything(), expect.anything()],
      ],
    })
    const counted = await table({ select: ['event', 'count()'], after: 'all', where: ["event != 'x'", 'count() > 1'] })
    expect(counted.body.results).toEqual([['buy', 2]])
    const filtered = await table({
      select: ['event'],
      properties: [{ key: '$browser', value: 'Chrome', type: 'event' }],
    })
    expect(filtered.body.results).toEqual([['$pageview']])
    expect((await table({ select: ['event'], limit: 1 })).body).toMatchObject({ hasMore: true, limit: 1 })
    expect((await table({ select: ['event'], personId: 999999 })).body.results).toEqual([])
    expect((await table({ select: ['event'], before: '2001-01-01' })).body.results).toEqual([])
    for (const select of ["file('/etc/passwd')", 'event) from events --', '(select 1 from system.one)', ''])
      expect((await table({ select: [select] })).status, select).toBe(400)
    expect((await table({ select: ['event'], where: ['1) or (1'] })).status).toBe(400)
    expect((await table({})).body.attr).toBe('select')
  })

  it('answers who stands behind a number', async () => {
    const source = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'buy', math: 'dau' }] }
    // The day they were sent on, which may be yesterday by now.
    const [series] = (await service.api('query/', { body: { query: source } })).body.results
    const day = series.days[series.data.findLastIndex((people: number) => people > 0)]
    const query = {
      kind: 'ActorsQuery',
      source: { kind: 'InsightActorsQuery', source, day },
      select: ['id', 'person', 'event_count'],
    }
    const { status, body, text } = await service.api('query/', { body: { query } })
    expect(status, text).toBe(200)
    expect(body).toMatchObject({ columns: ['id', 'person', 'event_count'], hasMore: false })
    // One of the two was deleted above: nobody to show, but still somebody who counted.
    expect(body.results).toHaveLength(2)
    expect(body.missing_actors_count).toBe(1)
    const plain = await service.api('query/', {
      body: { query: { kind: 'ActorsQuery', select: ['id', 'person', 'properties.plan'] } },
    })
    expect(plain.body.results).toMatchObject([[expect.any(String), { distinct_ids: ['bob'] }, null]])
    expect(
      (await service.api('query/', { body: { query: { kind: 'ActorsQuery', select: ['nonsense'] } } })).status,
    ).toBe(400)
  })

  it('shows one project only, whatever the query says', async () => {
    expect((await ask("select event from events where event = 'secret' or 1 = 1")).text).not.toContain('"secret"')
    expect((await ask('select * from system.tables')).status).toBe(400)
    expect((await ask("select * from url('http://127.0.0.1', 'LineAsString')")).body.detail).toContain('table function')
  })

  it('answers later, when asked to', async () => {
    const begun = await ask('select count() from events', { async: true })
    expect(begun).toMatchObject({
      status: 202,
      body: { query_status: { complete: false, error: false, query_async: true, team_id: 1 } },
    })
    const { id } = begun.body.query_status
    const done = await service.waitFor(async () => {
      const found = await service.api(`query/${id}/`)
      return found.status === 200 && found.body
    }, 'the answer')
    expect(done.query_status).toMatchObject({ id, complete: true, results: { results: [[3]] } })
    expect((await service.api(`/api/projects/2/query/${id}/`)).status).toBe(404)
    expect((await service.api('query/no-such-query/')).status).toBe(404)
  })

  it('says later what was wrong', async () => {
    await ask('select nonsense from events', { refresh: 'async', client_query_id: 'mine' })
    const failed = await service.waitFor(async () => {
      const found = await service.api('query/mine/')
      return found.status === 400 && found.body
    }, 'the failure')
    expect(failed.query_status).toMatchObject({
      complete: true,
      error: true,
      error_message: expect.stringMatching(/^Unable to resolve field: nonsense\b.* \(line 1, column 8\)$/),
    })
  })

  it('cancels', async () => {
    const heavy =
      'select sum(cityHash64(x, y)) from (select arrayJoin(range(30000)) as x) as a cross join (select arrayJoin(range(300000)) as y) as b'
    await ask(heavy, { async: true, client_query_id: 'heavy' })
    expect(await service.api('query/heavy/', { method: 'DELETE' })).toMatchObject({
      status: 200,
      body: { message: 'Query cancelled' },
    })
    const { body, status } = await service.api('query/heavy/')
    expect([status, body.query_status.error]).toEqual([400, true])
    expect((await service.api('query/nothing/', { method: 'DELETE' })).status).toBe(404)
    expect((await ask('select 1')).body.results).toEqual([[1]])
  })

  it.each([
    [{}, 400],
    [{ query: null }, 400],
    [{ query: 7 }, 400],
    [{ query: {} }, 400],
    [{ query: { kind: 'Nothing' } }, 400],
    [{ query: { kind: 'HogQLQuery' } }, 400],
    [{ query: { kind: 'HogQLQuery', query: 'select' } }, 400],
    [{ query: { kind: 'HogQLQuery', query: 'select 1' }, client_query_id: '../x' }, 400],
    [{ query: { kind: 'HogQLQuery', query: 'select 1', values: { a: {} } } }, 400],
    [[], 400],
  ])('refuses %j', async (body, status) => expect((await service.api('query/', { body })).status).toBe(status))

  it('is for those who may', async () => {
    expect((await service.api('query/', { key: null, body: {} })).status).toBe(401)
    expect((await service.api('query/', { key: KEYS.personsRead, body: {} })).body.detail).toBe(
      "API key missing required scope 'query:read'",
    )
    expect((await service.api('query/', { key: KEYS.projectTwo, body: {} })).status).toBe(403)
  })

  describe('helpers', () => {
    it('say whether asking later is allowed', async () => {
      expect(await service.api('query/check_auth_for_async/', { method: 'POST', key: KEYS.personsRead })).toMatchObject(
        { status: 200, body: { user: 'ok' } },
      )
      expect((await service.api('query/check_auth_for_async/', { method: 'POST', key: null })).status).toBe(401)
      expect((await service.api('query/check_auth_for_async/', { method: 'POST', key: 'phx_bad' })).status).toBe(401)
      expect((await service.api('query/check_auth_for_async/')).status).toBe(405)
      expect((await service.api('/api/environments/77/query/check_auth_for_async/', { method: 'POST' })).status).toBe(
        404,
      )
    })

    it('draft SQL that runs', async () => {
      await service.stored()
      for (const prompt of ['', 'how many buys by browser', 'unique users per day last 2 weeks']) {
        const { status, body } = await service.api(`query/draft_sql/?${new URLSearchParams({ prompt })}`)
        expect(status).toBe(200)
        expect((await ask(body.sql)).status, body.sql).toBe(200)
      }
      expect((await service.api('query/draft_sql/?prompt=buys')).body.sql).toContain("event = 'buy'")
      expect((await service.api(`query/draft_sql/?prompt=${'x'.repeat(401)}`)).body).toMatchObject({
        code: 'too_long',
        attr: 'prompt',
      })
      expect((await service.api('query/draft_sql/', { key: KEYS.insightsRead })).status).toBe(200)
      expect((await service.api('query/draft_sql/', { key: KEYS.playlists })).status).toBe(403)
      expect((await service.api('query/draft_sql/', { key: null })).status).toBe(401)
    })
  })
})
