import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import { MINUTE } from '../../lib/durations.ts'
import { GuessCounts, SharedGuessCounts } from './guess-counts.ts'

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await startTestPostgres()
})
afterAll(() => postgres?.stop())

it('two processes count in Postgres exactly as one does in its memory', async () => {
  const step = fc.record({
    who: fc.nat(1),
    names: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }),
    after: fc.integer({ min: 0, max: 6 * MINUTE }),
    outcome: fc.constantFrom('fails', 'is taken back', 'succeeds'),
  })
  let round = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      round++
      const processes = [new SharedGuessCounts(postgres.sql), new SharedGuessCounts(postgres.sql)]
      const model = new GuessCounts()
      let at = Date.now()
      for (const { who, names, after, outcome } of steps) {
        at += after
        const limits = names.map((name) => ({ name: `${round} ${name}`, most: { a: 2, b: 3, c: 4 }[name] ?? 1 }))
        const shared = processes[who] as SharedGuessCounts
        const waits = await shared.count(limits, at)
        expect(waits).toEqual(await model.count(limits, at))
        const counted = limits.filter((_, which) => waits[which] === 0)
        for (const counts of outcome === 'fails' ? [] : [shared, model]) {
          await counts.takeBack(counted, at)
          for (const limit of outcome === 'succeeds' ? limits.slice(0, 1) : []) await counts.forget(limit)
        }
      }
    }),
    { numRuns: 15 },
  )
})

it('of many attempts at the same time exactly as many pass as there are', async () => {
  const processes = [new SharedGuessCounts(postgres.sql), new SharedGuessCounts(postgres.sql)]
  const limits = [
    { name: 'x', most: 5 },
    { name: 'y', most: 7 },
  ]
  const waits = await Promise.all(
    Array.from({ length: 30 }, (_, n) =>
      (processes[n % 2] as SharedGuessCounts).count(n % 3 === 0 ? limits : limits.toReversed(), Date.now()),
    ),
  )
  const passed = waits.map((of, n) => (n % 3 === 0 ? of : of.toReversed())).map(([x, y]) => [x === 0, y === 0])
  expect(passed.filter(([x]) => x).length).toBe(5)
  expect(passed.filter(([, y]) => y).length).toBe(7)
})
