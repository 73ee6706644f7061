/** Retention, lifecycle and stickiness: random events and merges against slow calculators. */

import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  referenceLifecycle,
  referenceRetention,
  referenceRetentionByValue,
  referenceStickiness,
} from '../../../../test/support/insights/reference-activity.ts'
import { sameInSql } from '../../../../test/support/insights/same-in-sql.ts'
import { seedEvents, seedMerges, seedPersons } from '../../../../test/support/insights/seed.ts'
import { openTestEngine, resultOf, type TestEngine } from '../../../../test/support/insights/test-engine.ts'
import { DAY } from '../../../lib/durations.ts'
import { OTHER_LABEL } from '../../plan/breakdown.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await openTestEngine()
})
afterAll(() => engine.stop())

const START = Date.parse('2024-05-01T00:00:00Z')
const dateOf = (day: number) => new Date(START + day * DAY).toISOString().slice(0, 10)
const PERSONS = ['p1', 'p2', 'p3', 'p4', 'p5', 'p6']

const event = fc.record({
  event: fc.constantFrom('a', 'b'),
  person: fc.constantFrom(...PERSONS),
  day: fc.integer({ min: 0, max: 14 }),
  second: fc.integer({ min: 0, max: 86_399 }),
  value: fc.constantFrom('x', 'y', 'z'),
})
const merges = fc.uniqueArray(
  fc.record({ old: fc.constantFrom('p4', 'p5', 'p6'), survivor: fc.constantFrom('p1', 'p2', 'p3') }),
  { selector: ({ old }) => old, maxLength: 3 },
)
const question = fc.record({
  kind: fc.constantFrom('retention' as const, 'lifecycle' as const, 'stickiness' as const),
  target: fc.constantFrom('a', 'b'),
  returning: fc.constantFrom('a', 'b'),
  firstDay: fc.integer({ min: 1, max: 6 }),
  days: fc.integer({ min: 1, max: 8 }),
  firstTime: fc.boolean(),
  manner: fc.constantFrom('plain' as const, 'plain' as const, 'cumulative' as const, 'rolling' as const),
  atLeast: fc.constantFrom(1, 1, 2),
  byValue: fc.boolean(),
  limit: fc.integer({ min: 1, max: 3 }),
})

test('the engine answers as the slow calculators do', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { minLength: 40, maxLength: 80 }),
      merges,
      fc.array(fc.integer({ min: 0, max: 14 }), { minLength: 6, maxLength: 6 }),
      fc.array(question, { minLength: 12, maxLength: 12 }),
      async (seeds, merged, births, questions) => {
        const project = engine.project()
        const survivorOf = new Map<string, string>(merged.map(({ old, survivor }) => [old, survivor]))
        const at = (day: number, ms = 0) => new Date(START + day * DAY + ms).toISOString()
        // No two at the same time: a millisecond more for each.
        const msOf = (second: number, index: number) => second * 1000 + index
        await seedEvents(
          project.clickhouse,
          project.id,
          seeds.map(({ event, person, day, second, value }, index) => ({
            event,
            distinctId: person,
            at: at(day, msOf(second, index)),
            properties: { value },
          })),
        )
        await seedMerges(project.clickhouse, project.id, merged)
        const createdOn = new Map(PERSONS.map((person, index) => [person, births[index] ?? 0]))
        await seedPersons(
          project.clickhouse,
          project.id,
          [...createdOn].map(([name, day]) => ({ name, createdAt: at(day) })),
        )
        const events = seeds.map((seed, index) => ({
          ...seed,
          person: survivorOf.get(seed.person) ?? seed.person,
          at: seed.day * DAY + msOf(seed.second, index),
        }))
        const now = '2024-06-01T00:00:00Z'
        const ask = async (node: object) => {
          const answer = await project.query(now, node, { hasOverrides: merged.length > 0 })
          await sameInSql(project.context(now, { hasOverrides: merged.length > 0 }), answer)
          return answer
        }
        for (const asked of questions) {
          const dateRange = { date_from: dateOf(asked.firstDay), date_to: dateOf(asked.firstDay + asked.days - 1) }
          const series = [{ kind: 'EventsNode', event: asked.target }]
          if (asked.kind === 'retention') {
            const retentionFilter = {
              retentionType: asked.firstTime ? 'retention_first_time' : 'retention_recurring',
              totalIntervals: asked.days,
              targetEntity: { id: asked.target, type: 'events' },
              returningEntity: { id: asked.returning, type: 'events' },
              cumulative: asked.manner === 'cumulative',
              timeWindowMode: asked.manner === 'rolling' ? '24_hour_windows' : 'strict_calendar_dates',
              minimumOccurrences: asked.atLeast,
            }
            const reference = {
              ...asked,
              cumulative: asked.manner === 'cumulative',
              rolling: asked.manner === 'rolling',
            }
            const breakdownFilter = asked.byValue ? { breakdown: 'value', breakdown_limit: asked.limit } : undefined
            const answer = await ask({ kind: 'RetentionQuery', dateRange, retentionFilter, breakdownFilter })
            const { groups } = resultOf(answer, 'RetentionQuery')
            if (asked.byValue) {
              const found = groups.map(({ labels, rows }) => ({ value: labels?.join('::'), rows }))
              expect(found).toEqual(
                referenceRetentionByValue(events, reference).map(({ value, rows }) => ({
                  value: value === 'other' ? OTHER_LABEL : value,
                  rows,
                })),
              )
            } else expect(groups).toEqual([{ labels: undefined, rows: referenceRetention(events, reference) }])
          } else if (asked.kind === 'lifecycle') {
            const { series: found } = resultOf(
              await ask({ kind: 'LifecycleQuery', dateRange, series }),
              'LifecycleQuery',
            )
            const wanted = referenceLifecycle(events, createdOn, { ...asked, event: asked.target })
            expect(Object.fromEntries(found.map(({ status, data }) => [status, data]))).toEqual(wanted)
          } else {
            const { series: found } = resultOf(
              await ask({ kind: 'StickinessQuery', dateRange, series }),
              'StickinessQuery',
            )
            expect(found[0]?.data).toEqual(referenceStickiness(events, { ...asked, event: asked.target }))
          }
        }
      },
    ),
    { numRuns: 8, endOnFailure: true },
  )
})
