/** The table of functions, and their bounds. What every example answers is asked over HTTP, in test/management. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine, type TestProject } from '../../../test/support/insights/test-engine.ts'
import { hogqlQuerySchema } from '../../contract/queries/index.ts'
import { runSql } from '../kinds/sql/run.ts'
import { FUNCTIONS, functionOf, isAggregate, nullsOf } from './functions.ts'
import { SPECIAL_NAMES } from './special-calls.ts'

describe('functions of the language', () => {
  let engine: TestEngine
  let project: TestProject
  beforeAll(async () => {
    engine = await openTestEngine()
    project = engine.project()
  })
  afterAll(() => engine?.stop())

  const rows = async (query: string) =>
    (await runSql(project.context('2024-05-10T12:00:00Z'), hogqlQuerySchema.parse({ kind: 'HogQLQuery', query })))
      .results

  const NUMBERS = 'from (select number as n from numbers(5)) as t'

  it('answer NULL only where their rows say so', async () => {
    const ofNull = FUNCTIONS.filter(({ nulls, answer }) => nulls !== 'always' && answer === null)
    expect(ofNull.map(({ name }) => name)).toEqual([])
    expect(nullsOf('sumOrNull')).toBe('always')
    expect(nullsOf('noSuchFunction')).toBe('always')
    expect(nullsOf('countIf')).toBe('never')
  })

  it('are listed once, and every one that means something of its own has a row', () => {
    const names = FUNCTIONS.map(({ name }) => name.toLowerCase())
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])
    expect(SPECIAL_NAMES.filter((name) => functionOf(name) === undefined)).toEqual([])
  })

  it.each([
    ['sumIf(n, n > 2)', 7],
    ['countDistinctIf(n % 2, n > 2)', 2],
    ['groupArrayIf(n, n > 2)', [3, 4]],
    ['groupUniqArrayArray([n % 2, 5])', 3],
    ['sumOrNullIf(n, n > 9)', null],
    ['maxIfOrNull(n, n > 9)', null],
    ['AVGIF(n, n < 2)', 0.5],
    [
      'sumMapIf([n % 2], [n], n > 2)',
      [
        [0, 1],
        [4, 3],
      ],
    ],
  ])('take combinators: %s', async (expression, expected) => {
    const [[answer] = []] = await rows(`select ${expression} ${NUMBERS}`)
    expect(expression.startsWith('groupUniq') ? (answer as unknown[]).length : answer).toEqual(expected)
    expect(isAggregate(expression.replace(/\(.*/, ''))).toBe(true)
  })

  it('merge what an inner query has summed up', async () =>
    expect(
      await rows(
        `select sumMerge(s), argMaxMerge(m) from (select sumState(n) as s, argMaxState(n, n) as m ${NUMBERS}) as x`,
      ),
    ).toEqual([[10, 4]]))

  it.each([
    ["length(repeat('abcdefghij', 10001))", 'repeat makes up to 100000'],
    ["length(repeat('a', n * 1000000))", 'repeat makes up to 100000'],
    ['length(arrayResize([1], 1000000))', 'arrayResize makes up to 100000'],
    ['length(arrayWithConstant(n * 1000000, 1))', 'arrayWithConstant makes up to 100000'],
    ["length(leftPad('a', 1000000))", 'leftPad makes up to 100000'],
    ['length(mapPopulateSeries(map(1, 1, toInt64(n * 1000000), 1)))', 'mapPopulateSeries fills up to 10000'],
    ['length(timeSlots(now(), n * 1000000, 1))', 'timeSlots makes up to 10000'],
    ['arrayFold((a, x) -> a + x, range(2000), toInt64(0))', 'arrayFold takes lists of up to 1000'],
    ['hasSubstr(range(1000), range(500))', 'hasSubstr compares up to 100000 pairs'],
    ["editDistance(repeat('a', 2000), repeat('b', 2000))", 'lengths multiply to at most'],
    ["length(URLHierarchy(concat('http://a.b/', repeat('a/', 20000))))", 'URLHierarchy takes texts of up to 10000'],
    ["multiFuzzyMatchAny('abc', 9, ['abc'])", 'multiFuzzyMatchAny takes a distance of 0 to 2'],
    ['groupArrayInsertAt(n, n * 1000000)', 'groupArrayInsertAt makes up to 10000'],
    ['length(groupArray(2000000)(n))', 'groupArray keeps up to 1000000 values'],
    [
      'length(groupArrayArray(range(250000)))',
      'groupArrayArray keeps up to 1000000 values of a group: name a size or group by more (line 1, column 15).',
    ],
    ['sumState(n)', 'Column "sumState(n)" is a state, for a query around it to merge'],
    ["length(groupConcat(repeat('a', 2500000)))", 'makes up to 100000'],
    ["JSONExtract('{}', 'a', 'AggregateFunction(sum, Int64)')", 'There is no type'],
    ["accurateCastOrNull('1', 'FixedString(1000000000)')", 'There is no type'],
    ["arrayReduce('file', [1])", 'takes the name of an aggregate first'],
    ["convertCurrency('EUR', 'USD', 5)", 'knows no exchange rates'],
    [`${'arraySort('.repeat(40)}[1]${')'.repeat(40)}`, 'becomes too long'],
    [`${'isUUID(tumble('.repeat(20)}1${'))'.repeat(20)}`, 'takes 2 arguments'],
  ])('stay within their bounds: %s', async (expression, words) => {
    await expect(rows(`select ${expression} ${NUMBERS}`)).rejects.toThrow(words)
  })

  it.each([
    'length(groupArrayForEach([x])[1])',
    "length(groupArrayMap(map('a', x))['a'])",
    'length(groupArrayMerge(x))',
  ])('keep as much with a combinator as without one: %s', async (expression) => {
    const many = 'select arrayJoin(range(250000)) as x from numbers(5)'
    const from = expression.includes('Merge') ? `select groupArrayState(x) as x from (${many})` : many
    await expect(rows(`select ${expression} from (${from})`)).rejects.toThrow('keeps up to 1000000 values of a group')
    const few = from.replace('numbers(5)', 'numbers(2)')
    expect(await rows(`select ${expression} from (${few})`)).toEqual([[500_000]])
  })
})
