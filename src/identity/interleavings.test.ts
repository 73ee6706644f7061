import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { anEvent, newProject, overridesOf, personsOf } from '../../test/support/identity.ts'
import { IdentityModel } from '../../test/support/identity-model.ts'
import { startTestPostgres, type TestPostgres } from '../../test/support/postgres.ts'
import { inTransaction, type Sql } from '../engines/postgres/index.ts'
import { deletePersons } from './change-persons.ts'
import { resolveIdentities } from './resolve.ts'
import type { IdentityEvent, IdentityOutcome, PersonOverrideRow, PersonRow } from './types.ts'

/**
 * Random events of a few distinct ids, cut into random batches, on partitions that run at the same time, some batches dying just before
 * their commit and running again. Whatever the order in which they committed, the plain model taken through the same order must agree.
 */
let postgres: TestPostgres
let sql: Sql

beforeAll(async () => {
  postgres = await startTestPostgres()
  sql = postgres.sql
  await sql`CREATE SEQUENCE commit_order`
})
afterAll(() => postgres?.stop())

const PARTITIONS = 3
const IDS = ['a', 'b', 'c', 'd', 'e', 'f']
const anId = fc.constantFrom(...IDS)
const aChange = fc.record(
  {
    $set: fc.dictionary(fc.constantFrom('x', 'y'), fc.nat(3)),
    $set_once: fc.dictionary(fc.constantFrom('x', 'z'), fc.nat(3)),
    $unset: fc.subarray(['x', 'y', 'z']),
  },
  { requiredKeys: [] },
)
const anAction = fc.oneof(
  { weight: 3, arbitrary: fc.record({ event: fc.constant('seen'), id: anId, properties: aChange }) },
  {
    weight: 2,
    arbitrary: fc.record({
      event: fc.constant('seen'),
      id: anId,
      properties: fc.constant({ $process_person_profile: false }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      event: fc.constant('$identify'),
      id: anId,
      properties: fc.tuple(aChange, anId).map(([change, id]) => ({ ...change, $anon_distinct_id: id })),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      event: fc.constantFrom('$create_alias', '$merge_dangerously'),
      id: anId,
      properties: fc.tuple(aChange, anId).map(([change, id]) => ({ ...change, alias: id })),
    }),
  },
)
type Action = typeof anAction extends fc.Arbitrary<infer T> ? T : never
const aRound = fc.record({
  batches: fc.array(fc.record({ actions: fc.array(anAction, { minLength: 1, maxLength: 5 }), dies: fc.boolean() }), {
    minLength: 1,
    maxLength: 8,
  }),
  deleted: fc.option(anId),
})

class Crash extends Error {}

interface Committed {
  readonly order: number
  readonly events: readonly IdentityEvent[]
  readonly outcome: IdentityOutcome
}

/** A batch as the pipeline runs it, with a number that says when it committed. */
async function commit(events: readonly IdentityEvent[], dies: boolean): Promise<Committed> {
  const run = (crash: boolean) =>
    inTransaction(
      sql,
      async (tx) => {
        const outcome = await resolveIdentities(tx, events, new Date())
        if (crash) throw new Crash()
        await tx`SELECT pg_advisory_xact_lock(4711)`
        const [row] = await tx<[{ order: number }]>`SELECT nextval('commit_order') AS order`
        return { order: row.order, events, outcome }
      },
      { retries: 50 },
    )
  if (dies) await expect(run(true)).rejects.toBeInstanceOf(Crash)
  return run(false)
}

/** The copies in ClickHouse keep the row with the highest version. */
class Copies {
  readonly persons = new Map<string, PersonRow>()
  readonly overrides = new Map<string, PersonOverrideRow>()
  add({
    persons,
    person_overrides = [],
  }: {
    persons: readonly PersonRow[]
    person_overrides?: readonly PersonOverrideRow[]
  }) {
    for (const row of persons)
      if (row.version >= (this.persons.get(row.id)?.version ?? 0)) this.persons.set(row.id, row)
    for (const row of person_overrides)
      if (row.version > (this.overrides.get(row.old_person_id)?.version ?? 0))
        this.overrides.set(row.old_person_id, row)
  }
}

it('persons, ids, properties and the person of every event are those of the plain model', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(aRound, { minLength: 1, maxLength: 4 }), async (rounds) => {
      const project = await newProject(sql)
      const model = new IdentityModel(project)
      const copies = new Copies()
      const stored = new Map<string, string>()
      let clock = Date.UTC(2024, 0, 1)
      // Every event with a person changes something: one that changes nothing locks nothing, so it may count as earlier than its commit.
      const toEvent = ({ event, id, properties }: Action) => {
        clock += 1_000
        const personless = '$process_person_profile' in properties
        const told = '$set' in properties ? properties.$set : {}
        return anEvent(project, event, id, personless ? properties : { ...properties, $set: { ...told, clock } }, {
          timestamp: clock,
        })
      }

      for (const { batches, deleted } of rounds) {
        const committed = await Promise.all(
          Array.from({ length: PARTITIONS }, async (_, partition) => {
            const done: Committed[] = []
            for (const { actions, dies } of batches) {
              const own = actions.filter(({ id }) => IDS.indexOf(id) % PARTITIONS === partition).map(toEvent)
              if (own.length > 0) done.push(await commit(own, dies))
            }
            return done
          }),
        )
        for (const { events, outcome } of committed.flat().toSorted((a, b) => a.order - b.order)) {
          copies.add(outcome.rows)
          for (const [i, event] of events.entries()) {
            model.apply(event)
            const result = outcome.events[i]
            if (result?.kind === 'keep') stored.set(event.uuid, result.personId)
          }
        }
        await compare(project, model, stored, copies)
        if (deleted) {
          copies.add((await inTransaction(sql, (tx) => deletePersons(tx, project, { distinctIds: [deleted] }))).rows)
          model.delete(deleted)
        }
      }
    }),
    { numRuns: 30, endOnFailure: true },
  )
})

async function compare(
  project: number,
  model: IdentityModel,
  stored: Map<string, string>,
  copies: Copies,
): Promise<void> {
  const persons = await personsOf(sql, project)
  const byUuid = (a: { uuid: string }, b: { uuid: string }) => (a.uuid < b.uuid ? -1 : 1)
  expect(
    persons
      .map((person) => ({
        uuid: person.uuid,
        ids: person.distinct_ids.toSorted(),
        properties: person.properties,
        isIdentified: person.is_identified,
        createdAt: person.created_at.getTime(),
      }))
      .sort(byUuid),
  ).toEqual([...model.persons.values()].map((person) => ({ ...person, ids: [...person.ids].sort() })).sort(byUuid))

  const overrides = await overridesOf(sql, project)
  for (const event of model.events.keys()) {
    const uuid = stored.get(event) as string
    expect(overrides[uuid] ?? uuid).toBe(model.personOf(event))
  }
  for (const target of Object.values(overrides)) expect(overrides).not.toHaveProperty(target)

  const alive = [...copies.persons.values()].filter((row) => row.is_deleted === 0)
  expect(
    alive.map((row) => ({ uuid: row.id, properties: JSON.parse(row.properties), version: row.version })).sort(byUuid),
  ).toEqual(persons.map(({ uuid, properties, version }) => ({ uuid, properties, version })).sort(byUuid))
  const copied = [...copies.overrides.values()].filter((row) => row.is_deleted === 0)
  expect(Object.fromEntries(copied.map((row) => [row.old_person_id, row.person_id]))).toEqual(overrides)
}
