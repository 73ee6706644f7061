/** Queries as random trees of the grammar: most mean something, some do not, all from the numbers that are drawn. */
type Type = 'number' | 'text' | 'condition' | 'time' | 'list'

interface Table {
  readonly from: string
  readonly fields: Readonly<Record<Type, readonly string[]>>
}

const NOTHING = { number: [], text: [], condition: [], time: [], list: [] }

const TABLES: readonly Table[] = [
  {
    from: 'events',
    fields: {
      number: ['properties.price', 'toInt(properties.price)', 'length(event)'],
      text: ['event', 'distinct_id', 'properties.plan', 'properties.list.1', 'person.properties.email', '$session_id'],
      condition: ["event = '$pageview'", 'properties.flag = true'],
      time: ['timestamp', 'created_at'],
      list: ["splitByChar(',', distinct_id)"],
    },
  },
  {
    from: 'persons',
    fields: {
      ...NOTHING,
      text: ['toString(id)', 'properties.email'],
      condition: ['is_identified = 1'],
      time: ['created_at'],
    },
  },
  {
    from: 'sessions',
    fields: {
      ...NOTHING,
      number: ['$pageview_count', '$session_duration'],
      text: ['session_id', '$entry_current_url'],
      condition: ['$is_bounce'],
      time: ['$start_timestamp'],
    },
  },
  { from: 'groups', fields: { ...NOTHING, number: ['index'], text: ['key', 'properties.name'], time: ['created_at'] } },
  { from: 'person_distinct_ids', fields: { ...NOTHING, text: ['distinct_id', 'toString(person_id)'] } },
  { from: 'session_replay_events', fields: { ...NOTHING, text: ['session_id', 'distinct_id'] } },
  { from: 'cohort_people', fields: { ...NOTHING, number: ['cohort_id'], text: ['toString(person_id)'] } },
  { from: 'numbers(20)', fields: { ...NOTHING, number: ['number'] } },
  { from: 'numbers(1 + 1, 9)', fields: { ...NOTHING, number: ['number'] } },
]

const TYPES: readonly Type[] = ['number', 'text', 'condition', 'time', 'list']
const DEEPEST = 3

/** Templates: N, T, C, M and L stand for a number, a text, a condition, a time and a list. */
const TEMPLATES: Readonly<Record<Type, readonly string[]>> = {
  number: [
    '(N + N)',
    '(N - N)',
    '(N * N)',
    '(N / 3)',
    '(-N)',
    'if(C, N, N)',
    'length(T)',
    'ifNull(N, 0)',
    '(N ?? 1)',
    '(C ? N : N)',
    'case when C then N else N end',
    'case N when 1 then N when 2 then N end',
    'toHour(M)',
    "dateDiff('hour', M, M)",
    'round(N, 2)',
    'arraySum(arrayMap(x -> x + N, L))',
    'L[1]',
    '(N, T).1',
    'tuple(T, N).-1',
    'cast(T as int)',
    'T::float',
    'position(T, T)',
    'greatest(N, N)',
    'nullIf(N, N)',
    '{variables.n}',
    'extract(hour from M)',
    '(+N)',
    'toFloatOrZero(T)',
    'toIntOrDefault(T, 7)',
    'nvl(N, 1)',
  ],
  text: [
    'concat(T, T)',
    '(T || T)',
    'lower(T)',
    'substring(T, 1, 3)',
    "trim(both 'a' from T)",
    "coalesce(T, 'none')",
    'toString(N)',
    'if(C, T, null)',
    "replaceAll(T, 'a', T)",
    "multiIf(C, T, C, T, 'x')",
    '(T as inner_text)',
    'left(T, 2)',
    'substring(T from 1 for 2)',
    "ifNull(hogql_lookupDomainType(T), 'none')",
    "splitByChar('a', T)[1]",
    "formatDateTime(M, '%Y')",
    '{values_text}',
  ],
  condition: [
    '(N = N)',
    '(N != N)',
    '(T < T)',
    '(N >= N)',
    '(T = null)',
    '(C and C)',
    '(C or C)',
    '(not C)',
    'and(C, C)',
    'or(C, C, C)',
    "(T like '%a%')",
    "(T not ilike 'a_')",
    "(T ~ '^a')",
    "(T !~* 'B')",
    "(T =~ '[0-9]+')",
    "in(T, ('a', 'b', null))",
    '(N not in (1, 2, N))',
    '(N between N and N)',
    '(N not between 1 and N)',
    '(T is null)',
    '(T is not null)',
    '(N is distinct from N)',
    'has(L, N)',
    "exists (select 1 from events where event = 'buy')",
    '(T global in (select distinct_id from persons limit 1))',
    '(M > now() - interval 30 day)',
    'equals(T, T)',
    'notEquals(N, null)',
    "(T in (select 'a' union all select T2))",
  ],
  time: [
    'toStartOfDay(M)',
    '(M - interval N hour)',
    "toDateTime('2024-05-09 10:00:00')",
    'now()',
    'current_timestamp',
    "timestamp '2024-05-09 10:00:00'",
    "dateAdd('day', N, M)",
  ],
  list: [
    '[N, N, N]',
    'range(5)',
    'arrayFilter(x -> x > N, L)',
    'L[1:2]',
    'arraySort(L)',
    'arrayConcat(L, L)',
    'array(N)',
  ],
}

