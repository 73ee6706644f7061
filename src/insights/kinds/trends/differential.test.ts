/** Random events, merges and questions: the engine's answer must be the one of the slow calculator. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ReferenceFilter, ReferenceGroup } from '../../../../test/support/insights/reference-filters.ts'
import {
  bucketsOf,
  type ReferenceEvent,
  type ReferenceQuery,
  referenceTrends,
} from '../../../../test/support/insights/reference-trends.ts'
import { sameInSql } from '../../../../test/support/insights/same-in-sql.ts'
import { seedEvents, seedMerges } from '../../../../test/support/insights/seed.ts'
import { asTrends, openTestEngine, type TestEngine } from '../../../../test/support/insights/test-engine.ts'
import type { ActorsSource } from '../../../contract/queries/index.ts'
import type { JsonObject } from '../../../lib/json.ts'
import { readQuery } from '../../parse/read-query.ts'
import { runActors } from '../../run/actors.ts'
import { runInsight } from '../../run/insight.ts'
import { trendsOnWire } from './wire.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await openTestEngine()
})
afterAll(() => engine.stop())

const HOSTILE_KEYS = ['n', 'a.b', 'q\'`"\\', '', '$feature/x.y', 'ключ ☃', '%2E', '^x[]']
const VALUES = ['', 'x', 'X', 'true', '2020-01-01', '1.0', "it's", 'ß☃', '10', 'null', '%', '\\n']
const PERSONS = ['p1', 'p2', 'p3', 'p4', 'p5', 'p6']

const value = fc.oneof(
  fc.constantFrom(...VALUES),
  fc.integer({ min: -5, max: 5 }),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom(0.5, 2.25),
)
const properties: fc.Arbitrary<JsonObject> = fc.dictionary(fc.constantFrom(...HOSTILE_KEYS), value, { maxKeys: 5 })

/** Around the days on which clocks change in Europe and America. */
const PERIODS = ['2024-10-24', '2024-03-08', '2024-03-29'] as const
const event = fc.record({
  event: fc.constantFrom('view', 'buy', "it's `odd`"),
  person: fc.constantFrom(...PERSONS),
  // Mostly anywhere in twelve days, sometimes right at the start of an hour.
  at: fc.oneof(
    fc.integer({ min: 0, max: 12 * 86_400_000 }),
    fc.integer({ min: 0, max: 12 * 24 }).map((hours) => hours * 3_600_000),
  ),
  session: fc.constantFrom('', 's1', 's2', 's3'),
  properties,
  personProperties: properties,
})
const merges = fc.uniqueArray(
  fc.record({ old: fc.constantFrom('p4', 'p5', 'p6'), survivor: fc.constantFrom('p1', 'p2', 'p3') }),
  { selector: ({ old }) => old, maxLength: 3 },
)

const filter: fc.Arbitrary<ReferenceFilter> = fc
  .record({
    key: fc.constantFrom(...HOSTILE_KEYS),
    type: fc.constantFrom('event' as const, 'person' as const),
    operator: fc.constantFrom(
      ...[
        'exact',
        'is_not',
        'icontains',
        'not_icontains',
        'regex',
        'not_regex',
        'gt',
        'gte',
        'lt',
        'lte',
        'is_set',
        'is_not_set',
      ],
    ),
    text: fc.oneof(fc.constantFrom(...VALUES), fc.array(fc.constantFrom(...VALUES), { minLength: 1, maxLength: 3 })),
    number: fc.integer({ min: -3, max: 10 }),
    regex: fc.constantFrom('^[0-9]+$', 'x', 't.u', '\\d\\.\\d', '.*'),
  })
  .map(({ text, number, regex, ...rest }) => {
    if (rest.operator.startsWith('is_')) return rest.operator === 'is_not' ? { ...rest, value: text } : rest
    if (['gt', 'gte', 'lt', 'lte'].includes(rest.operator)) return { ...rest, value: number }
    return { ...rest, value: rest.operator.endsWith('regex') ? regex : text }
  })
const group: fc.Arbitrary<ReferenceGroup> = fc.record({
  type: fc.constantFrom('AND' as const, 'OR' as const),
  values: fc.array(
    fc.oneof(
      filter,
      fc.record({
        type: fc.constantFrom('AND' as const, 'OR' as const),
        values: fc.array(filter, { minLength: 1, maxLength: 2 }),
      }),
    ),
    { maxLength: 2 },
  ),
})
const NOTHING: ReferenceGroup = { type: 'AND', values: [] }

const MATHS = [
  'total',
  'dau',
  'weekly_active',
  'unique_session',
  'sum',
  'avg',
  'min',
  'max',
  'median',
  'avg_count_per_actor',
  'max_count_per_actor',
  'median_count_per_actor',
  'first_time_for_user',
  'first_matching_event_for_user',
]
/** Maths whose number is one of persons. */
const PERSON_MATHS = new Set(['dau', 'weekly_active', 'first_time_for_user', 'first_matching_event_for_user'])

