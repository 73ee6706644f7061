/**
 * A query of our own for every construct of docs/SQL.md, with its answer. They are asked over HTTP, of a project that has
 * CORPUS_EVENTS; the tests that hold grammar, documentation and generated SQL together read them too.
 */
import type { FunctionRow } from '../../../src/insights/hogql/functions/row.ts'

export interface Construct {
  readonly query: string
  readonly rows: readonly (readonly unknown[])[]
  /** What else the node says: filters, values, variables. */
  readonly node?: object
}

const event = (event: string, person: string, hour: number, properties: object = {}) => ({
  event,
  distinct_id: person,
  timestamp: `2024-05-09T${String(hour).padStart(2, '0')}:00:00Z`,
  properties,
})

const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:126.0) Gecko/20100101 Firefox/126.0'
const ELEMENTS = 'a.primary:attr_id="buy"href="/pay"nth-child="1"text="Buy";div:text="Box"'
const FROM_SEARCH = { $initial_referring_domain: 'www.google.com', $initial_utm_source: 'google' }

export const CORPUS_EVENTS = [
  event('$pageview', 'ada', 1, {
    plan: 'Pro',
    list: ['x', 'y', 'z'],
    price: 5,
    $session_id: 's1',
    $raw_user_agent: FIREFOX,
    $set: { email: 'ada@example.com' },
    $set_once: FROM_SEARCH,
  }),
  event('buy', 'ada', 2, {
    plan: 'pro',
    price: 7,
    $session_id: 's1',
    $groups: { organization: 'acme' },
    $elements_chain: ELEMENTS,
  }),
  event('$pageview', 'bob', 3, {
    list: [{ a: 1 }, { a: 2 }],
    $session_id: 's2',
    $raw_user_agent: GOOGLEBOT,
    $survey_response: 'first',
    $survey_response_1: 'old',
    $survey_response_q2: 'second',
  }),
  event('buy', 'eve', 5, { plan: 'free', $session_id: 's3' }),
]

