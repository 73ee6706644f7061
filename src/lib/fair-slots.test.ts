import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FairSlots, type Release } from './fair-slots.ts'

const slots = (more: Partial<ConstructorParameters<typeof FairSlots>[0]> = {}) =>
  new FairSlots({ size: 4, perOwner: 3, perGroup: 3, mostWaiting: 5, patienceMs: 60_000, ...more })

/** Whoever is never served is refused in the end, when nobody looks any more. */
const noteWhenServed = (shared: FairSlots, owner: string, served: string[]) =>
  void shared.take(owner).then(
    () => served.push(owner),
    () => {},
  )

test('one owner cannot hold all slots, and a slot is left for another', async () => {
  const shared = slots()
  await Promise.all([1, 2, 3].map(() => shared.take('greedy')))
  const fourth = shared.take('greedy')
  await shared.take('other')
  expect(shared.counts()).toEqual({ running: 4, waiting: 1, askers: 2, refused: 0 })
  fourth.catch(() => {})
})

test('owners of one group cannot hold all slots together, and each of them gets some', async () => {
  const shared = slots({ size: 5, perOwner: 3, perGroup: 4 })
  const served: string[] = []
  const take = (owner: string) => noteWhenServed(shared, owner, served)
  for (let i = 0; i < 5; i++) for (const owner of ['acme/1', 'acme/2']) take(owner)
  await expect.poll(() => served.toSorted()).toEqual(['acme/1', 'acme/1', 'acme/2', 'acme/2'])
  take('other/3')
  await expect.poll(() => served.at(-1)).toBe('other/3')
})

test('a slot that becomes free goes to the group that runs the fewest', async () => {
  const shared = slots({ size: 3, perOwner: 2, perGroup: 2 })
  const [first] = await Promise.all([shared.take('acme/1'), shared.take('acme/2'), shared.take('other/3')])
  const served: string[] = []
  for (const owner of ['acme/4', 'third/5']) noteWhenServed(shared, owner, served)
  first?.()
  await expect.poll(() => served).toEqual(['third/5'])
})

test('a slot that becomes free goes to whoever runs the fewest, not to the longest queue', async () => {
  const shared = slots({ size: 2, perOwner: 2 })
  const held = await Promise.all([shared.take('greedy'), shared.take('greedy')])
  const served: string[] = []
  for (let i = 0; i < 3; i++) noteWhenServed(shared, 'greedy', served)
  noteWhenServed(shared, 'other', served)
  held[0]?.()
  await expect.poll(() => served).toEqual(['other'])
})

test('a full queue is refused at once, one that waits too long later, and a leaver frees its place', async () => {
  const shared = slots({ size: 1, perOwner: 1, mostWaiting: 1, patienceMs: 20 })
  const release = await shared.take('a')
  const leaving = new AbortController()
  const left = shared.take('a', leaving.signal)
  await expect(shared.take('a')).rejects.toMatchObject({ reason: 'queue is full', running: 1, waiting: 1 })
  leaving.abort()
  await expect(left).rejects.toThrow(/abort/i)
  await expect(shared.take('a')).rejects.toMatchObject({ reason: 'waited too long' })
  release()
  release()
  expect(shared.counts()).toEqual({ running: 0, waiting: 0, askers: 0, refused: 2 })
  await shared.take('a')
})

test('whatever comes and goes, no bound is broken, nobody is forgotten and every slot comes back', async () => {
  const step = fc.record({ owner: fc.constantFrom('a/1', 'a/2', 'b', 'c'), leaves: fc.boolean(), frees: fc.nat(3) })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const shared = slots({ mostWaiting: 100 })
      const held: { owner: string; release: Release }[] = []
      const waiting: Promise<unknown>[] = []
      for (const { owner, leaves, frees } of steps) {
        const abort = new AbortController()
        waiting.push(
          shared.take(owner, abort.signal).then(
            (release) => held.push({ owner, release }),
            () => {},
          ),
        )
        if (leaves) abort.abort()
        await Promise.resolve()
        for (const { release } of held.splice(0, frees)) release()
        await Promise.resolve()
        expect(shared.counts().running).toBeLessThanOrEqual(4)
        for (const name of ['a/', 'a/1', 'b', 'c'])
          expect(held.filter(({ owner: of }) => of.startsWith(name)).length).toBeLessThanOrEqual(3)
      }
      for (let rounds = 0; rounds < 200 && shared.counts().running > 0; rounds++) {
        for (const { release } of held.splice(0)) release()
        await new Promise((done) => setImmediate(done))
      }
      await Promise.all(waiting)
      expect(shared.counts()).toMatchObject({ running: 0, waiting: 0, askers: 0 })
    }),
    { numRuns: 100 },
  )
})
