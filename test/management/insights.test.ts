import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DAY } from '../../src/lib/durations.ts'
import { KEYS, startTestService, type TestService } from '../support/service.ts'

/** In the morning of a day some days ago, and some hours later. */
const MORNING = Math.floor(Date.now() / DAY) * DAY + 8 * 3_600_000
const ago = (days: number, hours = 0) => new Date(MORNING - days * DAY + hours * 3_600_000).toISOString()
const STEPS = { events: [{ id: 'signed up' }, { id: 'paid', order: 1 }], date_from: '-14d' }
const FUNNEL = { insight: 'FUNNELS', ...STEPS }

let service: TestService
beforeAll(async () => {
  service = await startTestService()
  const user = (name: string, ...did: [event: string, hours: number, properties?: object][]) =>
    did.map(([event, hours, properties = {}]) => ({
      event,
      distinct_id: name,
      timestamp: ago(3, hours),
      properties: { $set: { email: `${name}@example.com`, plan: name < 'c' ? 'pro' : 'free' }, ...properties },
    }))
  await service.capture([
    ...user('a', ['signed up', 0, { $session_id: 's-a' }], ['read docs', 1], ['paid', 2]),
    ...user('b', ['signed up', 0], ['read docs', 1], ['paid', 3]),
    ...user('c', ['signed up', 0], ['complained', 1]),
    ...user('d', ['signed up', 0]),
  ])
  await service.waitFor(async () => {
    const { body } = await service.api('insights/funnel/', { body: { ...FUNNEL, refresh: true } })
    return body.result?.[0]?.count === 4 && body.result[1].count === 2
  }, 'the funnel')
})
afterAll(() => service?.stop())

const get = (path: string, query: Record<string, unknown>) => {
  const text = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    text.set(name, typeof value === 'string' ? value : JSON.stringify(value))
  return service.api(`${path}?${text}`)
}
/** An address out of an answer, as a path of the test's. */
const follow = (url: string) => service.api(new URL(url).pathname + new URL(url).search)
const names = (answer: { body: { results: { people: { name: string }[] }[] } }) =>
  answer.body.results[0]?.people.map(({ name }) => name).toSorted()

describe('funnels', () => {
  it('are answered to GET, POST, filters and query nodes alike, and as CSV', async () => {
    const node = {
      kind: 'FunnelsQuery',
      series: ['signed up', 'paid'].map((event) => ({ kind: 'EventsNode', event })),
      dateRange: { date_from: '-14d' },
    }
    const answers = await Promise.all([
      service.api('insights/funnel/', { body: STEPS }),
      service.api('insights/funnel/', { body: { filters: STEPS } }),
      service.api('insights/funnel/', { body: { query: { kind: 'InsightVizNode', source: node } } }),
      service.api('insights/funnel/', { body: { query: JSON.stringify(node) } }),
      service.api('insights/trend/', { body: FUNNEL }),
      get('insights/funnel/', STEPS),
    ])
    for (const answer of answers) {
      expect(answer.status).toBe(200)
      expect(answer.body.result.map(({ count }: { count: number }) => count)).toEqual([4, 2])
      expect(answer.body).toMatchObject({ timezone: 'UTC', result: [{}, { average_conversion_time: 9000 }] })
    }
    const csv = await get('insights/funnel/', { ...STEPS, format: 'csv' })
    expect(csv.headers.get('content-type')).toContain('text/csv')
    expect(csv.text.split('\r\n').slice(0, 3)).toEqual([
      'step,name,count,average_conversion_time,median_conversion_time',
      '1,signed up,4,,',
      '2,paid,2,9000,9000',
    ])
  })

  it('lead to the people of each step, page by page', async () => {
    for (const asked of [
      { body: STEPS },
      {
        body: {
          query: {
            kind: 'FunnelsQuery',
            series: [
              { kind: 'EventsNode', event: 'signed up' },
              { kind: 'EventsNode', event: 'paid' },
            ],
            dateRange: { date_from: '-14d' },
          },
        },
      },
    ]) {
      const { body } = await service.api('insights/funnel/', asked)
      const [first, second] = body.result
      expect(first.dropped_people_url).toBeNull()
      expect(names(await follow(first.converted_people_url))).toHaveLength(4)
      expect(names(await follow(second.converted_people_url))).toEqual(['a@example.com', 'b@example.com'])
      expect(names(await follow(second.dropped_people_url))).toEqual(['c@example.com', 'd@example.com'])
    }
    const { body } = await service.api('insights/funnel/', { body: STEPS })
    const page = await follow(`${body.result[0].converted_people_url}&limit=3`)
    expect(page.body.results[0]).toMatchObject({ count: 3, people: [{ type: 'person', is_identified: false }, {}, {}] })
    const rest = await follow(page.body.next)
    expect(rest.body).toMatchObject({ results: [{ count: 1 }], next: null })
    const [a] = (await follow(body.result[1].converted_people_url)).body.results[0].people.filter(
      ({ name }: { name: string }) => name === 'a@example.com',
    )
    expect(a.matched_recordings).toMatchObject([{ session_id: 's-a', events: [{ uuid: expect.any(String) }] }])
  })

  it('say how long conversions take when a timing describes one, and keep the sample', async () => {
    const timed = await service.api('insights/timing/', { body: { filters: FUNNEL } })
    expect(timed.status).toBe(200)
    expect(timed.body.result.average_conversion_time).toBe(9000)
    expect(await service.api('insights/timing/', { body: { time_to_see_data_ms: 120 } })).toMatchObject({
      status: 200,
      body: { success: true },
    })
    expect((await service.api('insights/timing/', { body: [1] })).status).toBe(400)
  })
})

