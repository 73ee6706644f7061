/** What operators mean where a value is missing, against a slow evaluator over random values. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  ARITHMETIC,
  type Condition,
  concatenated,
  holds,
  type Properties,
  type Term,
  type Value,
} from '../../../test/support/insights/slow-sql.ts'
import { SPELLINGS, sqlOf, termText } from '../../../test/support/insights/slow-sql-text.ts'
import { openTestEngine, type TestEngine, type TestProject } from '../../../test/support/insights/test-engine.ts'
import { hogqlQuerySchema } from '../../contract/queries/index.ts'
import type { JsonObject } from '../../lib/json.ts'
import { runSql } from '../kinds/sql/run.ts'
import { COMPARISONS } from './grammar.ts'

const NOW = '2024-05-10T12:00:00Z'
const TEXTS = ['', 'pro', 'Pro', 'free plan', 'true', '10', 'p_o', 'ä']
const SENT: readonly (Value | undefined)[] = [undefined, null, ...TEXTS, 0, 10, -2.5, true, false]
/** Every pair of values, once each. */
const EVENTS: readonly Properties[] = SENT.flatMap((a) => SENT.map((b) => ({ a, b, n: a, flag: b })))

let engine: TestEngine
let project: TestProject
beforeAll(async () => {
  engine = await openTestEngine()
  project = engine.project()
  await project.seed(
    EVENTS.map((properties, i) => ({
      event: 'e',
      distinctId: String(i).padStart(4, '0'),
      at: '2024-05-09T10:00:00Z',
      properties: JSON.parse(JSON.stringify(properties)) as JsonObject,
    })),
  )
})
afterAll(() => engine?.stop())

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

/** Numbers that are worked out: of the property, and of texts next to a number. */
const calculated: fc.Arbitrary<Term> = fc.oneof(
  fc
    .tuple(fc.constantFrom(...ARITHMETIC), fc.oneof(text, fc.constant(number)), constant(3, 7, 0.5))
    .map(([operator, left, right]): Term => ({ kind: 'arithmetic', operator, left, right })),
  fc
    .constantFrom('+', '-', '*')
    .map((operator): Term => ({ kind: 'arithmetic', operator, left: number, right: number })),
  fc.constant<Term>({ kind: 'minus', of: number }),
  constant(7, -2.5).map((right): Term => ({ kind: 'or else', left: number, right })),
)
const textOrElse = fc
  .tuple(text, fc.oneof(text, constant('pro', '')))
  .map(([left, right]): Term => ({ kind: 'or else', left, right }))
const chosen = fc.tuple(text, constant('pro', ''), fc.oneof(text, constant('free plan')), fc.boolean()).map(
  ([left, right, no, not]): Term => ({
    kind: 'choice',
    by: { kind: 'compare', operator: not ? '!=' : '=', left, right },
    yes: { kind: 'constant', value: 'pro' },
    no,
  }),
)

const comparison: fc.Arbitrary<Condition> = fc.oneof(
  fc
    .tuple(ORDER, calculated, fc.oneof(constant<Value>(10, 0, -3, null), fc.constant(number)))
    .map(([o, a, b]) => compare(o, a, b)),
  fc
    .tuple(EQUAL, fc.oneof(textOrElse, chosen), fc.oneof(text, constant<Value>('pro', '', null)))
    .map(([o, a, b]) => compare(o, a, b)),
  fc
    .tuple(fc.boolean(), fc.oneof(calculated, textOrElse))
    .map(([not, of]): Condition => ({ kind: 'is null', not, of })),
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

const MOST = `limit ${EVENTS.length}`

describe('a condition over values that may be missing', () => {
  it('is true of the same events in WHERE, as a value, in countIf and behind an alias', async () => {
    await fc.assert(
      fc.asyncProperty(condition, fc.nat(11), async (condition, spelling) => {
        const text = sqlOf(condition, spelling)
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

  it('is drawn with every operator of the grammar', () => {
    const spelled = Object.values(SPELLINGS).flatMap(({ between }) => between)
    expect(Object.keys(COMPARISONS).filter((operator) => !spelled.includes(operator))).toEqual([])
    const drawn = new Set(
      fc.sample(comparison, 2_000).flatMap((each) => (each.kind === 'compare' ? each.operator : [])),
    )
    expect(Object.keys(SPELLINGS).filter((operator) => !drawn.has(operator))).toEqual([])
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
        const parts = terms.map((term) => termText(term, 0))
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