const LITERALS: Readonly<Record<Type, readonly string[]>> = {
  number: ['0', '1', '2.5', '-3', '100', 'null'],
  text: ["''", "'a'", "'pro'", "'it''s'", "'\\\\'", 'null'],
  condition: ['true', 'false', '1', 'null'],
  time: ["toDateTime('2024-05-09')", 'now()'],
  list: ['[1, 2, 3]', '[]'],
}

const LETTERS: Readonly<Record<string, Type>> = { N: 'number', T: 'text', C: 'condition', M: 'time', L: 'list' }

const AGGREGATES = [
  'count()',
  'count(T)',
  'count(distinct T)',
  'countIf(C)',
  'sum(N)',
  'sumIf(N, C)',
  'avg(N)',
  'min(M)',
  'max(T)',
  'uniq(T)',
  'any(T)',
  'argMax(T, N)',
  'groupArray(T)',
  'quantile(0.9)(N)',
  'topK(3)(T)',
  'sum(N) filter (where C)',
  'count(distinct T) filter (where C)',
  'groupUniqArrayIf(T, C)',
  'array_agg(N)',
  "string_agg(T, ',')",
]

const WINDOWS = [
  'row_number() over (order by N)',
  'sum(N) over (partition by T order by N rows between 1 preceding and current row)',
  'lag(T) over (order by N)',
  'lead(N, 1, 5) over (partition by C order by N)',
  'count() over w',
  'max(N) over (w rows unbounded preceding)',
  'first_value(N) over (order by N rows between 1 following and 2 following)',
]

export class RandomSql {
  readonly #draw: () => number

  constructor(draw: () => number) {
    this.#draw = draw
  }