describe('correlation', () => {
  it('needs the scope of insights, and its links lead to people', async () => {
    const refused = await service.api('insights/funnel/correlation/', { key: KEYS.personsRead, body: STEPS })
    expect(refused.status).toBe(403)
    const answer = await service.api('insights/funnel/correlation/', { key: KEYS.insightsRead, body: STEPS })
    expect(answer).toMatchObject({ status: 200, body: { is_cached: false, result: { skewed: false } } })
    const { events } = answer.body.result
    expect(events.map((each: { event: { event: string } }) => each.event.event)).toEqual(['read docs', 'complained'])
    expect(names(await follow(events[0].success_people_url))).toEqual(['a@example.com', 'b@example.com'])
    expect(names(await follow(events[1].failure_people_url))).toEqual(['c@example.com'])
    expect(names(await follow(events[1].success_people_url))).toEqual([])
    expect((await service.api('insights/funnel/correlation/', { key: null, body: STEPS })).status).toBe(401)
    expect((await service.api('insights/funnel/correlation/', { key: KEYS.personsRead, body: STEPS })).status).toBe(403)
    const csv = await get('insights/funnel/correlation/', { ...STEPS, format: 'csv' })
    expect(csv.text.split('\r\n')[1]).toBe('read docs,2,0,9,success')
  })

  it('by properties leads to people too', async () => {
    const asked = { ...STEPS, funnel_correlation_type: 'properties', funnel_correlation_names: ['plan'] }
    const { body } = await get('insights/funnel/correlation/', asked)
    expect(body.result.events).toMatchObject([
      { event: { event: 'plan::pro' }, success_count: 2, failure_count: 0 },
      { event: { event: 'plan::free' }, success_count: 0, failure_count: 2 },
    ])
    expect(names(await follow(body.result.events[1].failure_people_url))).toEqual(['c@example.com', 'd@example.com'])
    const wrong = await service.api('insights/funnel/correlation/', {
      body: { ...STEPS, funnel_correlation_type: 'properties' },
    })
    expect(wrong).toMatchObject({ status: 400, body: { type: 'validation_error' } })
  })
})

