/** What operators mean where a value is missing, against a slow evaluator over random values. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestHouse, type TestHouse, type TestProject } from '../../../test/support/insights/house.ts'
import {
  type Condition,
  concatenated,
  holds,
  type Properties,
  type Term,
  type Value,
} from '../../../test/support/insights/slow-sql.ts'
import { hogqlQuerySchema } from '../../contract/queries/index.ts'
import type { JsonObject } from '../../lib/json.ts'
import { runSql } from '../kinds/sql/run.ts'

const NOW = '2024-05-10T12:00:00Z'
const TEXTS = ['', 'pro', 'Pro', 'free plan', 'true', '10', 'p_o', 'ä']
const SENT: readonly (Value | undefined)[] = [undefined, null, ...TEXTS, 0, 10, -2.5, true, false]
/** Every pair of values, once each. */
const EVENTS: readonly Properties[] = SENT.flatMap((a) => SENT.map((b) => ({ a, b, n: a, flag: b })))

let house: TestHouse
let project: TestProject
beforeAll(async () => {
  house = await openTestHouse()
  project = house.project()
  await project.seed(
    EVENTS.map((properties, i) => ({
      event: 'e',
      distinctId: String(i).padStart(4, '0'),
      at: '2024-05-09T10:00:00Z',
      properties: JSON.parse(JSON.stringify(properties)) as JsonObject,
    })),
  )
})
afterAll(() => house?.stop())

const rows = async (query: string) => {
  const types = async () => (_: string, key: string) =>
    key === 'n' ? ('Numeric' as const) : key === 'flag' ? ('Boolean' as const) : null
  const context = { ...project.context(NOW), propertyTypes: types }
  return (await runSql(context, hogqlQuerySchema.parse({ kind: 'HogQLQuery', query }))).results
}

const text = fc.constantFrom<Term>(
  { kind: 'property', key: 'a', type: 'text' },
  { kind: 'property', key: 'b', type: 'text' },
)
const number: Term = { kind: 'property', key: 'n', type: 'Numeric' }
const flag: Term = { kind: 'property', key: 'flag', type: 'Boolean' }
const constant = <T extends Value>(...values: T[]) =>
  fc.constantFrom(...values).map((value): Term => ({ kind: 'constant', value }))
const compare = (operator: string, left: Term, right: Term): Condition => ({ kind: 'compare', operator, left, right })

const EQUAL = fc.constantFrom('=', '!=')
const ORDER = fc.constantFrom('=', '!=', '<', '<=', '>', '>=')
const LIKE = fc.constantFrom('LIKE', 'NOT LIKE', 'ILIKE', 'NOT ILIKE')
const MATCH = fc.constantFrom('=~', '!~', '=~*', '!~*')

const comparison: fc.Arbitrary<Condition> = fc.oneof(
  fc.tuple(ORDER, text, fc.oneof(text, constant<Value>(...TEXTS, 10, -2.5, null))).map(([o, a, b]) => compare(o, a, b)),
  fc.tuple(ORDER, constant<Value>(...TEXTS, 10, 0, null), text).map(([o, a, b]) => compare(o, a, b)),
  fc.tuple(EQUAL, text, constant<Value>(true, false)).map(([o, a, b]) => compare(o, a, b)),
  fc.tuple(ORDER, constant<Value>(10, 0, -3, null)).map(([o, b]) => compare(o, number, b)),
  fc.tuple(EQUAL, constant<Value>(true, false, null)).map(([o, b]) => compare(o, flag, b)),
  fc.tuple(LIKE, text, fc.oneof(text, constant('pro', 'P%', '%', '', '%o', null))).map(([o, a, b]) => compare(o, a, b)),
  fc.tuple(MATCH, text, constant('^p', 'O$', '', '[0-9]', null)).map(([o, a, b]) => compare(o, a, b)),
  fc
    .tuple(fc.boolean(), text, fc.uniqueArray(fc.constantFrom<Value>(...TEXTS, null), { minLength: 1, maxLength: 4 }))
    .map(([not, left, items]): Condition => ({ kind: 'in', not, left, items })),
  fc
    .tuple(fc.boolean(), fc.oneof(text, fc.constant(number)), fc.subarray<Value>([10, 0, 7, null], { minLength: 1 }))
    .map(([not, left, items]): Condition => ({ kind: 'in', not, left, items })),
  fc
    .tuple(fc.boolean(), fc.oneof(text, fc.constant(number)), fc.integer({ min: -5, max: 5 }))
    .map(([not, of, low]): Condition => ({ kind: 'between', not, of, low, high: low + 6 })),
  fc
    .tuple(fc.boolean(), fc.oneof(text, fc.constant(number)))
    .map(([not, of]): Condition => ({ kind: 'is null', not, of })),
)

const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    comparison,
    fc.record({ kind: fc.constant('not' as const), of: tie('condition') }),
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      left: tie('condition'),
      right: tie('condition'),
    }),
  ),
}))

const written = (value: Value): string =>
  typeof value === 'string' ? `'${value}'` : value === null ? 'NULL' : String(value)