  query(depth = 0): string {
    const select = this.#select(depth)
    if (depth > 1 || !this.#chance(0.2)) return select
    const operator = this.#one(['union all', 'union distinct', 'union', 'intersect', 'intersect distinct', 'except'])
    return `${select} ${operator} ${this.#select(depth)}`
  }

  #select(depth: number): string {
    const inner = depth < 2 && this.#chance(0.25)
    const { from, fields } = inner ? this.#subquery(depth) : this.#table()
    const write = (template: string) => this.#fill(template, fields, 0)
    const value = () => this.#value(this.#one(TYPES), fields, 0)
    const condition = () => this.#value('condition', fields, 0)
    const grouped = this.#chance(0.3)
    const windowed = !grouped && this.#chance(0.2)
    const keys = Array.from({ length: 1 + this.#upTo(2) }, value)
    const items = grouped ? [...keys, write(this.#one(AGGREGATES))] : keys
    if (windowed) items.push(write(this.#one(WINDOWS)))
    const named = items.map((item, i) => (this.#chance(0.6) ? `${item} as c${i}` : item))
    const parts = [
      this.#chance(0.15) ? `with ${write('N')} as given, t (x) as ${this.#one(['', 'materialized '])}(select 1) ` : '',
      `select ${this.#chance(0.1) ? this.#one(['distinct ', `distinct on (${keys[0]}) `]) : ''}${named.join(', ')}${this.#chance(0.05) ? ',' : ''}`,
      ` from ${from}`,
      this.#chance(0.1) && !inner ? ` ${this.#join(depth)}` : '',
      this.#chance(0.1)
        ? ` ${this.#one(['array join', 'left array join'])} ${this.#value('list', fields, 1)} as item`
        : '',
      this.#chance(0.08) ? ` prewhere ${condition()}` : '',
      this.#chance(0.5) ? ` where ${condition()}` : '',
      grouped ? ` group by ${this.#one([keys.join(', '), keys.map((_, i) => i + 1).join(', '), 'all'])}` : '',
      grouped && this.#chance(0.3) ? ` having ${write('count() > N')}` : '',
      windowed ? ` window w as (${write('partition by T order by N')})` : '',
      windowed && this.#chance(0.3) ? ' qualify row_number() over w < 3' : '',
      this.#orderBy(fields, grouped),
      this.#limit(fields),
    ]
    return parts.join('')
  }

  #subquery(depth: number): Table {
    const fields = { ...NOTHING, number: ['s.a', 'a'], text: ['s.b', 'b'] }
    const { from, fields: inside } = this.#table()
    const [a, b] = [this.#value('number', inside, 1), this.#value('text', inside, 1)]
    const more = this.#chance(0.2) && depth < 1 ? ` where 1 in (${this.query(depth + 2)})` : ''
    return { from: `(select ${a} as a, ${b} as b from ${from}${more}) as s`, fields }
  }

  #table(): Table {
    const table = this.#one(TABLES)
    const sample =
      table.from === 'events' && this.#chance(0.1) ? this.#one([' sample 0.5', ' sample 1/2 offset 1/4']) : ''
    return { ...table, from: `${table.from}${sample}` }
  }

  #join(depth: number): string {
    const kind = this.#one(['join', 'left join', 'any left join', 'full outer join', 'cross join', 'left semi join'])
    const right = `(${depth > 0 ? 'select 1 as k, 2 as v' : `select distinct_id as k, 1 as v from events`}) as r`
    return `${kind} ${right}${kind === 'cross join' ? '' : ' on distinct_id = r.k'}`
  }

  #orderBy(fields: Table['fields'], grouped: boolean): string {
    if (!this.#chance(0.4)) return ''
    if (grouped) return ' order by 1 desc'
    const fill = this.#chance(0.1) ? this.#one([' with fill', ' with fill from 0 to 10', ' with fill step 2']) : ''
    return ` order by ${this.#value('number', fields, 1)}${this.#one(['', ' desc', ' asc nulls first'])}${fill}`
  }

  #limit(fields: Table['fields']): string {
    const by = this.#chance(0.1)
      ? ` limit 2${this.#chance(0.5) ? ' offset 1' : ''} by ${this.#value('text', fields, 2)}`
      : ''
    const limit = this.#one([
      '',
      '',
      ' limit 5',
      ' limit (2 * 3)',
      ' limit 3 offset 1',
      ' limit 1, 2',
      ' limit {variables.n}',
      ' offset 1',
    ])
    return by + limit
  }

  #value(type: Type, fields: Table['fields'], depth: number): string {
    const own = fields[type]
    if (own.length > 0 && this.#chance(0.5)) return this.#one(own)
    if (depth >= DEEPEST || this.#chance(0.3)) return this.#one(LITERALS[type])
    return this.#fill(this.#one(TEMPLATES[type]), fields, depth + 1)
  }

  #fill(template: string, fields: Table['fields'], depth: number): string {
    return template.replace(/'[^']*'|\bT2\b|\b[NTCML]\b/g, (found) =>
      LETTERS[found] ? this.#value(LETTERS[found] as Type, fields, depth) : found === 'T2' ? "'b'" : found,
    )
  }

  #one<T>(items: readonly T[]): T {
    return items[this.#upTo(items.length)] as T
  }

  #upTo(count: number): number {
    return Math.floor(this.#draw() * count)
  }

  #chance(of: number): boolean {
    return this.#draw() < of
  }
}
