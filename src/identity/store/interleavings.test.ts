import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { anEvent, newProject, overridesOf, personsOf } from '../../../test/support/identity.ts'
import { IdentityModel } from '../../../test/support/identity-model.ts'
import { startTestPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import { isRetryable, type Sql, type TransactionSql } from '../../engines/postgres/index.ts'
import { deletePersons } from '../admin/delete-persons.ts'
import type { IdentifiedEvent, IdentityEvent, IdentityOutcome, PersonOverrideRow, PersonRow } from '../rules/types.ts'
import { resolveIdentities } from './resolve.ts'

/**
 * Random events of a few distinct ids, cut into random batches, on partitions that run at the same time, some batches
 * dying just before their commit and running again, and persons deleted amid all that. The plain model taken through
 * the same moments must agree.
 */
let postgres: TestPostgres
let sql: Sql

beforeAll(async () => {
  postgres = await startTestPostgres()
  sql = postgres.sql
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
  deleted: fc.array(anId, { maxLength: 3 }),
})

class Crash extends Error {}

/** What happened, in the order in which it happened. */
type Moment =
  | { readonly kind: 'read' | 'committed'; readonly batch: Batch }
  | { readonly kind: 'looked' | 'deleted'; readonly deletion: Deletion }

interface Batch {
  readonly events: readonly IdentityEvent[]
  outcome?: IdentityOutcome
}

interface Deletion {
  readonly id: string
  persons?: readonly PersonRow[]
}

const READS_BATCH = 'SELECT k.n::int AS n, d.person_id'
const LOOKS_WHOM_TO_DELETE = 'SELECT id FROM persons WHERE project_id ='

/**
 * Reads and commits happen one at a time, so that there is one order of them; everything between them happens at once.
 */
class History {
  readonly moments: Moment[] = []
  #last: Promise<unknown> = Promise.resolve()

  /** Waits for its turn; returns how to end it. */
  async turn(): Promise<() => void> {
    const before = this.#last
    let end: () => void = () => {}
    this.#last = new Promise<void>((resolve) => {
      end = resolve
    })
    await before
    return end
  }

  /** A transaction that commits in its turn; run again when it meets somebody, as the pipeline and the API do. */
  async inTurn<T>(work: (tx: TransactionSql) => Promise<T>, moment: (result: T) => Moment): Promise<T> {
    let end: (() => void) | undefined
    for (let attempt = 1; ; attempt++) {
      try {
        const { result } = await sql.begin(async (tx) => {
          const result = await work(tx)
          end = await this.turn()
          return { result }
        })
        this.moments.push(moment(result))
        return result
      } catch (error) {
        if (attempt >= 50 || !isRetryable(error)) throw error
      } finally {
        end?.()
        end = undefined
      }
    }
  }

  /** The same transaction, except that statements which begin like this run in their turn. */
  readingInTurn(tx: TransactionSql, beginning: string, moment: Moment): TransactionSql {
    return new Proxy(tx, {
      apply: (target, self, args) => {
        const query = Reflect.apply(target as never, self, args) as Promise<unknown>
        const text = (args[0] as readonly string[]).join('?').trim()
        if (!text.startsWith(beginning) || text.endsWith('FOR UPDATE')) return query
        return this.turn().then(async (end) => {
          try {
            const rows = await query
            this.moments.push(moment)
            return rows
          } finally {
            end()
          }
        })
      },
    })
  }

  async commit(events: readonly IdentityEvent[], dies: boolean): Promise<void> {
    const run = (batch: Batch, crash: boolean) =>
      this.inTurn(
        async (tx) => {
          batch.outcome = await resolveIdentities(
            this.readingInTurn(tx, READS_BATCH, { kind: 'read', batch }),
            events,
            new Date(),
          )
          if (crash) throw new Crash()
        },
        () => ({ kind: 'committed', batch }),
      )
    if (dies) await expect(run({ events }, true)).rejects.toBeInstanceOf(Crash)
    await run({ events }, false)
  }

  delete(project: number, id: string): Promise<unknown> {
    const deletion: Deletion = { id }
    return this.inTurn(
      async (tx) => {
        const looking = this.readingInTurn(tx, LOOKS_WHOM_TO_DELETE, { kind: 'looked', deletion })
        deletion.persons = (await deletePersons(looking, project, { distinctIds: [id] })).rows.persons
      },
      () => ({ kind: 'deleted', deletion }),
    )
  }
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
      const toEvent = ({ event, id, properties }: Action) => {
        clock += 1_000
        return anEvent(project, event, id, properties, { timestamp: clock })
      }

      for (const { batches, deleted } of rounds) {
        const history = new History()
        const partition = async (own: number) => {
          for (const { actions, dies } of batches) {
            const events = actions.filter(({ id }) => IDS.indexOf(id) % PARTITIONS === own).map(toEvent)
            if (events.length > 0) await history.commit(events, dies)
          }
        }
        const people = async () => {
          for (const id of deleted) await history.delete(project, id)
        }
        await Promise.all([...Array.from({ length: PARTITIONS }, (_, own) => partition(own)), people()])
        relive(history.moments, model, stored, copies)
        await compare(project, model, stored, copies)
      }
    }),
    { numRuns: 40, endOnFailure: true },
  )
})

/**
 * Takes the model through what happened, and holds what each event was stored with against it. Whatever found nothing
 * to change counts as of when it read, the last time if it had to run again; whatever changed something as of its
 * commit.
 */
function relive(moments: readonly Moment[], model: IdentityModel, stored: Map<string, string>, copies: Copies): void {
  const subject = (moment: Moment) => ('batch' in moment ? moment.batch : moment.deletion)
  const lastRead = new Map(moments.filter(isRead).map((moment) => [subject(moment), moment]))
  const finished = new Set(moments.filter((moment) => !isRead(moment)).map(subject))
  const readers = new Map<Batch, Set<IdentityEvent>>()
  const apply = (batch: Batch, chosen: (event: IdentityEvent) => boolean) => {
    for (const [i, event] of batch.events.entries()) {
      if (!chosen(event)) continue
      const properties = model.apply(event)
      const result = batch.outcome?.events[i] as IdentifiedEvent
      expect(result.personProperties).toEqual(properties)
      stored.set(event.uuid, result.personId)
    }
  }
  for (const moment of moments) {
    if (isRead(moment) && (lastRead.get(subject(moment)) !== moment || !finished.has(subject(moment)))) continue
    if ('deletion' in moment) {
      const { id, persons = [] } = moment.deletion
      if (moment.kind === 'looked') expect(model.has(id)).toBe(persons.length > 0)
      else if (persons.length > 0) model.delete(id)
      copies.add({ persons })
    } else if (moment.kind === 'committed') {
      apply(moment.batch, (event) => !readers.get(moment.batch)?.has(event))
      copies.add((moment.batch.outcome as IdentityOutcome).rows)
    } else {
      const reading = model.readers(moment.batch.events)
      readers.set(moment.batch, reading)
      apply(moment.batch, (event) => reading.has(event))
    }
  }
}

const isRead = ({ kind }: Moment): boolean => kind === 'read' || kind === 'looked'

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