describe('the others', () => {
  it('answer at their own addresses and through trend', async () => {
    const retention = await service.api('insights/retention/', {
      body: { target_entity: { id: 'signed up' }, returning_entity: { id: 'paid' } },
    })
    expect(retention.body.result).toHaveLength(11)
    const row = retention.body.result.find(({ values }: { values: { count: number }[] }) => values[0]?.count === 4)
    expect(names(await follow(row.people_url))).toHaveLength(4)
    const paths = await service.api('insights/path/', { body: { date_from: '-14d' } })
    expect(paths.status).toBe(200)
    const stickiness = await service.api('insights/trend/', {
      body: { insight: 'STICKINESS', events: [{ id: 'signed up' }] },
    })
    expect(stickiness.body.result[0].data[0]).toBe(4)
    const lifecycle = await service.api('insights/trend/', {
      body: { insight: 'LIFECYCLE', events: [{ id: 'signed up' }] },
    })
    expect(
      lifecycle.body.result.map(({ status, count }: { status: string; count: number }) => [status, count]),
    ).toEqual([
      ['new', 4],
      ['returning', 0],
      ['resurrecting', 0],
      ['dormant', -4],
    ])
  })

  it('of a trend lead to people by day', async () => {
    const day = ago(3).slice(0, 10)
    const found = await get('persons/trends/', {
      events: [{ id: 'signed up' }],
      date_from: '-14d',
      entity_id: 'signed up',
      day,
    })
    expect(names(found)).toHaveLength(4)
  })
})

describe('answers', () => {
  it('are kept until something new arrives or a refresh is asked for', async () => {
    const asked = { events: [{ id: 'kept event' }] }
    const trend = (more = {}) => service.api('insights/trend/', { body: { ...asked, ...more } })
    const first = await service.waitFor(async () => {
      await trend({ refresh: true })
      const again = await trend()
      return again.body.is_cached && again
    })
    expect(first.body.result[0].count).toBe(0)
    expect((await trend({ refresh: true })).body.is_cached).toBe(false)
    const node = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'kept event' }] }
    const query = async (refresh?: string) =>
      (await service.api('query/', { body: { query: node, refresh } })).body.is_cached
    expect([await query('force_blocking'), await query(), await query('blocking')]).toEqual([false, true, true])
    await service.capture({ event: 'kept event', distinct_id: 'a' })
    const seen = await service.waitFor(async () => {
      const answer = await trend()
      return answer.body.result[0].count === 1 && answer
    })
    expect(seen.body.result[0].count).toBe(1)
  })

  it('show their SQL, and refuse what cannot be asked', async () => {
    const { body } = await service.api('insights/funnel/?explain=sql', { body: STEPS })
    expect(body.explain[0].sql).toContain('arrayReverseFill')
    const bad = { ...STEPS, exclusions: [{ id: 'x', funnel_from_step: 1, funnel_to_step: 1 }] }
    expect(await service.api('insights/funnel/', { body: bad })).toMatchObject({
      status: 400,
      body: { type: 'validation_error', attr: expect.stringContaining('exclusions') },
    })
    expect((await service.api('insights/funnel/', { key: KEYS.persons, body: STEPS })).status).toBe(403)
  })
})

