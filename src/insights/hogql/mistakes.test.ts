/** What a newcomer is told: where the mistake stands, and what to write instead. */
import { describe, expect, it } from 'vitest'
import { InvalidQuery } from '../../lib/invalid-input.ts'
import { parseQuery } from './parse.ts'
import { withPlaces } from './refused-call.ts'

const told = (query: string): string => {
  try {
    parseQuery(query)
  } catch (error) {
    if (error instanceof InvalidQuery) return error.message
    throw error
  }
  return 'nothing'
}

describe('a mistake in SQL is told with its place and a way out', () => {
  it.each([
    ['select event count() from events', 'column 19, found "(". Is a comma missing before "count"?'],
    ['select event from events group by event where event = 1', 'Clauses stand in this order'],
    ['select event from events limit 5 order by event', 'Clauses stand in this order'],
    ['select event, from events', 'nothing'],
    ['select event from', 'The query ends where a name was expected.'],
    ['select from events', 'Is a comma or a bracket missing before it, or one too many?'],
    ['select (1 + 2 from events', 'Expected ")" at line 1, column 15, found "from".'],
    ["select 'a from events", 'The quote at line 1, column 8 is never closed.'],
    ['select event\nfrom events\nwhere', 'The query ends where'],
    ['select event from events where event = “a”', 'straight quotes'],
    ['select a && b from events', 'Write AND.'],
    ['select !a from events', 'Write NOT'],
    ["select event regexp 'a' from events", '=~'],
    ['select top 5 event from events', 'LIMIT n'],
    ['select event from events fetch first 5 rows only', 'Write LIMIT n instead.'],
    ['select event from events final', 'FINAL is not needed'],
    ['select event from events settings max_threads = 1', 'cannot change settings'],
    ['select event, count() from events group by event with rollup', 'UNION ALL'],
    ['select * from (select 1) pivot (sum(c) for e in (1))', 'countIf'],
    ['select percentile_cont(0.5) within group (order by x) from events', 'quantile(0.5)(x)'],
    ['values (1)', 'SELECT 1 AS a UNION ALL SELECT 2'],
    ['insert into events values (1)', 'Queries only read'],
    ['update events set event = 1', 'Queries only read'],
    ['drop table events', 'Queries only read'],
    ['show tables', 'information_schema.tables'],
    ['describe events', 'information_schema.tables'],
    ['with recursive t as (select 1) select 1 from t', 'no recursion'],
    ['select sum(x) over (order by y groups 1 preceding) from t', 'Frames are counted in ROWS or RANGE.'],
    ["select cast('1', 'Money')", 'cannot be cast to "Money". (line 1, column 18)'],
    ['select cast(1, x)', 'Expected a type in quotes'],
    ['select 7 div 2', 'intDiv(a, b)'],
    ['select now() at time zone 1', 'toTimeZone'],
    ['select case when 1 then 2', 'ends where END was expected'],
    ['select a between 1 or 2', 'Expected AND'],
    ['select a not b', 'IN, LIKE, ILIKE or BETWEEN'],
    ['select 1 from events join persons', 'ON or USING'],
    ['select 1 from file(1)', 'only tables of the project and numbers(n)'],
    ['select x::money', 'cannot be cast to "money"'],
    ['select interval 1 fortnight', 'An interval is counted in second'],
    ['select 1 limit 1 limit 2', 'LIMIT stands once.'],
    ['select sum(x) filter (event = 1) from events', 'Expected WHERE'],
    ['# comment\nselect 1', 'Comments begin with --.'],
    ['select 1; select 2', 'Expected the end of the query at line 1, column 11'],
  ])('%s', (query, words) => expect(told(query)).toContain(words))
})

describe('what only the engine finds out', () => {
  const at = (column: number) => ({ line: 1, column })
  const tooHeavy = new InvalidQuery(undefined, [], 'query_too_heavy')

  it('is told with the calls that keep much, and what to write instead', () => {
    const calls = new Map([
      ['sumMap', [at(8)]],
      ['count', [at(20)]],
      ['quantileExactIf', [at(30), at(60)]],
      ['sumForEach', [at(90)]],
    ])
    expect(withPlaces(tooHeavy, calls)).toMatchObject({
      reason: 'query_too_heavy',
      message: `The query needs more time or memory than is allowed: narrow the date range or filters. sumMap (line 1, column 8) keeps every key of a group: make rows of the keys with ARRAY JOIN and group by them. quantileExactIf (line 1, column 30 or line 1, column 60) keeps every value of a group: estimate with quantile(0.5)(x). sumForEach (line 1, column 90) keeps a state for every place of its lists: give it shorter lists.`,
    })
    expect(withPlaces(tooHeavy, new Map([['count', [at(8)]]]))).toBe(tooHeavy)
  })

  it('is told with where the call stands', () => {
    const told = withPlaces(
      new InvalidQuery('repeat makes up to 100000: ask for less at once', ['query']),
      new Map([['repeat', [at(8)]]]),
    )
    expect(told).toMatchObject({ message: 'repeat makes up to 100000: ask for less at once (line 1, column 8).' })
    const other = new InvalidQuery('Illegal type', ['query'])
    expect(withPlaces(other, new Map([['repeat', [at(8)]]]))).toBe(other)
  })
})