const CASES: readonly (readonly [query: string, rows: Construct['rows'], node?: object])[] = [
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
  ["select in(1, (1, 2)), notIn(3, [1, 2]), equals(null, null), left('abc', 1), array(1, 2)", [[1, 1, 1, 'a', [1, 2]]]],
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
  ['with a as (select 1 as x) select x from (select x from a union all select x + 1 from a) order by x', [[1], [2]]],
  ['with a as (select 1 as x) select x from a union all select x from a', [[1], [1]]],
  ['with 5 as five select five union all select five', [[5], [5]]],
  ['with 5 as five select n from (select five as n)', [[5]]],
  // samples
  ['select count() <= 4 from events sample 1/2 offset 1/2', [[1]]],
  ['select count() from events as e sample 1 inner join persons as p on e.person_id = p.id', [[4]]],
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
  // values and conditions
  [
    "select case when 1 > 2 then 'a' when true then 'b' else 'c' end, case 2 when 1 then 'x' when 2 then 'y' end",
    [['b', 'y']],
  ],
  ['select true, FALSE, null, not 0, -5, - -5, 1e3, .5', [[true, false, null, 1, -5, 5, 1000, 0.5]]],
  [
    "select 'it''s', 'a\\'b', '\\n' = char(10), \"event\", `event` from events order by timestamp limit 1",
    [["it's", "a'b", 1, '$pageview', '$pageview']],
  ],
  ["select 'Ab' like 'A%', 'Ab' ilike 'a_', 'Ab' not like 'A%', 'Ab' not ilike 'b%'", [[1, 1, 0, 1]]],
  ['select 1 = 1, 1 == 2, 1 != 2, 1 <> 1, 1 < 2, 2 <= 1, 2 > 1, 1 >= 2', [[1, 0, 1, 0, 1, 0, 1, 0]]],
  ['select 0 or 1 and 0, (0 or 1) and 1, not 1 or 1', [[0, 1, 1]]],
  [
    "select 'abc' =~ '^a', 'abc' ~ 'b$', 'abc' !~ 'b', 'ABC' ~* 'b', 'ABC' =~* '^b', 'ABC' !~* 'b'",
    [[1, 0, 0, 1, 0, 0]],
  ],
  ['select 2 between 1 and 3, 2 not between 1 and 3, null is null, 1 is not null', [[1, 0, 1, 1]]],
  ["select 2 in (1, 2), 'b' not in ('a'), 1 in [1], 3 in (select number from numbers(3))", [[1, 1, 1, 0]]],
  ["select count() from events where event global not in ('buy') and event not in ('x')", [[2]]],
  ['select 7 + 2 * 3 - 4 / 2 % 3, null ?? 5, 1 > 2 ? 3 : 4', [[11, 5, 4]]],
  ["select 'a' || null || 'b', concat('a', null, 1)", [['ab', 'a1']]],
  [
    'select arrayMap(x -> x * 2, [1, 2]), arrayMap((x, y) -> x + y, [1, 2], [3, 4])',
    [
      [
        [2, 4],
        [4, 6],
      ],
    ],
  ],
  [
    "select [1, 2][2], tuple('a', 1).1, ('a', 1).-1, [[1, 2], [3]][1][2], properties['plan'] from events order by timestamp limit 1",
    [[2, 'a', 1, 2, 'Pro']],
  ],
  [
    `select toDate('2024-05-09') + interval 1 day, toDate('2024-05-09') + interval 1 week, toDate('2024-05-09') - interval 2 month,
      toDate('2024-05-09') + interval 1 quarter, toDate('2024-05-09') + interval 1 year,
      dateDiff('second', toDateTime(0), toDateTime(0) + interval 1 hour + interval 1 minute + interval 1 second)`,
    [['2024-05-10', '2024-05-16', '2024-03-09', '2024-08-09', '2025-05-09', 3661]],
  ],
  [
    "select '1'::int, '1'::bool, '2024-05-09'::date, toString('2024-05-09'::timestamp), '1.5'::numeric, 1::text, cast('x' as int), cast('7', 'Int64')",
    [[1, true, '2024-05-09', '2024-05-09 00:00:00.000000', 1.5, '1', null, 7]],
  ],
  [
    "select left('abc', 1), right('abc', 1), any(1), format('{}-{}', 'a', 'b'), like('a', 'b')",
    [['a', 'c', 1, 'a-b', 0]],
  ],
  [
    'select quantile(0.5)(number), sum(distinct number % 2), uniqExactIf(number, number > 1) from numbers(5)',
    [[2, 1, 3]],
  ],
  ["select count() from events where person_id in cohort 'Adas' and person_id not in cohort 'Nobody'", [[2]]],
  // placeholders
  [
    'select {variables.n} + {n}, {text}, {list}, {nothing} is null, {texts}, {floats}, {some}',
    [[3, 'a', [1, 2], 1, ['b', 'c'], [0.5, 2], [1, null]]],
    {
      variables: { any: { code_name: 'n', value: 2 } },
      values: { n: 1, text: 'a', list: [1, 2], nothing: null, texts: ['b', 'c'], floats: [0.5, 2], some: [1, null] },
    },
  ],
  [
    'select count(), {filters.interval()}, toDate({filters.interval(timestamp)}) from events where {filters} group by 3',
    [[3, 'month', '2024-05-01']],
    {
      filters: {
        interval: 'month',
        dateRange: { date_from: '2024-05-09', date_to: '2024-05-09' },
        properties: [{ key: 'plan', type: 'event', operator: 'is_set', value: 'is_set' }],
      },
    },
  ],
  [
    'select count() from events where timestamp >= {filters.dateRange.from} and timestamp < {filters.dateRange.to}',
    [[4]],
    { filters: { dateRange: { date_from: '2024-05-01', date_to: '2024-05-31' } } },
  ],
  [
    'select number from numbers(9) limit {variables.most}',
    [[0], [1]],
    { variables: { any: { code_name: 'most', value: 2 } } },
  ],
  // clauses
  ['select distinct number % 2 as n from numbers(5) order by n; -- the end', [[0], [1]]],
  ['select number % 2 as n, count() as c from numbers(5) group by n having c > 2 /* most */', [[0, 3]]],
  ['select number from numbers(3) where number > 0 order by number asc', [[1], [2]]],
  ['select nullIf(number, 1) as n from numbers(3) order by n desc nulls first', [[null], [2], [0]]],
  ['select nullIf(number, 1) as n from numbers(3) order by n nulls last', [[0], [2], [null]]],
  ['select number from numbers(3) order by number offset 1', [[1], [2]]],
  [
    'select number, x from numbers(2) array join [number, 7] as x order by number, x',
    [
      [0, 0],
      [0, 7],
      [1, 1],
      [1, 7],
    ],
  ],
  [
    'select x, y from numbers(1) inner array join [1, 2] as x, [3, 4] as y',
    [
      [1, 3],
      [2, 4],
    ],
  ],
  // joins
  ['select a.n, b.n from (select 1 as n) as a inner join (select 1 as n) b on a.n = b.n', [[1, 1]]],
  ['select a.n, b.m from (select 1 as n) a right join (select 2 as n, 3 as m) b on a.n = b.n', [[0, 3]]],
  ['select count() from (select 1 as n) a full outer join (select 2 as n) b on a.n = b.n', [[2]]],
  ['select a.number * b.number from numbers(2) a cross join numbers(2) b order by 1', [[0], [0], [0], [1]]],
  ['select a.number + b.number from numbers(2) a, numbers(1) b order by 1', [[0], [1]]],
  ['select n from (select number as n from numbers(4)) a semi left join (select 2 as n) b on a.n = b.n', [[2]]],
  [
    'select n from (select number as n from numbers(3)) a left anti join (select 2 as n) b using (n) order by n',
    [[0], [1]],
  ],
  [
    'select a.t, b.t from (select 1 as k, 5 as t) a asof join (select 1 as k, number as t from numbers(4)) b on a.k = b.k and a.t >= b.t',
    [[5, 3]],
  ],
  ['select all_rows.n from (select 1 as n) all_rows all inner join (select 1 as n) b using n', [[1]]],
  // windows
  [
    'select sum(number) over (order by number range between unbounded preceding and 1 following) from numbers(3) order by number',
    [[1], [3], [3]],
  ],
  // several queries
  ['(select 1 as n union all select 2) intersect select 2', [[2]]],
  ['select n from (select number as n from numbers(3) except select 1) order by n', [[0], [2]]],
  ['select 1 as n except distinct select 2', [[1]]],
  ['select (select max(number) from numbers(3)) + 1, [(select 1)], (with 4 as four select four)', [[3, [1], 4]]],
  [
    'with t (x) as materialized (select 1), u (y, z) as not materialized (select 2, 3) select x + y + z from t, u',
    [[6]],
  ],
  // tables and fields
  [
    "select pdi.distinct_id, pdi.person_id = person_id, pdi.person.properties.email from events where event = 'buy' order by 1",
    [
      ['ada', 1, 'ada@example.com'],
      ['eve', 1, null],
    ],
  ],
  [
    'select pdi.distinct_id, pdi.person.id = id from persons order by 1',
    [
      ['ada', 1],
      ['bob', 1],
      ['eve', 1],
    ],
  ],
  [
    'select distinct_id, person.properties.email, pdi.person.id = person_id from person_distinct_ids order by 1 limit 1',
    [['ada', 'ada@example.com', 1]],
  ],
  [
    'select c.person.properties.email, person.pdi.distinct_id, person.id = person_id from cohort_people c',
    [['ada@example.com', 'ada', 1]],
  ],
  ['select count() from static_cohort_people where person.properties.email is null', [[0]]],
  ['select count(), min(is_deleted), max(version) from raw_persons', [[3, 0, 1]]],
  ['select count() from raw_events', [[4]]],
  ['select count() from raw_person_distinct_ids', [[3]]],
  ['select count() from raw_groups', [[0]]],
  ['select count() from raw_sessions', [[3]]],
  ['select count() from raw_cohort_people', [[1]]],
  ['select count(), argMinMerge(first_url) from raw_session_replay_events', [[0, '']]],
  ['select count() from session_replay_events where click_count > 0 and person.properties.email is null', [[0]]],
  [
    "select elements_chain_href, elements_chain_texts, elements_chain_ids, elements_chain_elements from events where elements_chain != ''",
    [['/pay', ['Buy', 'Box'], ['buy'], ['a']]],
  ],
  [
    "select organization.key, organization.properties.name, $group_0, group_0.key from events where $group_0 != ''",
    [['acme', null, 'acme', 'acme']],
  ],
  [
    'select session_id, $channel_type, $is_bounce, $pageview_count from sessions order by session_id',
    [
      ['s1', 'Unknown', 0, 1],
      ['s2', 'Unknown', 1, 1],
      ['s3', 'Unknown', null, 0],
    ],
  ],
  ["select session.$pageview_count, session.$channel_type from events where distinct_id = 'bob'", [['1', 'Unknown']]],
  ['select name from system.cohorts order by name', [['Adas'], ['Nobody']]],
  ['select name, deleted from system.actions', [['Viewed', false]]],
  ['select count() from system.insights where deleted', [[0]]],
  ['select count() from system.dashboards', [[0]]],
  [
    "select data_type from system.information_schema.columns where table_name = 'events' and column_name = '$virt_is_bot'",
    [['boolean']],
  ],
  ["select count() from information_schema.tables where table_schema = 'posthog' and table_name = 'sessions'", [[1]]],
  [
    `select $virt_is_bot, $virt_bot_name, $virt_bot_operator, $virt_traffic_type, $virt_traffic_category, properties.$virt_is_bot
     from events where event = '$pageview' order by timestamp`,
    [
      [false, '', '', 'Regular', 'regular', false],
      [true, 'Googlebot', 'Google', 'Bot', 'search_crawler', true],
    ],
  ],
  ["select countIf($virt_traffic_category = 'no_user_agent'), countIf($virt_is_bot = true) from events", [[2, 3]]],
  [
    'select count() from events where {filters}',
    [[1]],
    { filters: { properties: [{ key: '$virt_bot_name', type: 'event', operator: 'exact', value: ['Googlebot'] }] } },
  ],
  [
    'select $virt_initial_channel_type, $virt_initial_referring_domain_type, properties.$virt_initial_channel_type from persons where properties.email is not null',
    [['Organic Search', 'Search', 'Organic Search']],
  ],
  [
    'select distinct distinct_id, person.$virt_initial_channel_type, person.properties.$virt_initial_referring_domain_type from events order by 1',
    [
      ['ada', 'Organic Search', 'Search'],
      ['bob', 'Unknown', null],
      ['eve', 'Unknown', null],
    ],
  ],
]

export const CONSTRUCTS: readonly Construct[] = CASES.map(([query, rows, node]) => ({
  query,
  rows,
  ...(node && { node }),
}))

const NUMBERS = 'from (select number as n from numbers(5)) as t'
const FROM: Partial<Record<FunctionRow['family'], string>> = {
  aggregates: NUMBERS,
  windows: `${NUMBERS} order by n`,
  product: "from events where distinct_id = 'bob'",
}

/** The example of a function as a query, and the rows it answers. */
export const exampleOf = ({ family, example, answer }: FunctionRow): Construct => ({
  query: `select ${example} ${FROM[family] ?? ''}`,
  rows: family === 'windows' && Array.isArray(answer) ? answer.map((value) => [value]) : [[answer]],
})