describe('saved insights', () => {
  const QUERY = {
    kind: 'InsightVizNode',
    source: { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'paid' }] },
  }

  it('are created, read, changed, taken away and brought back', async () => {
    const created = await service.api('insights/', {
      body: {
        name: ' Paid ',
        query: JSON.stringify(QUERY),
        tags: ['money'],
        favorited: true,
        saved: true,
        description: 'd',
        order: 3,
      },
    })
    expect(created).toMatchObject({
      status: 201,
      body: {
        name: 'Paid',
        query: QUERY,
        filters: {},
        tags: ['money'],
        favorited: true,
        saved: true,
        order: 3,
        deleted: false,
        dashboards: [],
        dashboard_tiles: [],
        created_by: { email: 'owner@example.com' },
      },
    })
    const { id, short_id } = created.body
    expect(short_id).toMatch(/^[A-Za-z0-9]{8}$/)
    expect((await service.api(`insights/${id}/`)).body.short_id).toBe(short_id)
    const numbers = await service.api(`insights/${short_id}/?refresh=true`)
    expect(numbers.body.result[0]).toMatchObject({ label: 'paid', count: 2 })
    const table = await service.api(`insights/${short_id}/?format=csv`)
    expect(table.text.split('\r\n')[1]).toBe(['paid', ...numbers.body.result[0].data].join(','))

    const changed = await service.api(`insights/${id}/`, {
      method: 'PATCH',
      body: { name: 'Renamed', short_id: 'nonsense' },
    })
    expect(changed).toMatchObject({ status: 200, body: { name: 'Renamed', short_id, description: 'd' } })
    expect(changed.body.last_modified_at > created.body.last_modified_at).toBe(true)

    expect((await service.api(`insights/${id}/`, { method: 'DELETE' })).status).toBe(405)
    expect((await service.api(`insights/${id}/`, { method: 'PATCH', body: { deleted: true } })).body.deleted).toBe(true)
    expect((await service.api(`insights/${id}/`)).status).toBe(404)
    expect((await service.api(`insights/${id}/`, { method: 'PATCH', body: { name: 'x' } })).status).toBe(404)
    expect((await service.api(`insights/${id}/`, { method: 'PATCH', body: { deleted: false } })).status).toBe(200)
  })

  it('with numbers that no id can have are refused', async () => {
    for (const body of [{ dashboards: [2 ** 31] }, { order: 2 ** 40 }])
      expect(await service.api('insights/', { body: { ...body, filters: STEPS } })).toMatchObject({
        status: 400,
        body: { type: 'validation_error' },
      })
  })

  it('are found by their kind beside one that holds half of a character', async () => {
    const query = { kind: 'InsightVizNode', source: { kind: 'TrendsQuery', series: [] } }
    const ids = []
    for (const name of ['\ud800', 'whole']) {
      const { body } = await service.api('insights/', { body: { name: 'by kind', query: { ...query, note: name } } })
      ids.push(body.id)
    }
    const found = await service.api('insights/?insight=TRENDS&search=by kind')
    expect(found).toMatchObject({ status: 200, body: { results: [{ id: ids[1] }] } })
    for (const id of ids) await service.api(`insights/${id}/`, { method: 'PATCH', body: { deleted: true } })
  })

  it('are listed and found', async () => {
    const make = (body: object) => service.api('insights/', { body }).then((answer) => answer.body)
    await make({ name: 'Alpha report', saved: true, query: { kind: 'FunnelsQuery', series: [] } })
    await make({ name: 'Beta', description: 'about the alphabet', favorited: true })
    await make({ name: 'Gamma', tags: ['alphas'], filters: { insight: 'RETENTION' } })
    const list = async (query: string) => {
      const { status, body } = await service.api(`insights/?${query}`)
      expect(status).toBe(200)
      return body.results.map(({ name }: { name: string }) => name)
    }
    expect(await list('search=alpha&order=name')).toEqual(['Alpha report', 'Beta', 'Gamma'])
    expect(await list('search=alpha&favorited=true')).toEqual(['Beta'])
    expect(await list('search=alpha&saved=true')).toEqual(['Alpha report'])
    expect(await list('insight=FUNNELS')).toEqual(['Alpha report'])
    expect(await list('insight=RETENTION&basic=true')).toEqual(['Gamma'])
    expect(await list('created_by=2')).toEqual([])
    const page = await service.api('insights/?search=alpha&limit=2&order=name')
    expect(page.body).toMatchObject({ count: 3, previous: null, results: [{}, {}] })
    expect((await follow(page.body.next)).body.results).toHaveLength(1)
    expect((await service.api('insights/?order=nothing')).status).toBe(400)
    expect((await service.api('insights/', { key: KEYS.insightsRead, body: { name: 'x' } })).status).toBe(403)
    expect((await service.api('insights/', { body: { query: 'no json' } })).status).toBe(400)
  })

  it('that were looked at come back newest first, five at most, for whoever looked', async () => {
    const made = []
    for (let i = 0; i < 6; i++) made.push((await service.api('insights/', { body: { name: `viewed ${i}` } })).body)
    for (const { short_id } of made) {
      expect((await service.api(`insights/${short_id}/viewed/`, { method: 'POST' })).status).toBe(201)
    }
    expect((await service.api('insights/viewed/', { body: { insight_ids: [made[1].id, 999_999] } })).status).toBe(201)
    await service.api(`insights/${made[5].id}/`, { method: 'PATCH', body: { deleted: true } })
    const { body } = await service.api('insights/my_last_viewed/', { key: KEYS.insightsRead })
    expect(body.map(({ name }: { name: string }) => name)).toEqual([
      'viewed 1',
      'viewed 4',
      'viewed 3',
      'viewed 2',
      'viewed 0',
    ])
    expect((await service.api('insights/my_last_viewed/', { key: KEYS.colleague })).body).toEqual([])
    expect((await service.api('insights/nonsense/viewed/', { method: 'POST' })).status).toBe(404)
  })

  it('that ask what means nothing can be read and mended, and say why when they are asked', async () => {
    const query = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'paid' }], properties: [{}] }
    const { body } = await service.api('insights/', { body: { name: 'old', query } })
    expect(await service.api(`insights/${body.id}/`)).toMatchObject({ status: 200, body: { query, result: null } })
    expect(await service.api(`insights/${body.id}/?refresh=blocking`)).toMatchObject({
      status: 400,
      body: { attr: 'query__properties__0', detail: expect.stringContaining('has no key') },
    })
  })
})