const termText = (term: Term): string => (term.kind === 'constant' ? written(term.value) : `properties.${term.key}`)

const AS_CALL: Readonly<Record<string, string>> = {
  '=': 'equals',
  '!=': 'notEquals',
  '<': 'less',
  '<=': 'lessOrEquals',
  '>': 'greater',
  '>=': 'greaterOrEquals',
  LIKE: 'like',
  'NOT LIKE': 'notLike',
  ILIKE: 'ilike',
  'NOT ILIKE': 'notILike',
}

/** As operators, or as calls where there are such. */
function sqlOf(condition: Condition, calls: boolean): string {
  switch (condition.kind) {
    case 'compare': {
      const [left, right] = [termText(condition.left), termText(condition.right)]
      const call = calls ? AS_CALL[condition.operator] : undefined
      return call ? `${call}(${left}, ${right})` : `(${left} ${condition.operator} ${right})`
    }
    case 'in': {
      const items = `(${condition.items.map(written).join(', ')})`
      const list = condition.items.length === 1 ? items.replace(/\((.*)\)/s, '[$1]') : items
      const name = condition.not ? 'notIn' : 'in'
      return calls
        ? `${name}(${termText(condition.left)}, ${list})`
        : `(${termText(condition.left)} ${condition.not ? 'not in' : 'in'} ${items})`
    }
    case 'between':
      return `(${termText(condition.of)} ${condition.not ? 'not ' : ''}between ${condition.low} and ${condition.high})`
    case 'is null':
      return `(${termText(condition.of)} is ${condition.not ? 'not ' : ''}null)`
    case 'not':
      return `(not ${sqlOf(condition.of, calls)})`
    default: {
      const [left, right] = [sqlOf(condition.left, calls), sqlOf(condition.right, calls)]
      return calls ? `${condition.kind}(${left}, ${right})` : `(${left} ${condition.kind} ${right})`
    }
  }
}

const MOST = `limit ${EVENTS.length}`

describe('a condition over values that may be missing', () => {
  it('is true of the same events in WHERE, as a value, in countIf and behind an alias', async () => {
    await fc.assert(
      fc.asyncProperty(condition, fc.boolean(), async (condition, calls) => {
        const text = sqlOf(condition, calls)
        const expected = EVENTS.map((event) => holds(condition, event))
        const numbered = expected.flatMap((yes, i) => (yes ? [String(i).padStart(4, '0')] : []))
        const values = await rows(`select distinct_id, ${text} from events order by distinct_id ${MOST}`)
        expect(
          values.map(([, value]) => Boolean(value)),
          text,
        ).toEqual(expected)
        // A comparison answers yes or no, never that it does not know.
        expect(values.some(([, value]) => value === null)).toBe(false)
        const found = await rows(`select distinct_id from events where ${text} order by distinct_id ${MOST}`)
        expect(found.flat(), text).toEqual(numbered)
        const [counted] = await rows(
          `select countIf(${text}), sum(if(${text}, 1, 0)), (select count() from (select ${text} as c from events) where c)
           from events`,
        )
        expect(counted, text).toEqual([numbered.length, numbered.length, numbered.length])
      }),
      { numRuns: 80 },
    )
  })

  it.each<[string, number[]]>([
    ['null = null, null != null, null < 1, 1 != null, null like null', [1, 0, 0, 1, 1]],
    ["null in (null), null in (1), 1 in (1, null), null not in ('a')", [1, 0, 1, 1]],
    ['not (null = 1), (null = 1) or 1, (null != 1) and 1', [1, 1, 1]],
    ['null in (select null), null in (select 1), null not in (select 1)', [1, 0, 1]],
  ])('%s', async (list, expected) => {
    const [row] = await rows(`select ${list}`)
    expect(row?.map(Number)).toEqual(expected)
  })
})

describe('texts put together', () => {
  it('have nothing where a part is missing', async () => {
    const terms = fc.array(fc.oneof(text, constant<Value>('-', '', null)), { minLength: 2, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(terms, fc.boolean(), async (terms, calls) => {
        const parts = terms.map(termText)
        const sql = calls ? `concat(${parts.join(', ')})` : parts.join(' || ')
        const values = await rows(`select ${sql} from events order by distinct_id ${MOST}`)
        expect(values.flat(), sql).toEqual(EVENTS.map((event) => concatenated(terms, event)))
      }),
      { numRuns: 15 },
    )
  })
})

describe('a row that is not there', () => {
  it.each<[string, unknown[]]>([
    ['lag(number) over (order by number)', [null, 0, 1]],
    ['lead(number) over (order by number)', [1, 2, null]],
    ['lag(number, 1, 7) over (order by number)', [7, 0, 1]],
    ['lagInFrame(number) over (order by number)', [null, 0, 1]],
    ["lag(toDate('2024-05-09') + number) over (order by number) is null", [1, 0, 0]],
    ['lag(number) over (order by number) != 0', [1, 0, 1]],
  ])('%s', async (value, expected) => {
    expect((await rows(`select ${value} from numbers(3) order by number`)).flat()).toEqual(expected)
  })
})
