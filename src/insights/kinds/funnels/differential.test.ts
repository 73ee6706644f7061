/** Random events, merges and funnels: the engine's answer must be the one of the slow calculator. */

import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ReferenceGroup } from '../../../../test/support/insights/reference-filters.ts'
import {
  contains,
  type ReferenceFunnel,
  type ReferenceStep,
  referenceSteps,
} from '../../../../test/support/insights/reference-funnels.ts'
import { sameInSql } from '../../../../test/support/insights/same-in-sql.ts'
import { seedEvents, seedMerges } from '../../../../test/support/insights/seed.ts'
import { openTestEngine, resultOf, type TestEngine } from '../../../../test/support/insights/test-engine.ts'
import { MINUTE } from '../../../lib/durations.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await openTestEngine()
})
afterAll(() => engine.stop())

const START = Date.parse('2024-05-01T00:00:00Z')
const PERSONS = ['p1', 'p2', 'p3', 'p4', 'p5', 'p6']

const event = fc.record({
  event: fc.constantFrom('a', 'b', 'c', 'x'),
  person: fc.constantFrom(...PERSONS),
  minute: fc.integer({ min: 0, max: 180 }),
  colour: fc.constantFrom('red', 'blue', null),
})
const merges = fc.uniqueArray(
  fc.record({ old: fc.constantFrom('p4', 'p5', 'p6'), survivor: fc.constantFrom('p1', 'p2', 'p3') }),
  { selector: ({ old }) => old, maxLength: 3 },
)
const NOTHING: ReferenceGroup = { type: 'AND', values: [] }
const properties = fc.constantFrom(NOTHING, NOTHING, {
  type: 'AND' as const,
  values: [{ key: 'colour', operator: 'exact', value: 'red' }],
} satisfies ReferenceGroup)
const math = fc.constantFrom(
  ...[undefined, undefined, undefined],
  'first_time_for_user' as const,
  'first_time_for_user_with_filters' as const,
)
const step = fc.record({
  event: fc.constantFrom('a', 'b', 'c', null),
  properties,
  math,
  optional: fc.constantFrom(false, false, true),
})
const funnel = fc
  .record({
    order: fc.constantFrom('ordered' as const, 'strict' as const, 'unordered' as const),
    steps: fc.array(step, { minLength: 1, maxLength: 4 }),
    exclusions: fc.array(
      fc.record({ event: fc.constant('x'), properties, from: fc.nat({ max: 2 }), to: fc.nat({ max: 3 }) }),
      { maxLength: 2 },
    ),
    windowMinutes: fc.constantFrom(5, 20, 60, 500),
    fromMinute: fc.constantFrom(0, 30),
    held: fc.constantFrom(undefined, undefined, 'colour'),
  })
  .map(({ steps, ...rest }) => ({ ...rest, steps: withOptional(steps, rest.order) }))
  .map(({ exclusions, ...rest }) => ({ ...rest, exclusions: exclusions.filter((each) => fits(each, rest)) }))

/** Optional only where a step can be. */
const withOptional = (steps: readonly ReferenceStep[], order: string): ReferenceStep[] =>
  steps.map((step, index) => {
    const next = steps[index + 1]
    const canBe = order === 'ordered' && index > 0 && !(next && contains(next, step))
    return { ...step, optional: Boolean(step.optional) && canBe }
  })

function fits({ from, to }: { from: number; to: number }, { steps, order }: Pick<ReferenceFunnel, 'steps' | 'order'>) {
  const last = steps.length - 1
  // A step about all events holds every exclusion: nothing can come between.
  if (from >= to || to > last || steps[from]?.optional || steps[to]?.optional) return false
  return order !== 'unordered' || (from === 0 && to === last)
}

test('the engine answers as the slow calculator does', async () => {
  await fc.assert(
    fc.asyncProperty(
      // At any minute at most one event of a person: what happens at one instant has tests of its own.
      fc.uniqueArray(event, {
        minLength: 40,
        maxLength: 90,
        selector: ({ person, minute }) => `${person} ${minute}`,
      }),
      merges,
      fc.array(funnel, { minLength: 12, maxLength: 12 }),
      async (seeds, merged, funnels) => {
        const project = engine.project()
        const survivorOf = new Map<string, string>(merged.map(({ old, survivor }) => [old, survivor]))
        // Merged persons are put apart by a few ms, so that they share no instant either.
        const at = ({ minute, person }: { minute: number; person: string }) =>
          START + minute * MINUTE + PERSONS.indexOf(person)
        await seedEvents(
          project.clickhouse,
          project.id,
          seeds.map((seed) => ({
            event: seed.event,
            distinctId: seed.person,
            at: new Date(at(seed)).toISOString(),
            properties: { colour: seed.colour },
          })),
        )
        await seedMerges(project.clickhouse, project.id, merged)
        const events = seeds.map((seed) => ({
          event: seed.event,
          actor: survivorOf.get(seed.person) ?? seed.person,
          at: at(seed),
          properties: { colour: seed.colour },
        }))
        for (const asked of funnels) {
          const reference: ReferenceFunnel = {
            order: asked.order,
            steps: asked.steps,
            exclusions: asked.exclusions,
            windowMs: asked.windowMinutes * MINUTE,
            from: START + asked.fromMinute * MINUTE,
            to: START + 150 * MINUTE,
            ...(asked.held === undefined ? {} : { held: asked.held }),
          }
          const answer = await project.query('2024-05-02T00:00:00Z', nodeOf(reference), {
            hasOverrides: merged.length > 0,
          })
          const result = resultOf(answer, 'FunnelsQuery')
          if (result.viz !== 'steps') throw new Error('steps were asked for')
          const wanted = referenceSteps(events, reference)
          const close = (numbers: (number | null)[]) =>
            numbers.map((each) => (each === null ? null : expect.closeTo(each, 6)))
          expect(result.groups).toEqual([
            {
              labels: [],
              counts: wanted.counts,
              averages: close(wanted.averages),
              medians: close(wanted.medians),
              totalMedians: close(wanted.totalMedians),
            },
          ])
          await sameInSql(project.context('2024-05-02T00:00:00Z', { hasOverrides: merged.length > 0 }), answer)
        }
      },
    ),
    { numRuns: 6, endOnFailure: true },
  )
})

const nodeOf = (reference: ReferenceFunnel) => ({
  kind: 'FunnelsQuery',
  series: reference.steps.map(({ optional, ...step }) => ({
    kind: 'EventsNode',
    ...step,
    optionalInFunnel: optional,
  })),
  dateRange: {
    date_from: new Date(reference.from).toISOString(),
    date_to: new Date(reference.to).toISOString(),
    explicitDate: true,
  },
  funnelsFilter: {
    funnelOrderType: reference.order,
    funnelWindowInterval: reference.windowMs / MINUTE,
    funnelWindowIntervalUnit: 'minute',
    exclusions: reference.exclusions.map(({ from, to, ...each }) => ({
      kind: 'EventsNode',
      ...each,
      funnelFromStep: from,
      funnelToStep: to,
    })),
    holdConstant: reference.held,
  },
})