const question = fc.record({
  series: fc.record({
    event: fc.constantFrom('view', 'buy', "it's `odd`", null),
    math: fc.constantFrom(...MATHS),
    properties: fc.oneof(fc.constant(NOTHING), group),
  }),
  interval: fc.constantFrom('hour' as const, 'day' as const, 'week' as const, 'month' as const),
  fromDay: fc.integer({ min: 0, max: 4 }),
  days: fc.integer({ min: 0, max: 7 }),
  timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland'),
  weekStart: fc.constantFrom(0 as const, 1 as const),
  properties: fc.oneof(fc.constant(NOTHING), group),
  breakdown: fc.option(
    fc.record({
      key: fc.constantFrom(...HOSTILE_KEYS),
      type: fc.constantFrom('event' as const, 'person' as const),
      limit: fc.integer({ min: 1, max: 4 }),
    }),
    { nil: undefined },
  ),
  display: fc.constantFrom('line' as const, 'line' as const, 'cumulative' as const, 'total' as const),
})

const dayAfter = (start: string, days: number): string =>
  new Date(Date.parse(`${start}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)

const DISPLAY = { line: 'ActionsLineGraph', cumulative: 'ActionsLineGraphCumulative', total: 'BoldNumber' }

test('the engine answers as the slow calculator does', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...PERIODS),
      fc.array(event, { minLength: 30, maxLength: 60 }),
      merges,
      fc.array(question, { minLength: 14, maxLength: 14 }),
      async (start, drawn, merged, questions) => {
        const project = engine.project()
        const survivorOf = new Map<string, string>(merged.map(({ old, survivor }) => [old, survivor]))
        // Of two first events of a person at one instant either may count: a person has one event at a time.
        const moment = ({ person, at }: (typeof drawn)[number]) => `${survivorOf.get(person) ?? person} ${at}`
        const seeds = [...new Map(drawn.map((seed) => [moment(seed), seed])).values()]
        const at = (offset: number) => Date.parse(`${start}T00:00:00Z`) + offset
        await seedEvents(
          project.clickhouse,
          project.id,
          seeds.map((seed) => ({
            ...seed,
            distinctId: seed.person,
            at: new Date(at(seed.at)).toISOString(),
            sessionId: seed.session,
          })),
        )
        await seedMerges(project.clickhouse, project.id, merged)
        const events: ReferenceEvent[] = seeds.map((seed) => ({
          ...seed,
          at: at(seed.at),
          person: survivorOf.get(seed.person) ?? seed.person,
        }))
        for (const { fromDay, days, display: asked, ...rest } of questions) {
          // A sliding window is a line by day; what it adds up to means nothing.
          const slides = rest.series.math === 'weekly_active'
          const display = slides ? 'line' : asked
          if (slides && rest.interval === 'hour') continue
          const query: ReferenceQuery = {
            ...rest,
            from: dayAfter(start, fromDay),
            to: dayAfter(start, fromDay + days),
            cumulative: display === 'cumulative',
            total: display === 'total',
          }
          const node = nodeOf(query, DISPLAY[display])
          const context = project.context(`${dayAfter(start, 30)}T00:00:00Z`, {
            timezone: query.timezone,
            week_start_day: query.weekStart,
            hasOverrides: merged.length > 0,
          })
          const answer = await runInsight(context, readQuery(node))
          const wire = trendsOnWire(asTrends(answer.result))
          const got = wire.map((each) => [
            each.breakdown_value,
            display === 'total' ? [each.aggregated_value] : each.data,
          ])
          const wanted = referenceTrends(events, query).map(({ label, data }) => [
            label,
            data.map((n) => expect.closeTo(n, 9)),
          ])
          const byLabel = (a: unknown[], b: unknown[]) => (String(a[0]) < String(b[0]) ? -1 : 1)
          expect(got.toSorted(byLabel)).toEqual(wanted.toSorted(byLabel))
          // Every fifth: each costs as much as the question itself.
          if (fromDay === 0) await sameInSql(context, answer)
          if (display !== 'total' && query.interval !== 'hour' && wire[0])
            expect(wire[0].days).toEqual(bucketsOf(query))
          // Whoever is counted is listed: as many actors as the number says, at one point of one series.
          const one = wire[(fromDay + days) % Math.max(1, wire.length)]
          const point = (one?.data?.length ?? 0) - 1 - Math.floor(days / 2)
          const day = one?.days[point]
          const addsUp = query.cumulative && query.series.math !== 'dau'
          if (!PERSON_MATHS.has(query.series.math) || day === undefined || query.interval === 'hour' || addsUp) continue
          const source = readQuery({ kind: 'InsightActorsQuery', source: node, day, breakdown: one?.breakdown_value })
          const { actors } = await runActors(context, source as ActorsSource, { limit: 100, offset: 0 })
          expect(actors).toHaveLength(one?.data?.[point] ?? -1)
        }
      },
    ),
    { numRuns: 10, endOnFailure: true },
  )
})

const nodeOf = (query: ReferenceQuery, display: string) => ({
  kind: 'TrendsQuery',
  series: [
    {
      kind: 'EventsNode',
      event: query.series.event,
      math: query.series.math,
      math_property: 'n',
      properties: query.series.properties,
    },
  ],
  interval: query.interval,
  dateRange: { date_from: query.from, date_to: query.interval === 'hour' ? `${query.to}T23:00:00` : query.to },
  properties: query.properties,
  trendsFilter: { display },
  ...(query.breakdown && {
    breakdownFilter: {
      breakdowns: undefined,
      breakdown: query.breakdown.key,
      breakdown_type: query.breakdown.type,
      breakdown_limit: query.breakdown.limit,
    },
  }),
})
