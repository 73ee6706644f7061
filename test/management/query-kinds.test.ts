/** Query nodes about what a project has, and those that older and newer clients send. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FUNCTIONS } from '../../src/insights/hogql/functions.ts'
import { SYSTEM_TABLES } from '../../src/insights/hogql/system-tables.ts'
import { TABLE_FIELDS } from '../../src/insights/hogql/table-fields.ts'
import { SESSION_COLUMNS } from '../../src/insights/sql/session-columns.ts'
import { RandomSql } from '../support/insights/random-sql.ts'
import { CONSTRUCTS, CORPUS_EVENTS, type Construct, exampleOf } from '../support/insights/sql-corpus.ts'
import { drawn } from '../support/random.ts'
import { startTestService, type TestService, TOKENS } from '../support/service.ts'

const AT_ONCE = 4

describe('kinds of query nodes', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
    await service.capture([
      {
        event: 'buy',
        distinct_id: 'ada',
        properties: { price: 5, shop: 'a', $session_id: 's1', $set: { plan: 'pro' } },
      },
      { event: 'buy', distinct_id: 'bob', properties: { price: 7, shop: 'b', $set: { plan: 'free' } } },
      { event: 'pay', distinct_id: 'ada', properties: { shop: 'a', $session_id: 's1' } },
      {
        event: '$groupidentify',
        distinct_id: 'ada',
        properties: { $group_type: 'company', $group_key: 'c1', $group_set: { name: 'Analytical' } },
      },
      { event: 'visit', distinct_id: 'ada', properties: { $groups: { company: 'c1' } } },
    ])
    await service.capture(
      [{ event: 'secret-event', distinct_id: 'secret-id', properties: { plan: 'secret', $set: { email: 'secret' } } }],
      TOKENS.two,
    )
    await service.stored()
  })
  afterAll(() => service?.stop())

  const ask = (query: object) => service.api('query/', { body: { query } })
  const sql = (query: string) => ask({ kind: 'HogQLQuery', query })

  it('tells the tables and fields with types and samples', async () => {
    const { status, body, text } = await ask({ kind: 'DatabaseSchemaQuery' })
    expect(status, text).toBe(200)
    expect(body.tables.events.fields.event).toMatchObject({ type: 'string', sample: expect.any(String) })
    expect(body.tables.events.fields.properties).toMatchObject({ properties: 'event' })
    expect(body.tables.groups.fields.key.sample).toBe('c1')
    expect(body.tables['system.cohorts'].type).toBe('system')
  })

  it('tells events, properties and their values', async () => {
    const team = await ask({ kind: 'TeamTaxonomyQuery' })
    expect(team.body.results[0]).toEqual({ event: 'buy', count: 2 })
    const event = await ask({ kind: 'EventTaxonomyQuery', event: 'buy', properties: ['shop', 'price'] })
    expect(event.status, event.text).toBe(200)
    const shop = event.body.results.find(({ property }: { property: string }) => property === 'shop')
    expect([shop.sample_count, shop.sample_values.toSorted()]).toEqual([2, ['a', 'b']])
    expect((await ask({ kind: 'EventTaxonomyQuery' })).status).toBe(400)
    const persons = await ask({ kind: 'ActorsPropertyTaxonomyQuery', properties: ['plan', "it's"] })
    expect(persons.body.results).toMatchObject([{ sample_count: 2 }, { sample_count: 0, sample_values: [] }])
    const groups = await ask({ kind: 'ActorsPropertyTaxonomyQuery', properties: ['name'], groupTypeIndex: 0 })
    expect(groups.body.results).toEqual([{ sample_values: ['Analytical'], sample_count: 1 }])
  })

  it('lists groups by expressions', async () => {
    const usual = await ask({ kind: 'GroupsQuery', group_type_index: 0 })
    expect(usual.body).toMatchObject({
      columns: ['group_name', 'key'],
      results: [['Analytical', 'c1']],
      hasMore: false,
    })
    const chosen = await ask({ kind: 'GroupsQuery', group_type_index: 0, select: ['upper(key) as k'], search: 'ANALY' })
    expect(chosen.body).toMatchObject({ columns: ['k'], results: [['C1']] })
    expect((await ask({ kind: 'GroupsQuery', group_type_index: 0, search: 'nobody' })).body.results).toEqual([])
    expect((await ask({ kind: 'GroupsQuery', group_type_index: 0, select: ['1) --'] })).status).toBe(400)
    const named = (operator: string, value: string) =>
      ask({
        kind: 'GroupsQuery',
        group_type_index: 0,
        properties: [{ key: 'name', type: 'group', group_type_index: 0, operator, value }],
      })
    expect((await named('icontains', 'ANALYT')).body.results).toEqual([['Analytical', 'c1']])
    expect((await named('is_not', 'Analytical')).body.results).toEqual([])
    const byCohort = { kind: 'GroupsQuery', group_type_index: 0, properties: [{ key: 'id', type: 'cohort', value: 1 }] }
    expect((await ask(byCohort)).body.detail).toContain('cannot be filtered by "id" of type "cohort"')
    expect((await sql("select company.properties.name from events where $group_0 != ''")).body.results).toEqual([
      ['Analytical'],
    ])
  })

  it('tells where sessions came from', async () => {
    const asked = { kind: 'SessionAttributionExplorerQuery', groupBy: ['Channel'] }
    const { status, body, text } = await ask(asked)
    expect(status, text).toBe(200)
    expect(body.columns.slice(0, 2)).toEqual(['context.columns.count', 'context.columns.channel'])
    expect(body.results.map(([count, channel]: unknown[]) => [count, typeof channel])).toEqual([[1, 'string']])
    const properties = [{ key: '$entry_utm_source', type: 'session', operator: 'is_set', value: 'is_set' }]
    const filtered = await ask({ ...asked, groupBy: ['Source', 'Medium'], filters: { properties } })
    expect([filtered.status, filtered.body.results]).toEqual([200, []])
    expect((await ask({ ...asked, groupBy: ['Weather'] })).status).toBe(400)
  })

  it('sums persons up where a column of an ActorsQuery does', async () => {
    const all = await ask({ kind: 'ActorsQuery', select: ['properties.plan', 'count()'], orderBy: ['properties.plan'] })
    expect(all.status, all.text).toBe(200)
    expect(all.body.results).toEqual([
      ['free', 1],
      ['pro', 1],
    ])
    const source = { kind: 'HogQLQuery', query: "select person_id from events where event = 'pay'" }
    const some = await ask({ kind: 'ActorsQuery', source, select: ['count() as persons', 'max(properties.plan)'] })
    expect(some.body).toMatchObject({ columns: ['persons', 'max(properties.plan)'], results: [[1, 'pro']] })
  })

  it('refuses to sum up some of the persons as if they were all', async () => {
    const summed = (persons: number) => {
      const query = `select if(number = 0, (select toString(person_id) from events where event = 'pay'), toString(number)) as person_id
        from numbers(${persons}) limit ${persons}`
      return ask({ kind: 'ActorsQuery', source: { kind: 'HogQLQuery', query }, select: ['count()'] })
    }
    const most = await summed(10_000)
    expect([most.status, most.body.results], most.text).toEqual([200, [[1]]])
    const tooMany = await summed(10_001)
    expect([tooMany.status, tooMany.body.attr]).toEqual([400, 'select'])
    expect(tooMany.body.detail).toBe(
      'This sums up more than 10,000 persons: filter further, or ask SQL over persons or events.',
    )
  })

  it('never fails and never shows another project, whatever SQL is sent', async () => {
    const random = new RandomSql(drawn('SQL over HTTP'))
    const seen = new Set<number>()
    for (let i = 0; i < 60; i++) {
      const query = random.query()
      const values = { values_text: 'a' }
      const answer = await ask({ kind: 'HogQLQuery', query, values, variables: { v: { code_name: 'n', value: 2 } } })
      expect([200, 400], `${query}: ${answer.text}`).toContain(answer.status)
      expect(answer.text, query).not.toMatch(/secret|project_id/)
      seen.add(answer.status)
    }
    expect([...seen]).toContain(200)
  })

  it('tells what a person did, session by session', async () => {
    const { id } = (await service.api('persons/?distinct_id=ada')).body.results[0]
    const { status, body, text } = await ask({ kind: 'SessionsTimelineQuery', personId: id })
    expect(status, text).toBe(200)
    const session = body.results.find(({ sessionId }: { sessionId: string }) => sessionId === 's1')
    expect(session.events.map(({ event }: { event: string }) => event).toSorted()).toEqual(['buy', 'pay'])
    expect(session.events[0].properties.shop).toBe('a')
    expect(body.hasMore).toBe(false)
  })

  it('lists persons for older clients, and those that SQL names, with columns that are expressions', async () => {
    const node = await ask({ kind: 'PersonsNode', search: 'ada' })
    expect(node.status, node.text).toBe(200)
    expect(node.body.results[0][0].distinct_ids).toEqual(['ada'])
    const source = { kind: 'HogQLQuery', query: "select person_id from events where event = 'buy' -- all\n" }
    const select = ['person', 'upper(properties.plan)']
    const persons = await ask({ kind: 'ActorsQuery', source, select, limit: 1 })
    expect(persons.status, persons.text).toBe(200)
    expect(persons.body).toMatchObject({ columns: select, hasMore: true, limit: 1 })
    expect(['PRO', 'FREE']).toContain(persons.body.results[0][1])
    const all = await ask({ kind: 'ActorsQuery', select: ['properties.plan', 'length(properties.plan) as n'] })
    expect(all.body.results.toSorted()).toEqual([
      ['free', 4],
      ['pro', 3],
    ])
    expect((await ask({ kind: 'ActorsQuery', select: ['nothing'] })).status).toBe(400)
  })

  it('counts funnels and stickiness by what an expression says', async () => {
    const series = ['buy', 'pay'].map((event) => ({ kind: 'EventsNode', event }))
    const funnel = await ask({
      kind: 'FunnelsQuery',
      series,
      funnelsFilter: { funnelAggregateByHogQL: 'properties.shop' },
    })
    expect(funnel.status, funnel.text).toBe(200)
    expect(funnel.body.results.map(({ count }: { count: number }) => count)).toEqual([2, 1])
    const sticky = await ask({
      kind: 'StickinessQuery',
      series: [{ kind: 'EventsNode', event: 'buy', math: 'hogql', math_hogql: 'properties.shop' }],
    })
    expect(sticky.status, sticky.text).toBe(200)
    expect(sticky.body.results[0].data[0]).toBe(2)
    const wrong = await ask({ kind: 'FunnelsQuery', series, funnelsFilter: { funnelAggregateByHogQL: 'nope(' } })
    expect([wrong.status, wrong.body.attr]).toEqual([400, 'query__funnelsFilter__funnelAggregateByHogQL'])
  })

  it('takes paths of one step, and a day that a chart no longer shows', async () => {
    const paths = await ask({ kind: 'PathsQuery', pathsFilter: { stepLimit: 1 } })
    expect([paths.status, paths.body.results]).toEqual([200, []])
    const source = {
      kind: 'TrendsQuery',
      series: [{ kind: 'EventsNode', event: 'buy' }],
      dateRange: { date_from: '-7d' },
    }
    const day = new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10)
    const people = await ask({
      kind: 'ActorsQuery',
      source: { kind: 'InsightActorsQuery', source, day },
      select: ['id'],
    })
    expect([people.status, people.body.results]).toEqual([200, []])
    // The day on which they were sent, which may be yesterday by now.
    const today = (await service.api('events/?event=buy&limit=1')).body.results[0].timestamp.slice(0, 10)
    const past = { date_from: '-20d', date_to: '-10d' }
    const lifecycle = { ...source, kind: 'LifecycleQuery', dateRange: past }
    const born = { kind: 'InsightActorsQuery', source: lifecycle, day: today, status: 'new' }
    const newcomers = await ask({ kind: 'ActorsQuery', source: born, select: ['id'] })
    expect([newcomers.status, newcomers.body.results.length], newcomers.text).toEqual([200, 2])
    const funnel = {
      kind: 'FunnelsQuery',
      series: ['buy', 'pay'].map((event) => ({ kind: 'EventsNode', event })),
      funnelsFilter: { funnelVizType: 'trends' },
      dateRange: past,
    }
    const through = {
      kind: 'FunnelsActorsQuery',
      source: funnel,
      funnelTrendsEntrancePeriodStart: today,
      funnelTrendsDropOff: false,
    }
    const converted = await ask({ kind: 'ActorsQuery', source: through, select: ['id'] })
    expect([converted.status, converted.body.results.length], converted.text).toEqual([200, 1])
    const wrong = await ask({ kind: 'ActorsQuery', source: { kind: 'InsightActorsQuery', source, day: 'someday' } })
    expect(wrong.status).toBe(400)
  })

  describe('SQL of our own, in a project that has what it asks about', () => {
    let project = 0
    beforeAll(async () => {
      const made = (await service.api('/api/projects/', { body: { name: 'Corpus' } })).body
      project = made.id
      await service.capture(CORPUS_EVENTS, made.api_token)
      const email = (value: string) => ({ properties: [{ key: 'email', type: 'person', operator: 'exact', value }] })
      for (const [name, value] of [
        ['Adas', 'ada@example.com'],
        ['Nobody', 'nobody@example.com'],
      ] as const) {
        const filters = { properties: { type: 'AND', values: [{ type: 'AND', values: email(value).properties }] } }
        expect((await post('cohorts', { name, filters })).status).toBe(201)
      }
      expect((await post('actions', { name: 'Viewed', steps: [{ event: '$pageview' }] })).status).toBe(201)
      const seen = 'select count(), (select count() from persons), (select count() from cohort_people) from events'
      await service.waitFor(async () => `${(await asked(seen)).body.results}` === '4,3,1', 'the events of the corpus')
      await service.stored()
    })

    const post = (what: string, body: object) => service.api(`/api/projects/${project}/${what}/`, { body })
    const asked = (query: string, node: object = {}) => post('query', { query: { kind: 'HogQLQuery', query, ...node } })
    /** Those that answer something else, and what. */
    const different = async (questions: readonly Construct[]): Promise<string[]> => {
      const left = [...questions]
      const found: string[] = []
      const askers = Array.from({ length: AT_ONCE }, async () => {
        for (let next = left.pop(); next; next = left.pop()) {
          const { status, body } = await asked(next.query, next.node)
          const answer = status === 200 ? JSON.stringify(body.results) : `${status} ${body?.detail}`
          if (answer !== JSON.stringify(next.rows)) found.push(`${next.query}: ${answer}`)
        }
      })
      await Promise.all(askers)
      return found
    }

    it('answers what the example of every function says', async () => {
      expect(FUNCTIONS.filter(({ example }) => example === '')).toEqual([])
      expect(await different(FUNCTIONS.map(exampleOf))).toEqual([])
    })

    it('answers every construct of the grammar', async () => expect(await different(CONSTRUCTS)).toEqual([]))

    it('answers every field of every table', async () => {
      const tables: [string, readonly string[]][] = [
        ...Object.entries(TABLE_FIELDS).map(([table, { fields }]): [string, string[]] => [
          table,
          fields.map(([name]) => name),
        ]),
        ...Object.entries(SYSTEM_TABLES).map(([table, columns]): [string, string[]] => [table, Object.keys(columns)]),
        ['sessions', SESSION_COLUMNS],
      ]
      for (const [table, fields] of tables) {
        const { status, text } = await asked(`select ${fields.join(', ')} from ${table}`)
        expect(status, `${table}: ${text}`).toBe(200)
      }
    })
  })
})
