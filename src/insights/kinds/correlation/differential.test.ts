/** Random events, merges and funnels: correlations must be those of the slow calculator. */

import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { referenceCorrelation } from '../../../../test/support/insights/reference-correlation.ts'
import type { ReferenceFunnel } from '../../../../test/support/insights/reference-funnels.ts'
import { seedEvents, seedMerges } from '../../../../test/support/insights/seed.ts'
import { openTestEngine, resultOf, type TestEngine } from '../../../../test/support/insights/test-engine.ts'
import { MINUTE } from '../../../lib/durations.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await openTestEngine()
})
afterAll(() => engine.stop())

const START = Date.parse('2024-05-01T00:00:00Z')
const PERSONS = Array.from({ length: 14 }, (_, index) => `p${index}`)

const event = fc.record({
  event: fc.constantFrom('a', 'b', 'b', 'x', 'y', 'z', ''),
  person: fc.constantFrom(...PERSONS),
  minute: fc.integer({ min: 0, max: 120 }),
})
const merges = fc.uniqueArray(
  fc.record({ old: fc.constantFrom('p10', 'p11', 'p12', 'p13'), survivor: fc.constantFrom('p0', 'p1', 'p2') }),
  { selector: ({ old }) => old, maxLength: 3 },
)
const funnel = fc.record({
  order: fc.constantFrom('ordered' as const, 'ordered' as const, 'strict' as const, 'unordered' as const),
  steps: fc.constantFrom(['a', 'b'], ['a', 'b', 'a'], ['b', 'a']),
  windowMinutes: fc.constantFrom(10, 40, 500),
})

test('the engine answers as the slow calculator does', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(event, { minLength: 90, maxLength: 160, selector: ({ person, minute }) => `${person} ${minute}` }),
      merges,
      fc.array(funnel, { minLength: 6, maxLength: 6 }),
      async (seeds, merged, funnels) => {
        const project = engine.project()
        const survivorOf = new Map<string, string>(merged.map(({ old, survivor }) => [old, survivor]))
        const at = ({ minute, person }: { minute: number; person: string }) =>
          START + minute * MINUTE + PERSONS.indexOf(person)
        await seedEvents(
          project.clickhouse,
          project.id,
          seeds.map((seed) => ({ event: seed.event, distinctId: seed.person, at: new Date(at(seed)).toISOString() })),
        )
        await seedMerges(project.clickhouse, project.id, merged)
        const events = seeds.map((seed) => ({
          event: seed.event,
          actor: survivorOf.get(seed.person) ?? seed.person,
          at: at(seed),
          properties: {},
        }))
        for (const { order, steps, windowMinutes } of funnels) {
          const reference: ReferenceFunnel = {
            order,
            steps: steps.map((name) => ({ event: name, properties: { type: 'AND', values: [] } })),
            exclusions: [],
            windowMs: windowMinutes * MINUTE,
            from: START,
            to: START + 100 * MINUTE,
          }
          const wanted = referenceCorrelation(events, reference)
          const answer = await project.query('2024-05-02T00:00:00Z', nodeOf(reference), {
            hasOverrides: merged.length > 0,
          })
          const { correlations, skewed } = resultOf(answer, 'FunnelCorrelationQuery')
          const found = correlations.map(({ name, ...rest }) => ({ event: name[0], ...rest }))
          const byName = (a: { event?: string | undefined }, b: { event?: string | undefined }) =>
            String(a.event) < String(b.event) ? -1 : 1
          expect(skewed).toBe(wanted.skewed)
          expect(found.toSorted(byName)).toEqual(
            wanted.correlations
              .map((each) => ({ ...each, oddsRatio: expect.closeTo(each.oddsRatio, 9) }))
              .toSorted(byName),
          )
        }
      },
    ),
    { numRuns: 8, endOnFailure: true },
  )
})

const nodeOf = (reference: ReferenceFunnel) => ({
  kind: 'FunnelCorrelationQuery',
  funnelCorrelationType: 'events',
  source: {
    kind: 'FunnelsActorsQuery',
    source: {
      kind: 'FunnelsQuery',
      series: reference.steps.map(({ event }) => ({ kind: 'EventsNode', event })),
      dateRange: {
        date_from: new Date(reference.from).toISOString(),
        date_to: new Date(reference.to).toISOString(),
        explicitDate: true,
      },
      funnelsFilter: {
        funnelOrderType: reference.order,
        funnelWindowInterval: reference.windowMs / MINUTE,
        funnelWindowIntervalUnit: 'minute',
      },
    },
  },
})
