/** How many rows a query answers that does not say so, and what is said about mistakes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine, type TestProject } from '../../../test/support/insights/test-engine.ts'
import { hogqlQuerySchema } from '../../contract/queries/index.ts'
import { runSql } from '../kinds/sql/run.ts'

let engine: TestEngine
let project: TestProject
beforeAll(async () => {
  engine = await openTestEngine()
  project = engine.project()
})
afterAll(() => engine?.stop())

const run = (query: string) =>
  runSql(
    { ...project.context('2024-05-10T12:00:00Z'), propertyTypes: async () => () => null },
    hogqlQuerySchema.parse({ kind: 'HogQLQuery', query }),
  )

describe('a query without a limit', () => {
  const page = { hasMore: true, limit: 100, offset: 0 }

  it('answers a hundred rows of each part of a union, and says that there were more', async () => {
    const all = await run('select number from numbers(150) union all select number from numbers(3)')
    expect([all.results.length, all.page]).toEqual([103, page])
    const distinct = await run('select number from numbers(150) union distinct select 7')
    expect([distinct.results.length, distinct.columns, distinct.page]).toEqual([100, ['number'], page])
    expect(distinct.results[0]).toHaveLength(1)
    const few = await run('select 1 as x union all select 1')
    expect([few.results, few.page]).toEqual([[[1], [1]], { ...page, hasMore: false }])
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
