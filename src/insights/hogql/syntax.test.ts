/** What the grammar knows, construct by construct, and what it says about the rest. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestHouse, type TestHouse, type TestProject } from '../../../test/support/insights/house.ts'
import { hogqlQuerySchema } from '../../contract/queries/index.ts'
import { runSql } from '../kinds/sql/run.ts'

let house: TestHouse
let project: TestProject
beforeAll(async () => {
  house = await openTestHouse()
  project = house.project()
  const event = (event: string, person: string, hour: number, properties: object = {}, sessionId = '') => ({
    event,
    distinctId: person,
    at: `2024-05-09T${String(hour).padStart(2, '0')}:00:00Z`,
    properties: properties as never,
    sessionId,
  })
  await project.seed([
    event('$pageview', 'ada', 1, { plan: 'Pro', list: ['x', 'y', 'z'], price: 5 }, 's1'),
    event('buy', 'ada', 2, { plan: 'pro', price: 7 }, 's1'),
    event('$pageview', 'bob', 3, { list: [{ a: 1 }, { a: 2 }] }, 's2'),
    event('buy', 'eve', 5, { plan: 'free' }, 's3'),
  ])
})
afterAll(() => house?.stop())

const run = (query: string, more: object = {}) =>
  runSql(
    { ...project.context('2024-05-10T12:00:00Z'), propertyTypes: async () => () => null },
    hogqlQuerySchema.parse({ kind: 'HogQLQuery', query, ...more }),
  )
const rows = async (query: string, more: object = {}) => (await run(query, more)).results

describe('SQL understands', () => {
  it.each<[string, unknown[][]]>([
    // spellings of other databases
    ["select count(*) filter (where event = 'buy'), sum(1) filter (where event != 'buy') from events", [[2, 2]]],
    ["select count(distinct distinct_id) filter (where event = 'buy') from events", [[2]]],
    [
      "select extract(hour from timestamp), extract(year from timestamp) from events where event = 'buy' order by 1 limit 1",
      [[2, 2024]],
    ],
    ["select substring('abcdef' from 2 for 3), substring('abc' from 2), position('b' in 'abc')", [['bcd', 'bc', 2]]],
    [
      "select date '2024-05-09', toString(timestamp '2024-05-09 10:00:00')",
      [['2024-05-09', '2024-05-09 10:00:00.000000']],
    ],
    [
      'select distinct on (event) event, distinct_id from events order by event, timestamp',
      [
        ['$pageview', 'ada'],
        ['buy', 'ada'],
      ],
    ],
    [
      "select exists (select 1 from events where event = 'buy'), not exists (select 1 from events where event = 'no')",
      [[1, 1]],
    ],
    [
      'select event, count() from events group by all order by event',
      [
        ['$pageview', 2],
        ['buy', 2],
      ],
    ],
    ['with t (a, b) as (select 1, 2 union all select 3, 4) select sum(a), sum(b) from t', [[4, 6]]],
    ['with t as materialized (select 1 as n), u as not materialized (select 2 as n) select t.n + u.n from t, u', [[3]]],
    [
      'select * except (properties, uuid, person_id, created_at, timestamp, elements_chain, person_mode) from posthog.events order by timestamp limit 1',
      [['$pageview', 'ada']],
    ],
    ['select * exclude b replace (a + 1 as a) from (select 1 as a, 2 as b)', [[2]]],
    ['select +1, current_date > toDate(0), current_timestamp > toDateTime(0)', [[1, 1, 1]]],
    [
      "select count() from events e global left join persons p on p.id = e.person_id where e.event global in ('buy')",
      [[2]],
    ],
    // match operators
    ["select count() from events where properties.plan ~ '^pro'", [[1]]],
    ["select count() from events where properties.plan ~* '^pro'", [[2]]],
    ["select count() from events where properties.plan =~* '^PRO' and event !~ '^b'", [[1]]],
    ["select count() from events where properties.plan !~* 'pro'", [[2]]],
    // operators as functions
    ["select and(1, 1, 1), or(0, 0, 1), not(0), like('abc', 'a%'), ilike('ABC', 'a%')", [[1, 1, 1, 1, 1]]],
    [
      "select in(1, (1, 2)), notIn(3, [1, 2]), equals(null, null), left('abc', 1), array(1, 2)",
      [[1, 1, 1, 'a', [1, 2]]],
    ],
    // windows
    [
      'select number, sum(number) over w from numbers(3) window w as (order by number) order by number',
      [
        [0, 0],
        [1, 1],
        [2, 3],
      ],
    ],
    [
      `select sum(number) over (w rows between 1 preceding and current row), max(number) over (order by number rows unbounded preceding),
        count() over w2 from numbers(3) window w as (order by number), w2 as (partition by number % 2) order by number`,
      [
        [0, 0, 2],
        [1, 1, 1],
        [3, 2, 2],
      ],
    ],
    [
      'select first_value(number) over (order by number rows between 2 following and 3 following) from numbers(3)',
      [[2], [null], [null]],
    ],
    ['select number from numbers(5) qualify row_number() over (order by number desc) <= 2 order by number', [[3], [4]]],
    // parts of tuples and lists
    ["select (1, 'b').2, tuple(1, 2, 3).-1, [(1, 'x'), (2, 'y')][2].2", [['b', 3, 'y']]],
    [
      'select [1, 2, 3, 4][2:3], [1, 2, 3][2:], [1, 2, 3][:2], [1, 2, 3, 4][2:-2], [1, 2, 3][-2:-1]',
      [
        [
          [2, 3],
          [2, 3],
          [1, 2],
          [2, 3],
          [2, 3],
        ],
      ],
    ],
    [
      "select properties.list.1, properties.list[-1], properties.list[2].a from events where event = '$pageview' order by timestamp",
      [
        ['x', 'z', null],
        ['{"a":1}', '{"a":2}', '2'],
      ],
    ],
    // numbers
    ['select count() from numbers(2 * 3)', [[6]]],
    ["select count() from numbers(dateDiff('day', toDate('2024-01-01'), toDate('2024-01-11')))", [[10]]],
    ['select sum(number) from numbers(1 + 1, toInt(3))', [[9]]],
    // an alias inside an expression
    ['select (1 + 2 as three) * 2, three, sum(number as n) + max(n) from numbers(3)', [[6, 3, 5]]],
    // names that are words elsewhere
    ["select 'day' as interval, interval || '!' as final", [['day', 'day!']]],
    ['with final as (select 1 as interval) select final.interval from final', [[1]]],
    ['select 1 as end, 2 as `select`', [[1, 2]]],
    // limits
    ['select number from numbers(10) order by number limit (1 + 1)', [[0], [1]]],
    ['select intDiv(number, 2) as n from numbers(10) order by n limit 1 with ties', [[0], [0]]],
    ['select number from numbers(6) order by number limit 1 offset 1 by number % 2', [[2], [3]]],
    ['select number from numbers(10) order by number limit 2 offset 3', [[3], [4]]],
    ['select number from numbers(10) order by number limit 3, 2', [[3], [4]]],
    // WITH before a union
    ['with a as (select 1 as x) select x from a union all select x + 1 from a order by x', [[1], [2]]],
    ['with 5 as five select five union all select five + 1', [[5], [6]]],
    ['with 5 as five select n from (select five as n)', [[5]]],
    // samples
    ['select count() <= 4 from events sample 1/2 offset 1/2', [[1]]],
    ['select count() from events as e sample 1 inner join persons as p on e.person_id = p.id', [[0]]],
    // trim, cast
    [
      "select trim(both 'x' from 'xxaxx'), trim(leading 'x' from 'xa'), trim(trailing from 'a  '), trim(' b ')",
      [['a', 'a', 'a', 'b']],
    ],
    [
      "select cast('5' as int) + 1, '5'::float, cast(5 as String), cast('2024-05-09' as date), '7'::Nullable(Int64)",
      [[6, 5, '5', '2024-05-09', 7]],
    ],
    // WITH FILL
    ['select number from numbers(3) order by number with fill from 0 to 5', [[0], [1], [2], [3], [4]]],
    ['select number * 2 as n from numbers(2) order by n with fill step 1', [[0], [1], [2]]],
    // ARRAY JOIN, PREWHERE, INTERSECT
    [
      'select number, x from numbers(2) left array join if(number = 0, [], [7]) as x order by number',
      [
        [0, 0],
        [1, 7],
      ],
    ],
    ["select count() from events prewhere event = 'buy' where properties.plan = 'pro'", [[1]]],
    ['select number from numbers(5) intersect distinct select number + 3 from numbers(5) order by number', [[3], [4]]],
    ['select 1 union select 1', [[1]]],
    ['select 1 union distinct select 1', [[1]]],
    // others
    ['select null is distinct from 1, null is not distinct from null, 1 is distinct from 1', [[1, 1, 0]]],
    ['select 1, 2, from numbers(1)', [[1, 2]]],
    [
      "select e.event from events e any left join (select 'buy' as y) b on e.event = b.y where event = 'buy' limit 1",
      [['buy']],
    ],
    ["select count() from events where timestamp > now() - interval '1000000 hours'", [[4]]],
    [
      "select $session_id, $is_bounce from events e left join sessions s on s.session_id = e.$session_id where event = 'buy' and distinct_id = 'eve'",
      [['s3', null]],
    ],
  ])('%s', async (query, expected) => expect(await rows(query)).toEqual(expected))

  it('counts that stand in the request, and the interval of its filters', async () => {
    const variables = { any: { code_name: 'most', value: 2 } }
    expect(await rows('select number from numbers(9) limit {variables.most}', { variables })).toHaveLength(2)
    const filters = { interval: 'month' }
    expect(await rows("select {filters.interval()}, {filters.interval(toDate('2024-05-09'))}", { filters })).toEqual([
      ['month', expect.stringContaining('2024-05-01')],
    ])
  })
})

describe('a query without a limit', () => {
  const page = { hasMore: true, limit: 100, offset: 0 }

  it('answers a hundred rows of each part of a union, and says that there were more', async () => {
    const all = await run('select number from numbers(150) union all select number from numbers(3)')
    expect([all.results.length, all.page]).toEqual([103, page])
    const distinct = await run('select number from numbers(150) union distinct select 7')
    expect([distinct.results.length, distinct.columns, distinct.page]).toEqual([100, ['number'], page])
    expect(distinct.results[0]).toHaveLength(1)
    const few = await run('select 1 as x union all select 2')
    expect([few.results, few.page]).toEqual([[[1], [2]], { ...page, hasMore: false }])
  })

  it('takes the limit of a part where it has one', async () => {
    const mixed = await run('select number from numbers(150) limit 120 union all select number from numbers(150)')
    expect([mixed.results.length, mixed.page?.hasMore]).toEqual([220, true])
    const own = await run('select number from numbers(150) limit 120 union all select 1 limit 1')
    expect([own.results.length, own.page]).toEqual([121, null])
  })

  it('compares whole answers, and shows the first hundred', async () => {
    const both = await run('select number from numbers(500) intersect select number from numbers(300, 150)')
    expect([both.results.length, both.page]).toEqual([100, page])
  })
})

describe('a mistake', () => {
  it.each([
    ['select 1\nfrom events\nwhere and 1', 'Expected a name at line 3, column 7, found "and".'],
    ['select (1', 'The query ends where ")" was expected.'],
    ['select 1 §', 'Unexpected "§" at line 1, column 10.'],
    ["select\n  'abc", 'The quote at line 2, column 3 is never closed.'],
    ['select evnt from events', 'Unable to resolve field: evnt. Did you mean "event"? (line 1, column 8)'],
    ['select e.evnet from events e', 'Unable to resolve field: e.evnet. Did you mean "event"? (line 1, column 8)'],
    [
      'select\n cuont() from events',
      'There is no function "cuont" that queries may use. Did you mean "count"? (line 2, column 2)',
    ],
    ['select toStartOfDayy(now())', 'Did you mean "toStartOfDay"?'],
    ['select 1 from evens', 'Did you mean "events"? (line 1, column 15)'],
    ['with persns as (select 1) select 1 from persns2', 'Did you mean "persns"?'],
    ['select count() over w from events', 'There is no window "w" in WINDOW.'],
    ['select 1 limit x', 'LIMIT takes a whole number'],
    ['select 1 limit -1', 'LIMIT takes a whole number'],
    ['select x::nonsense from events', 'Values cannot be cast to "nonsense". (line 1, column 11)'],
    ['select sum(number) over (rows between 1 and 2) from numbers(1)', 'Expected PRECEDING or FOLLOWING'],
    ["select 'a' ~* lower('A')", 'The pattern after =~* is a plain text'],
    ['select * from numbers(2000000)', 'numbers() counts to 1000000 at most.'],
  ])('%s', async (query, words) => expect(run(query)).rejects.toThrow(words))

  it('in a count that only the engine knows is refused there', async () => {
    await expect(run('select count() from numbers(toInt(2000000))')).rejects.toMatchObject({ name: 'InvalidQuery' })
    await expect(run('select count() from numbers(number)')).rejects.toThrow('Unable to resolve field: number')
  })
})
