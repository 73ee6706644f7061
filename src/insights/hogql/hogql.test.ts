import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine, type TestProject } from '../../../test/support/insights/test-engine.ts'
import { hogqlQuerySchema } from '../../contract/queries/index.ts'
import type { JsonObject } from '../../lib/json.ts'
import { runSql } from '../kinds/sql/run.ts'
import { draftSql, starterSql } from './draft.ts'

const NOW = '2024-05-10T12:00:00Z'

describe('SQL over a project', () => {
  let engine: TestEngine
  let mine: TestProject
  let other: TestProject
  beforeAll(async () => {
    engine = await openTestEngine()
    mine = engine.project()
    other = engine.project()
    const event = (name: string, person: string, at: string, { $session_id = '', ...properties }: JsonObject = {}) => ({
      event: name,
      distinctId: person,
      at,
      properties,
      sessionId: String($session_id),
    })
    await mine.seed([
      event('$pageview', 'ada', '2024-05-08T23:30:00Z', {
        $browser: 'Chrome',
        $current_url: 'https://x.com/a?q=1',
        price: 10,
        'odd key': 'yes',
        nested: { deep: { value: 7 } },
        $session_id: 's1',
      }),
      event('$pageview', 'bob', '2024-05-09T10:00:00Z', { $browser: 'Safari', price: 2.5, $session_id: 's2' }),
      event('buy', 'ada', '2024-05-09T11:00:00Z', { price: 100, items: ['a', 'b'] }),
    ])
    await other.seed([event('secret', 'eve', '2024-05-09T11:00:00Z', { password: 'hunter2' })])
  })
  afterAll(() => engine?.stop())

  const run = (query: string, more: object = {}, timezone = 'UTC') =>
    runSql(
      {
        ...mine.context(NOW, { timezone }),
        propertyTypes: async () => (_, key) => (key === 'price' ? 'Numeric' : null),
      },
      hogqlQuerySchema.parse({ kind: 'HogQLQuery', query, ...more }),
    )
  const rows = async (query: string, more: object = {}, timezone?: string) => (await run(query, more, timezone)).results

  it.each<[string, unknown[][]]>([
    [
      'select event, count() from events group by event order by count() desc limit 20',
      [
        ['$pageview', 2],
        ['buy', 1],
      ],
    ],
    [
      'SELECT event, count() AS n FROM events GROUP BY 1 ORDER BY n DESC, event',
      [
        ['$pageview', 2],
        ['buy', 1],
      ],
    ],
    [
      'select properties.$browser, count() from events group by 1 order by 1',
      [
        ['Chrome', 1],
        ['Safari', 1],
        [null, 1],
      ],
    ],
    [
      "select properties['odd key'], properties.nested.deep.value from events where event = '$pageview' order by timestamp",
      [
        ['yes', '7'],
        [null, null],
      ],
    ],
    ['select sum(properties.price), max(properties.price) from events', [[112.5, 100]]],
    ["select count() from events where properties.price > 5 and properties.$browser ilike '%CHROM%'", [[1]]],
    ["select count() from events where timestamp > '2024-05-09' and event in ('buy', 'x')", [[1]]],
    ["select count() from events where timestamp >= toDateTime('2024-05-09T10:00:00Z')", [[2]]],
    ["select count(distinct person_id), uniq(distinct_id) from events as e where e.event != 'nothing'", [[2, 2]]],
    ['select quantile(0.5)(properties.price), median(properties.price) from events', [[10, 10]]],
    [
      "select if(event = 'buy', 'B', 'P') as kind, countIf(properties.price > 3) from events group by kind order by kind",
      [
        ['B', 1],
        ['P', 1],
      ],
    ],
    [
      "select case when event = 'buy' then 1 else 0 end as b, count() from events group by b order by b",
      [
        [0, 2],
        [1, 1],
      ],
    ],
    ['select arrayMap(x -> x * 2, [1, 2, 3]), [10, 20][1], 5 % 3, 1 + 2 * 3', [[[2, 4, 6], 10, 2, 7]]],
    ['select count() from (select distinct distinct_id from events) as people', [[2]]],
    ['with big as (select event from events where properties.price > 50) select count() from big', [[1]]],
    ['with 2 as two select two + two', [[4]]],
    [
      "select a.event from events a join (select distinct_id as d from events where event = 'buy') b on a.distinct_id = b.d where a.event = '$pageview'",
      [['$pageview']],
    ],
    [
      'select event, row_number() over (partition by event order by timestamp) as n from events order by event, n limit 3',
      [
        ['$pageview', 1],
        ['$pageview', 2],
        ['buy', 1],
      ],
    ],
    ['select event from events order by timestamp limit 1 by event', [['$pageview'], ['buy']]],
    ['select x from (select 1 as x union all select 2 as x) order by x', [[1], [2]]],
    ['select number from numbers(3) order by number desc', [[2], [1], [0]]],
    ['select sum(n.number) from numbers(5, 2) as n', [[11]]],
    ['select count() from events sample 1', [[3]]],
    ['select count() <= 3 from events as e sample 1/10', [[1]]],
    ['select distinct_id from person_distinct_ids order by distinct_id', [['ada'], ['bob']]],
    ['select count() from static_cohort_people', [[0]]],
    [
      'select domain(properties.$current_url), path(properties.$current_url) from events where properties.$current_url is not null',
      [['x.com', '/a']],
    ],
    ["select count() from events where event not like '$%' or event =~ '^zzz'", [[1]]],
    ["select properties.$browser ?? 'none' as b from events where event = 'buy' -- a comment", [['none']]],
    ["select event from events where event between 'a' and 'c' /* another */", [['buy']]],
    [
      'select session_id, $entry_current_url, $pageview_count from sessions order by session_id',
      [
        ['s1', 'https://x.com/a?q=1', 1],
        ['s2', null, 1],
      ],
    ],
    ["select dateDiff('hour', min(timestamp), max(timestamp)) as h from events having h > 1", [[12]]],
    ["select toDate(dateAdd('day', 1, toDateTime('2024-05-09 00:00:00')))", [['2024-05-10']]],
    ['select person.properties.email, count() from events group by person.properties.email', [[null, 3]]],
    ["select 'it''s', 'a\\\\b', 'tab\\t'", [["it's", 'a\\b', 'tab\t']]],
  ])('answers %s', async (query, expected) => expect(await rows(query)).toEqual(expected))

  it('names columns and types as they were written', async () => {
    const { columns, types, page } = await run(
      'select event, count(), properties.$browser, uniq(person_id) as people from events group by 1, 3',
    )
    expect(columns).toEqual(['event', 'count()', '$browser', 'people'])
    expect(types[0]).toEqual(['event', 'String'])
    expect(page).toEqual({ hasMore: false, limit: 100, offset: 0 })
  })

  it('shows the plain columns for *', async () => {
    const { columns, results } = await run("select * from events where event = 'buy'")
    expect(columns).toEqual([
      'uuid',
      'event',
      'properties',
      'timestamp',
      'distinct_id',
      'elements_chain',
      'created_at',
      'person_mode',
      'person_id',
    ])
    expect(results[0]?.[2]).toContain('"items":["a","b"]')
  })

  it('answers a hundred rows unless told otherwise, and says that there are more', async () => {
    const { results, page } = await run('select number_ from (select arrayJoin(range(150)) as number_) as n')
    expect([results.length, page]).toEqual([100, { hasMore: true, limit: 100, offset: 0 }])
    expect(await rows('select arrayJoin(range(150)) as n limit 120')).toHaveLength(120)
  })

  it('reads times in the zone of the project', async () => {
    const query = 'select toString(toDate(timestamp)) as day, count() from events group by day order by day'
    expect(await rows(query)).toEqual([
      ['2024-05-08', 1],
      ['2024-05-09', 2],
    ])
    expect(await rows(query, {}, 'Europe/Berlin')).toEqual([['2024-05-09', 3]])
  })

  it.each([
    ["toDateTime('2024-05-09 10:00:00')", '2024-05-09 10:00:00', 1715263200],
    ['toDateTime(1715263200)', '2024-05-09 10:00:00', 1715263200],
    ['to_timestamp(1715263200)', '2024-05-09 10:00:00', 1715263200],
    ['fromUnixTimestamp(1715263200)', '2024-05-09 10:00:00', 1715263200],
    ['fromUnixTimestamp64Milli(toInt64(1715263200000))', '2024-05-09 10:00:00', 1715263200],
    ['fromUnixTimestamp64Micro(toInt64(1715263200000000))', '2024-05-09 10:00:00', 1715263200],
    ["fromUnixTimestamp64Micro(toInt64(1715263200000000), 'UTC')", '2024-05-09 14:00:00', 1715263200],
    ["parseDateTimeBestEffort('2024-05-09 10:00')", '2024-05-09 10:00:00', 1715263200],
    ["parseDateTime64BestEffort('2024-05-09 10:00')", '2024-05-09 10:00:00', 1715263200],
    ["parseDateTime('09/05/2024 10', '%d/%m/%Y %H')", '2024-05-09 10:00:00', 1715263200],
    ['makeDateTime(2024, 5, 9, 10, 0, 0)', '2024-05-09 10:00:00', 1715263200],
    // Another zone shows a moment otherwise, and a text in it is another moment.
    ['toDateTime(makeDateTime(2024, 5, 9, 10, 0, 0))', '2024-05-09 10:00:00', 1715263200],
    ["toDateTime(makeDateTime(2024, 5, 9, 10, 0, 0), 'UTC')", '2024-05-09 14:00:00', 1715263200],
    ["toDateTime64(makeDateTime(2024, 5, 9, 10, 0, 0), 3, 'UTC')", '2024-05-09 14:00:00', 1715263200],
    ["toDateTime(concat('2024-05-09', ' 14:00:00'), 'UTC')", '2024-05-09 14:00:00', 1715263200],
    // The clock shows this hour twice.
    ['toDateTime(fromUnixTimestamp(1730611800))', '2024-11-03 01:30:00', 1730611800],
    ['toDateTime(fromUnixTimestamp(1730615400))', '2024-11-03 01:30:00', 1730615400],
    ["toDateTime(toDate('2024-05-09'))", '2024-05-09 00:00:00', 1715227200],
  ])('%s is %s on the clock of New York', async (time, clock, seconds) => {
    const query = `select substring(toString(${time}), 1, 19), toUnixTimestamp(${time})`
    expect(await rows(query, {}, 'America/New_York')).toEqual([[clock, seconds]])
  })

  it('makes a time of a value that is several rows, and refuses one that is written too often', async () => {
    expect(
      await rows("select toString(toDate(toDateTime(arrayJoin(['2024-05-08', '2024-05-09'])))) as day order by day"),
    ).toEqual([['2024-05-08'], ['2024-05-09']])
    const nested = Array.from({ length: 40 }).reduce<string>((inner) => `toDateTime(${inner})`, 'timestamp')
    await expect(run(`select ${nested} from events`)).rejects.toThrow('becomes too long')
  })

  it('fills placeholders', async () => {
    const count = 'select count() from events where {filters}'
    expect(await rows(count)).toEqual([[3]])
    expect(await rows(count, { filters: { dateRange: { date_from: '2024-05-09', date_to: '2024-05-09' } } })).toEqual([
      [2],
    ])
    expect(
      await rows(count, { filters: { properties: [{ key: '$browser', value: 'Safari', type: 'event' }] } }),
    ).toEqual([[1]])
    expect(
      await rows('select count() from events where event = {name}', { values: { name: "buy' OR 1=1 --" } }),
    ).toEqual([[0]])
    expect(
      await rows('select count() from events where event in {names}', { values: { names: ['buy', '$pageview'] } }),
    ).toEqual([[3]])
    expect(await rows('select {variables.n} + 1', { variables: { any: { code_name: 'n', value: 2 } } })).toEqual([[3]])
    await expect(run('select {nothing}')).rejects.toThrow('Nothing was given for {nothing}')
    await expect(run('select 1 where {filters}')).rejects.toThrow('needs a table')
  })

  it.each([
    'select * from system.tables',
    'select * from system.one',
    'select * from persons_of_somebody_else',
    "select * from file('/etc/passwd', 'LineAsString')",
    "select * from url('http://127.0.0.1/', 'LineAsString')",
    "select * from remote('127.0.0.1', 'footfall', 'events')",
    'select * from numbers(1e9)',
    'select * from numbers(1000000000000)',
    'select * from numbers((select 1))',
    'select * from zeros(10)',
    'select 1 from persons sample 1',
    'select 1 from events sample 2',
    'select 1 from events sample (select 1)',
    "select * from merge(currentDatabase(), '.*')",
    'select * from footfall.events',
    'select * from `events` final',
    "select file('/etc/passwd')",
    "select dictGet('d', 'a', 1)",
    "select joinGet('events', 'event', 1)",
    'select currentUser(), hostName(), version()',
    "select getSetting('max_threads')",
    'select sleep(3)',
    'select project_id from events',
    'select e.project_id from events e',
    'select t0.project_id from events',
    'select 1 from events where project_id = 2',
    'select e.props from events',
    'insert into events select * from events',
    'select 1; drop table events',
    'drop table events',
    'select 1 settings readonly = 0',
    'select 1 settings max_execution_time = 0',
    'select 1 format JSON',
    "select 1 into outfile '/tmp/x'",
    'select 1 limit 1 settings readonly=0',
    'with x as (select * from system.tables) select * from x',
    'select (select count() from system.tables)',
    'select 1 where 1 in (select 1 from system.one)',
    'select 1 where 1 in system.one',
    'select 1 union all select count() from system.tables',
    'select * from (select * from system.tables)',
    "select columns('.*') from events",
    'select event, * except(project_id) from events',
    'select * replace (system.tables as event) from events',
    'select exists (select 1 from system.tables)',
    'select count() filter (where 1 in (select 1 from system.one)) from events',
    'select distinct on (project_id) event from events',
    'with t (a) as (select name from system.tables) select a from t',
    'with t as materialized (select name from system.tables) select name from t',
    'select extract(epoch from project_id) from events',
    'select substring(project_id from 1 for 2) from events',
    'select event from posthog.system.tables',
    'select event from posthog.project_id',
    'select 1 from events global join system.tables as t on 1',
    'select 1 where 1 global in system.one',
    "select date 'x' + project_id from events",
    'select event, count() from events group by all settings readonly = 0',
    'select {p0:String}',
    'select 1 from events array join system.tables',
    'select 1 from events join system.tables on 1',
    'select x from x',
    'with a as b, b as a select a',
    `select ${'-'.repeat(3)}`,
    "select 'unclosed",
    'select "unclosed',
    'select /* unclosed',
    'select \u0000',
    'select 1 as `u_x`, e.u_x from events e',
    'select cluster(1)',
    'select evalMLMethod(1)',
    "select arrayMap(x -> file(x), ['/etc/passwd'])",
    'select 0x10',
    '',
    'with recursive x as (select 1) select * from x',
    'explain select 1',
    // What newer constructs could be used for.
    'select count() over (rows between project_id preceding and current row) from events',
    'select count() over w from events window w as (order by e.project_id)',
    'select count() over (t0 rows current row) from events window w as (order by 1)',
    'select 1 from events window `w) settings readonly = 0 --` as (order by project_id)',
    'select 1 from numbers((select count() from system.tables))',
    "select 1 from numbers(file('/etc/passwd'))",
    'select 1 from numbers(length(event))',
    'select 1 from numbers(1, 2, 3)',
    'select 1 limit (select 1)',
    'select 1 limit 1 with ties settings readonly = 0',
    'select 1 limit 1e30',
    'select 1 limit {p0:UInt64}',
    'select 1 order by 1 with fill from (select count() from system.tables)',
    'select 1 order by 1 with fill to project_id',
    'select (event as project_id).1 from events where t0.project_id = 2',
    'select cast(event as AggregateFunction) from events',
    'select event::`String) FROM system.tables --` from events',
    'select trim(both project_id from event) from events',
    'select event from events prewhere project_id = 2',
    'select event from events qualify project_id = 2',
    'select event from events sample 1 offset (select 1)',
    'select 1 from events left array join e.props',
    'with a as (select 1) select 1 union all select * from system.a',
    "select properties.list[file('/etc/passwd')] from events",
    'select {filters.interval(project_id)} from events',
    "select [1, 2][1:file('/etc/passwd')]",
    "select cast(event, 'AggregateFunction(sum, Int64)') from events",
    "select cast(event, 'String) FROM system.tables --') from events",
    "select cast(1, (select 'Int64'))",
    'select 1 where 1 global not in system.one',
    'with t (a) as materialized (select name from system.tables) select a from t',
    'with t (a) as not materialized (select e.project_id from events) select a from t',
    'select now() + interval case when 1 then project_id end day from events',
    'select $virt_is_bot.project_id from events',
    'select properties.$virt_is_bot.project_id.x::nothing from events',
    'select pdi.project_id from person_distinct_ids',
    'select pdi.props from events',
    'select person.props from cohort_people',
    'select first_url from raw_session_replay_events',
  ])('refuses %s', async (query) => {
    await expect(run(query)).rejects.toMatchObject({ name: 'InvalidQuery' })
  })

  it('takes odd names for what they are', async () =>
    expect(await run('select "a`b".event as "x\'); --" from events as "a`b" limit 1')).toMatchObject({
      columns: ["x'); --"],
      results: [['$pageview']],
    }))

  it.each([`${'('.repeat(500)}1${')'.repeat(500)}`, `${'not '.repeat(500)}1`, `${'['.repeat(500)}`])(
    'does not follow nesting without end',
    async (deep) => await expect(run(`select ${deep}`)).rejects.toThrow('nested too deeply'),
  )

  it('never shows another project, whatever is joined or united', async () => {
    for (const query of [
      'select event, properties from events',
      'select event, properties from events union all select event, properties from events',
      'select a.event, b.properties from events a cross join events b',
      'select id, properties from persons',
      'select key, properties from groups',
      'select * from sessions',
      "select event from events where 1 = 1 or event = 'secret'",
      'select groupArray(properties) from events',
    ])
      expect(JSON.stringify(await rows(query))).not.toMatch(/secret|hunter2/)
  })

  it('answers from its own project or refuses with words, whatever pieces a query is put together from', async () => {
    const pieces = fc.constantFrom(
      ...'select|from|where|and|or|not|in|union all|with|as|group by|order by|limit 5|distinct|(|)|,|*|.|=|+|[|]|{|}|;|--|/*|*/'.split(
        '|',
      ),
      ...'events|persons|groups|sessions|system.tables|footfall.events|event_uuids|e|t0|1|null|true|-1|1e9'.split('|'),
      ...'event|properties|properties.password|project_id|e.project_id|person.properties|person_id|distinct_id|elements_chain'.split(
        '|',
      ),
      ..."'secret'|'hunter2'|'/etc/passwd'|'\\''|\"events\"|`events`|`e`.`project_id`|{p0:String}|{p0}".split('|'),
      ...'count()|groupArray(properties)|toString(*)|file(|url(|remote(|numbers(|dictGet(|arrayReduce(|any(|tuple(|untuple(|x ->'.split(
        '|',
      ),
      ...'settings readonly=0|format JSON|into outfile|final|prewhere 1|sample 1|array join|cross join events b|over ()'.split(
        '|',
      ),
    )
    const valid = fc.constantFrom(
      'select event from events',
      'select properties from events where 1 = 1',
      'select * from persons',
      'select groupArray(properties) from events',
    )
    const query = fc
      .tuple(fc.option(valid, { freq: 3 }), fc.array(pieces, { maxLength: 14 }), fc.array(pieces, { maxLength: 4 }))
      .map(([start, middle, end]) => [start ?? 'select', ...middle, ...end].join(' '))
    let answered = 0
    const ask = async (text: string) => {
      const answer = await run(text).catch((error: Error) => {
        expect(error.name, `${text}: ${error}`).toBe('InvalidQuery')
        return null
      })
      if (answer) answered++
      // What a query itself says may come back.
      const unsaid = text.replaceAll(/'(?:secret|hunter2)'/g, '') === text
      if (answer && unsaid) expect(JSON.stringify(answer.results), text).not.toMatch(/secret|hunter2/)
    }
    await fc.assert(fc.asyncProperty(query, ask), { numRuns: 1_000 })
    expect(answered).toBeGreaterThan(10)
  })

  it('gives up on what takes too much', async () => {
    await expect(run('select arrayJoin(range(10000000)) as x limit 50000 offset 1')).resolves.toBeDefined()
    await expect(run('select sum(length(arrayMap(x -> toString(x), range(100000000))))')).rejects.toThrow()
  })

  it('explains in the words of the query what is wrong', async () => {
    await expect(run('select nme from events')).rejects.toThrow('Unable to resolve field: nme')
    await expect(run('select evnt(1)')).rejects.toThrow('There is no function "evnt"')
    await expect(run('select 1 from event')).rejects.toThrow(
      'Unknown table "event". There are events, persons, person_distinct_ids, groups, sessions, ',
    )
    await expect(run('select 1 +')).rejects.toThrow('The query ends where a name was expected.')
    await expect(run("select toStartOfDay('x')")).rejects.toMatchObject({ path: ['query'] })
  })

  it('takes its own drafts', async () => {
    const names = { events: ['$pageview', 'buy'], eventProperties: ['$browser', 'odd key'], personProperties: ['plan'] }
    expect(await rows(starterSql(names))).toEqual([])
    for (const prompt of [
      'unique users per day',
      'top 5 browser last 3 weeks',
      'page views by plan',
      'buys by odd key',
      "'; DROP TABLE",
      '',
    ]) {
      const sql = draftSql(prompt, names)
      await expect(rows(sql), sql).resolves.toBeDefined()
    }
    expect(draftSql('page views per day last 7 days', names)).toContain("event = '$pageview'")
  })
})
