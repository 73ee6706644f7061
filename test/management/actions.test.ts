import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { click, fullSnapshot, meta, upload } from '../support/recordings.ts'
import { KEYS, startTestService, type TestService } from '../support/service.ts'

describe('actions', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
    const chain = 'a.nav:href="/prices"nth-child="1"nth-of-type="1"text="Prices"'
    await service.capture([
      {
        event: '$pageview',
        distinct_id: 'ada',
        properties: { $current_url: 'https://a.example/prices', $session_id: 's-1' },
      },
      { event: '$autocapture', distinct_id: 'bob', properties: { $elements_chain: chain, $event_type: 'click' } },
      { event: '$pageview', distinct_id: 'cy', properties: { $current_url: 'https://a.example/' } },
    ])
    await service.stored()
  })
  afterAll(() => service?.stop())

  const STEPS = [
    { event: '$pageview', url: '/prices', url_matching: 'contains' },
    { event: '$autocapture', text: 'Prices', href: '/prices', tag_name: 'a' },
  ]
  const create = (body: object) => service.api('actions/', { body })

  it('are kept with what describes them, change, go and come back', async () => {
    const made = await create({ name: 'Saw prices', description: 'anywhere', tags: ['sales'], steps: STEPS })
    expect(made.status, made.text).toBe(201)
    expect(made.body).toMatchObject({
      name: 'Saw prices',
      description: 'anywhere',
      tags: ['sales'],
      steps: [
        { event: '$pageview', url: '/prices', url_matching: 'contains', text: null, selector: null, properties: [] },
        { event: '$autocapture', text: 'Prices', text_matching: null, href: '/prices', tag_name: 'a' },
      ],
      deleted: false,
      is_action: true,
      created_by: { email: 'owner@example.com' },
    })
    const path = `actions/${made.body.id}/`
    const patch = (body: object) => service.api(path, { method: 'PATCH', body })
    expect((await patch({ name: 'Looked at prices' })).body).toMatchObject({
      name: 'Looked at prices',
      tags: ['sales'],
    })
    expect(await patch({})).toMatchObject({ status: 200, body: { name: 'Looked at prices' } })
    expect(await create({})).toMatchObject({ status: 201, body: { name: null, steps: [] } })
    expect((await service.api('actions/?search=looked')).body).toMatchObject({
      count: 1,
      results: [{ id: made.body.id }],
    })
    expect(await service.api(path, { method: 'DELETE' })).toMatchObject({ status: 405, text: '' })
    await patch({ deleted: true })
    expect((await service.api(path)).status).toBe(404)
    expect((await service.api('actions/?search=looked')).body.count).toBe(0)
    await patch({ deleted: false })
    expect((await service.api(path)).body.name).toBe('Looked at prices')
    expect((await service.api(path.replace(/\d+/, '999999'))).status).toBe(404)
    expect((await service.api(`/api/projects/2/${path}`)).status).toBe(404)
  })

  it('count in insights, legacy or not, and the answer changes with them at once', async () => {
    const { body: action } = await create({ name: 'Counted', steps: STEPS })
    const trend = async () => {
      const { body } = await service.api('insights/trend/', {
        body: { actions: [{ id: action.id, type: 'actions', math: 'dau' }] },
      })
      return body.result.map(({ label, count }: { label: string; count: number }) => [label, count])
    }
    expect(await trend()).toEqual([['Counted', 2]])
    await service.api(`actions/${action.id}/`, { method: 'PATCH', body: { steps: STEPS.slice(0, 1) } })
    expect(await trend()).toEqual([['Counted', 1]])
    const node = { kind: 'TrendsQuery', series: [{ kind: 'ActionsNode', id: action.id }] }
    expect((await service.api('query/', { body: { query: node } })).body.results[0].count).toBe(1)
    await service.api(`actions/${action.id}/`, { method: 'PATCH', body: { deleted: true } })
    expect(await trend()).toEqual([])
  })

  it('are conditions of SQL and of tables of events', async () => {
    const { body: action } = await create({ name: "Saw 'the' prices", steps: STEPS })
    const query = async (node: object) => {
      const { status, body, text } = await service.api('query/', { body: { query: node } })
      expect(status, text).toBe(200)
      return body.results
    }
    const sql = (text: string) => query({ kind: 'HogQLQuery', query: text })
    expect(await sql(`select distinct_id from events where matchesAction(${action.id}) order by distinct_id`)).toEqual([
      ['ada'],
      ['bob'],
    ])
    expect(await sql("select count() from events where matchesAction('Saw \\'the\\' prices')")).toEqual([[2]])
    expect(await sql(`select count() from events where not matchesAction(${action.id})`)).toEqual([[1]])
    expect(
      await query({ kind: 'EventsQuery', select: ['distinct_id'], actionId: action.id, orderBy: ['distinct_id'] }),
    ).toEqual([['ada'], ['bob']])
    const series = [
      { kind: 'EventsNode', event: null, properties: [{ type: 'hogql', key: `matchesAction(${action.id})` }] },
    ]
    expect((await query({ kind: 'TrendsQuery', series }))[0].count).toBe(2)
    const bad = await service.api('query/', {
      body: { query: { kind: 'HogQLQuery', query: "select matchesAction('nope') from events" } },
    })
    expect(bad).toMatchObject({ status: 400, body: { detail: expect.stringContaining('There is no action "nope"') } })
  })

  it('and cohorts find recordings', async () => {
    const at = Date.now() - 60_000
    for (const [session, distinctId] of [
      ['s-1', 'ada'],
      ['s-2', 'cy'],
    ] as const)
      await upload(service.url, { session, distinctId, events: [meta(at), fullSnapshot(at + 10), click(at + 500)] })
    await service.capture({ event: 'looked', distinct_id: 'cy', properties: { $session_id: 's-2' } })
    await service.stored()
    const { body: action } = await create({ name: 'For recordings', steps: STEPS })
    const { body: cohort } = await service.api('cohorts/', { body: { is_static: true, distinct_ids: ['cy'] } })
    const found = async (query: string) => {
      const { status, body, text } = await service.api(`session_recordings/?${query}`)
      expect(status, text).toBe(200)
      return body.results.map(({ id }: { id: string }) => id)
    }
    const json = (value: unknown) => encodeURIComponent(JSON.stringify(value))
    expect(await found(`actions=${json([{ id: action.id, type: 'actions' }])}`)).toEqual(['s-1'])
    const leaf = {
      type: 'AND',
      values: [{ type: 'AND', values: [{ id: action.id, type: 'actions', negation: true }] }],
    }
    expect(await found(`filter_group=${json(leaf)}`)).toEqual(['s-2'])
    expect(await found(`properties=${json([{ type: 'cohort', key: 'id', value: cohort.id }])}`)).toEqual(['s-2'])
    expect(
      await found(`properties=${json([{ type: 'cohort', key: 'id', value: cohort.id, operator: 'not_in' }])}`),
    ).toEqual(['s-1'])
    expect((await service.api(`session_recordings/?actions=${json([{ id: 99_999 }])}`)).status).toBe(400)
  })

  it.each([
    ['no list', { steps: 'x' }, 'steps'],
    ['a way of matching that is none', { steps: [{ url: 'a', url_matching: 'like' }] }, 'steps__0__url_matching'],
    ['filters that are none', { steps: [{ event: 'a', properties: [5] }] }, 'steps__0__properties__0'],
    [
      'a pattern that is none',
      { steps: [{ event: 'a' }, { url: '(', url_matching: 'regex' }] },
      'steps__1__url__value',
    ],
    ['a filter of nothing', { steps: [{ event: 'a', properties: [{}] }] }, 'steps__0__properties__0'],
    ['a name that is too long', { name: 'x'.repeat(401) }, 'name'],
  ])('refuse %s', async (_, body, attr) => {
    const answer = await create(body)
    expect([answer.status, answer.body.attr]).toEqual([400, attr])
  })

  it('are for those who may', async () => {
    expect((await service.api('actions/', { key: KEYS.personsRead })).body.detail).toBe(
      "API key missing required scope 'action:read'",
    )
    expect((await service.api('actions/', { body: {}, key: KEYS.insightsRead })).status).toBe(403)
  })

  it('annotations are kept with what they stand on, found, changed, taken away and brought back', async () => {
    const write = (body: object) => service.api('annotations/', { body })
    const insight = (await service.api('insights/', { body: { name: 'Visits', filters: { events: [] } } })).body
    const dashboard = (await service.api('dashboards/', { body: { name: 'Weekly' } })).body
    const release = await write({
      content: 'Released 2.0',
      date_marker: '2024-05-02T10:00:00+02:00',
      creation_type: 'GIT',
      scope: 'project',
      emoji: '',
    })
    expect(release.status, release.text).toBe(201)
    expect(release.body).toMatchObject({
      content: 'Released 2.0',
      date_marker: '2024-05-02T08:00:00.000Z',
      creation_type: 'GIT',
      scope: 'project',
      dashboard_item: null,
      insight_short_id: null,
      emoji: null,
      deleted: false,
      created_by: { email: 'owner@example.com' },
    })
    const onInsight = await write({ content: '50% off', date_marker: '2024-05-03', dashboard_item: insight.id })
    expect(onInsight.body).toMatchObject({
      scope: 'dashboard_item',
      dashboard_item: insight.id,
      insight_short_id: insight.short_id,
      insight_name: 'Visits',
    })
    const onDashboard = await write({ content: 'Fair', scope: 'dashboard', dashboard_id: dashboard.id, emoji: '🎪' })
    expect(onDashboard.body).toMatchObject({ dashboard_name: 'Weekly', date_marker: null, emoji: '🎪' })
    const contents = async (query: string) =>
      (await service.api(`annotations/?${query}`)).body.results.map(({ content }: { content: string }) => content)
    expect(await contents('')).toEqual(['50% off', 'Released 2.0', 'Fair'])
    expect(await contents('search=50%25')).toEqual(['50% off'])
    expect(await contents('scope=insight')).toEqual(['50% off'])
    expect(await contents('is_emoji=true')).toEqual(['Fair'])
    expect(await contents('date_from=2024-05-02T00:00:00Z&date_to=2024-05-02T23:59:59Z')).toEqual(['Released 2.0'])
    expect((await service.api('annotations/?limit=1')).body).toMatchObject({ count: 3, next: expect.any(String) })

    const path = `annotations/${release.body.id}/`
    const patch = (body: object) => service.api(path, { method: 'PATCH', body })
    expect((await patch({ content: 'Released 2.1' })).body).toMatchObject({ content: 'Released 2.1', scope: 'project' })
    expect(await service.api(path, { method: 'DELETE' })).toMatchObject({ status: 405, text: '' })
    await patch({ deleted: true })
    expect((await service.api(path)).status).toBe(404)
    expect((await patch({ deleted: false })).body).toMatchObject({ deleted: false })
    // What stands on something that was deleted goes with it.
    await service.api(`insights/${insight.id}/`, { method: 'PATCH', body: { deleted: true } })
    expect(await contents('')).toEqual(['Released 2.1', 'Fair'])
  })

  it('annotations that make no sense are refused with a reason, and those for the organisation are in all projects', async () => {
    const refused = async (body: object) => {
      const { status, body: said } = await service.api('annotations/', { body })
      return [status, said.attr, said.detail]
    }
    expect(await refused({ scope: 'recording' })).toEqual([400, 'scope', 'Recording scope is deprecated'])
    expect(await refused({ scope: 'planet' })).toEqual([400, 'scope', expect.stringContaining('dashboard_item')])
    expect(await refused({ date_marker: 'soon' })).toEqual([400, 'date_marker', expect.stringContaining('ISO 8601')])
    expect(await refused({ dashboard_item: 99_999 })).toEqual([400, 'dashboard_item', expect.stringContaining('99999')])
    expect((await refused({ content: 'x'.repeat(8193) })).slice(0, 2)).toEqual([400, 'content'])
    const crossed = await service.api('annotations/?date_from=2024-05-02&date_to=2024-05-01')
    expect([crossed.status, crossed.body.attr]).toEqual([400, 'date_from'])
    expect((await service.api('annotations/?scope=planet')).status).toBe(400)

    const everywhere = await service.api('annotations/', { body: { content: 'New prices', scope: 'organization' } })
    const inTwo = (path: string, options = {}) => service.api(`/api/projects/2/${path}`, options)
    const listed = await inTwo('annotations/')
    expect(listed.body.results.map(({ content }: { content: string }) => content)).toEqual(['New prices'])
    const path = `annotations/${everywhere.body.id}/`
    expect((await inTwo(path)).status).toBe(200)
    expect((await inTwo(path, { method: 'PATCH', body: { content: 'x' } })).status).toBe(404)
  })
})