describe('saved SQL', () => {
  const save = async (sql: string, wrapper: object = { kind: 'DataVisualizationNode' }) => {
    const query = { ...wrapper, source: { kind: 'HogQLQuery', query: sql } }
    const { status, body } = await service.api('insights/', { body: { name: 'By SQL', saved: true, query } })
    expect([status, body.query]).toEqual([201, query])
    return body
  }
  const PEOPLE = `select event, uniq(person_id) as people from events
    where event in ('paid', 'signed up') and {filters} group by event order by event`
  const ROWS = [
    ['paid', 2],
    ['signed up', 4],
  ]

  it.each(['DataVisualizationNode', 'DataTableNode'])('in a %s is kept, answered and written as CSV', async (kind) => {
    const made = await save(PEOPLE, { kind, display: 'ActionsBar' })
    const { body } = await service.api(`insights/${made.short_id}/?refresh=true`)
    expect(body).toMatchObject({
      result: ROWS,
      columns: ['event', 'people'],
      types: [
        ['event', 'String'],
        ['people', 'UInt64'],
      ],
      hasMore: false,
      hogql: PEOPLE,
      last_refresh: expect.any(String),
      filters: {},
    })
    const asked = await service.api('query/', { body: { query: made.query } })
    expect(asked.body.results).toEqual(body.result)
    expect((await service.api(`insights/${made.id}/`)).body).toMatchObject({ result: null, columns: null })
    const csv = await service.api(`insights/${made.id}/?format=csv`)
    expect(csv.headers.get('content-disposition')).toBe(`attachment; filename="${made.short_id.toLowerCase()}.csv"`)
    expect(csv.text.trimEnd().split('\r\n')).toEqual(['event,people', ...ROWS.map((row) => row.join(','))])
    expect((await service.api('insights/?insight=SQL')).body.results[0].short_id).toBe(made.short_id)
  })

  it('writes every cell of a table, whatever it holds', async () => {
    const made = await save('select \'a,"b"\' as text, [1, 2] as list, null as nothing, true as flag, 0.5 as half')
    const csv = await service.api(`insights/${made.id}/?format=csv`)
    expect(csv.text).toBe('text,list,nothing,flag,half\r\n"a,""b""","[1,2]",,true,0.5\r\n')
  })

  it('that cannot run says why when it is asked, and can be read and mended', async () => {
    const made = await save('select cout() from events')
    expect((await service.api(`insights/${made.id}/`)).status).toBe(200)
    expect(await service.api(`insights/${made.id}/?refresh=true`)).toMatchObject({
      status: 400,
      body: { type: 'validation_error', detail: expect.stringContaining('cout') },
    })
    const query = { kind: 'DataVisualizationNode', source: { kind: 'HogQLQuery', query: 'select 1 as one' } }
    await service.api(`insights/${made.id}/`, { method: 'PATCH', body: { query } })
    expect((await service.api(`insights/${made.id}/?refresh=true`)).body.result).toEqual([[1]])
  })

  it('stands on dashboards, which are answered as a whole and under their own dates', async () => {
    const board = (await service.api('dashboards/', { body: { name: 'Numbers' } })).body
    const place = (id: number) => service.api(`insights/${id}/`, { method: 'PATCH', body: { dashboards: [board.id] } })
    const trend = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'paid' }] }
    await place((await save(PEOPLE)).id)
    await place((await save('select cout() from events')).id)
    await place((await service.api('insights/', { body: { name: 'Trend', query: trend } })).body.id)
    const tiles = async (query = '') => (await service.api(`dashboards/${board.id}/${query}`)).body.tiles
    expect(await tiles()).toMatchObject([{ insight: { result: null } }, {}, {}])
    expect(await tiles('?refresh=force_blocking')).toMatchObject([
      { insight: { result: ROWS, columns: ['event', 'people'] } },
      { insight: { result: null }, error: { message: expect.stringContaining('cout') } },
      { insight: { result: [{ label: 'paid', count: 2 }] } },
    ])
    await service.api(`dashboards/${board.id}/`, { method: 'PATCH', body: { filters: { date_from: '-1d' } } })
    expect(await tiles('?refresh=force_blocking')).toMatchObject([
      { insight: { result: [] } },
      {},
      { insight: { result: [{ label: 'paid', count: 0 }] } },
    ])
    await service.api(`dashboards/${board.id}/`, { method: 'PATCH', body: { deleted: true } })
  })
})

describe('dashboards', () => {
  it('show insights, in places that stay', async () => {
    const board = (await service.api('dashboards/', { body: { name: 'Board' } })).body
    expect(board).toMatchObject({ name: 'Board', tiles: [], pinned: false })
    const plain = await service.api('insights/', { body: { name: 'On it' } })
    expect(plain.headers.get('deprecation')).toBeNull()
    const insight = plain.body
    const placed = await service.api(`insights/${insight.id}/`, { method: 'PATCH', body: { dashboards: [board.id] } })
    expect(placed.headers.get('deprecation')).toBe('true')
    expect(placed.body).toMatchObject({
      dashboards: [board.id],
      dashboard_tiles: [{ dashboard_id: board.id, deleted: false }],
    })
    const [tile] = (await service.api(`dashboards/${board.id}/`)).body.tiles
    expect(tile).toMatchObject({ insight: { id: insight.id, name: 'On it' }, layouts: {} })
    const layouts = { sm: { x: 1, y: 2, w: 6, h: 5 } }
    const moved = await service.api(`dashboards/${board.id}/`, {
      method: 'PATCH',
      body: { tiles: [{ id: tile.id, layouts }, { text: { body: 'Hello' } }] },
    })
    expect(moved.body.tiles).toMatchObject([{ layouts }, { text: { body: 'Hello' }, insight: null }])
    expect((await service.api(`insights/?dashboards=[${board.id}]`)).body.count).toBe(1)
    const unknown = await service.api(`insights/${insight.id}/`, {
      method: 'PATCH',
      body: { dashboards: [board.id, 4711] },
    })
    expect(unknown).toMatchObject({ status: 400, body: { attr: 'dashboards' } })
    await service.api(`insights/${insight.id}/`, { method: 'PATCH', body: { dashboards: [] } })
    expect((await service.api(`dashboards/${board.id}/`)).body.tiles).toHaveLength(1)
    await service.api(`dashboards/${board.id}/`, { method: 'PATCH', body: { deleted: true } })
    expect((await service.api(`dashboards/${board.id}/`)).status).toBe(404)
    expect((await service.api('dashboards/')).body.count).toBe(0)
  })
})
