import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { startTestClickHouse, type TestClickHouse } from '../../../test/support/clickhouse.ts'
import { anEvent, batch, newProject, one, overridesOf } from '../../../test/support/identity.ts'
import { startTestPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import { type ClickHouse, sql as ch, uint } from '../../engines/clickhouse/index.ts'
import { inTransaction, type Sql } from '../../engines/postgres/index.ts'
import { personUuid } from '../rules/person-uuid.ts'
import type { IdentityEvent, IdentityOutcome } from '../rules/types.ts'
import { deletePersons } from './delete-persons.ts'
import { foldOverrides } from './fold-overrides.ts'
import { splitPerson } from './split-person.ts'

let postgres: TestPostgres
let stopClickHouse: TestClickHouse
let clickhouse: ClickHouse
let sql: Sql
let project: number

beforeAll(async () => {
  ;[postgres, stopClickHouse] = await Promise.all([startTestPostgres(), startTestClickHouse()])
  sql = postgres.sql
  clickhouse = stopClickHouse.clickhouse
})
afterAll(() => Promise.all([postgres?.stop(), stopClickHouse?.stop()]))
beforeEach(async () => {
  project = await newProject(sql)
})

const lines = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join('\n')

/** What the pipeline does with an outcome. */
async function deliver(events: readonly IdentityEvent[], outcome: Pick<IdentityOutcome, 'events' | 'rows'>) {
  const rows = events.map((event, i) => {
    const result = outcome.events[i]
    if (result?.kind !== 'keep') throw new Error('dropped')
    const { uuid, timestamp, distinctId: distinct_id } = event
    return {
      project_id: project,
      uuid,
      event: event.event,
      timestamp: timestamp / 1000,
      received_at: timestamp / 1000,
      distinct_id,
      person_id: result.personId,
      person_mode: result.personMode,
    }
  })
  await clickhouse.insert('events', lines(rows))
  await clickhouse.insert('person_overrides', lines(outcome.rows.person_overrides))
}
async function capture(...events: IdentityEvent[]) {
  await deliver(events, await batch(sql, events))
}
const merge = (into: string, other: string) => anEvent(project, '$merge_dangerously', into, { alias: other })
const fold = () => foldOverrides({ sql, clickhouse })
const storedPersons = async () => {
  const { rows } = await clickhouse.query<{ distinct_id: string; person_id: string }>(
    ch`SELECT DISTINCT distinct_id, person_id FROM events WHERE project_id = ${uint(project)} ORDER BY distinct_id`,
  )
  return rows.map((row) => [row.distinct_id, row.person_id])
}
const copiedOverrides = async () => {
  const { rows } = await clickhouse.query<{ old: string }>(
    ch`SELECT old_person_id AS old FROM person_overrides FINAL WHERE project_id = ${uint(project)} AND is_deleted = 0`,
  )
  return rows.map(({ old }) => old)
}

it('rewrites the events of merged persons and then drops the overrides everywhere', async () => {
  await capture(anEvent(project, 'x', 'a'), anEvent(project, 'x', 'b'), anEvent(project, 'x', 'c'))
  await capture(merge('b', 'a'))
  const b = personUuid(project, 'b')
  expect(await copiedOverrides()).toEqual([personUuid(project, 'a')])
  expect(await fold()).toMatchObject({ folded: 1, more: false })
  expect(await storedPersons()).toEqual([
    ['a', b],
    ['b', b],
    ['c', personUuid(project, 'c')],
  ])
  expect(await overridesOf(sql, project)).toEqual({})
  expect(await copiedOverrides()).toEqual([])
  expect(await fold()).toMatchObject({ folded: 0, more: false })
})

it('waits for a batch that had read the old person before the merge', async () => {
  await capture(anEvent(project, 'x', 'a'), anEvent(project, 'x', 'b'))
  const late = anEvent(project, 'x', 'a')
  let letGo = () => {}
  const held = new Promise<void>((done) => {
    letGo = done
  })
  let hasRead = () => {}
  const reading = new Promise<void>((done) => {
    hasRead = done
  })
  const lateBatch = batch(sql, [late], {
    beforeCommit: () => {
      hasRead()
      return held
    },
  })
  await reading
  await capture(merge('b', 'a'))
  expect(await foldOverrides({ sql, clickhouse, waitMs: 100 })).toEqual({ folded: 0, moved: 0, more: true })
  letGo()
  await deliver([late], await lateBatch)
  expect(await fold()).toMatchObject({ folded: 1 })
  const b = personUuid(project, 'b')
  expect(await storedPersons()).toEqual([
    ['a', b],
    ['b', b],
  ])
})

it('waits for rows that are promised to ClickHouse and not yet there', async () => {
  await capture(anEvent(project, 'x', 'a'), anEvent(project, 'x', 'b'), merge('b', 'a'))
  await capture(anEvent(project, 'x', 'c'), anEvent(project, 'x', 'd'))
  await capture(merge('d', 'c'))
  await sql`INSERT INTO clickhouse_outbox (lane, table_name, token, rows) VALUES ('live-0', 'events', 't', '')`
  expect(await foldOverrides({ sql, clickhouse, waitMs: 100 })).toMatchObject({ folded: 0, more: true })
  await sql`DELETE FROM clickhouse_outbox`
  expect(await fold()).toMatchObject({ folded: 1 })
})

it('a stop ends the wait for others, and the next run goes on', async () => {
  await capture(anEvent(project, 'x', 'a'), anEvent(project, 'x', 'b'))
  await capture(merge('b', 'a'))
  await sql`INSERT INTO clickhouse_outbox (lane, table_name, token, rows) VALUES ('live-0', 'events', 't', '')`
  const stop = new AbortController()
  const folding = foldOverrides({ sql, clickhouse, waitMs: Number.POSITIVE_INFINITY, watch: { signal: stop.signal } })
  await expect.poll(() => sql`SELECT 1 FROM person_overrides WHERE folding`).toHaveLength(1)
  stop.abort()
  expect(await folding).toEqual({ folded: 0, moved: 0, more: true })
  await sql`DELETE FROM clickhouse_outbox`
  expect(await fold()).toMatchObject({ folded: 1 })
})

it('keeps an override that a merge changes while its events are rewritten', async () => {
  await capture(anEvent(project, 'x', 'a'), anEvent(project, 'x', 'b'), anEvent(project, 'x', 'c'))
  await capture(merge('b', 'a'))
  const meanwhile: ClickHouse = {
    ...clickhouse,
    command: async (...args) => {
      await clickhouse.command(...args)
      await capture(merge('c', 'b'))
    },
  }
  expect(await foldOverrides({ sql, clickhouse: meanwhile })).toMatchObject({ folded: 0 })
  const c = personUuid(project, 'c')
  expect(await overridesOf(sql, project)).toEqual({ [personUuid(project, 'a')]: c, [personUuid(project, 'b')]: c })
  expect(await fold()).toMatchObject({ folded: 2 })
  expect(await storedPersons()).toEqual([
    ['a', c],
    ['b', c],
    ['c', c],
  ])
})

it('that died before or after the rewriting is done again', async () => {
  await capture(anEvent(project, 'x', 'a'), anEvent(project, 'x', 'b'))
  await capture(merge('b', 'a'))
  const b = personUuid(project, 'b')
  const dying = (after: boolean): ClickHouse => ({
    ...clickhouse,
    command: async (...args) => {
      if (after) await clickhouse.command(...args)
      throw new Error('died')
    },
  })
  for (const after of [false, true]) {
    await expect(foldOverrides({ sql, clickhouse: dying(after) })).rejects.toThrow('died')
    expect(await overridesOf(sql, project)).toEqual({ [personUuid(project, 'a')]: b })
  }
  expect(await fold()).toMatchObject({ folded: 1 })
  expect(await storedPersons()).toEqual([
    ['a', b],
    ['b', b],
  ])
})

it('that died with its news for ClickHouse unsent sends them with the next run', async () => {
  await capture(anEvent(project, 'x', 'a'), anEvent(project, 'x', 'b'))
  await capture(merge('b', 'a'))
  const unreachable: ClickHouse = { ...clickhouse, insert: () => Promise.reject(new Error('unreachable')) }
  await expect(foldOverrides({ sql, clickhouse: unreachable })).rejects.toThrow('unreachable')
  expect(await copiedOverrides()).toHaveLength(1)
  await fold()
  expect(await copiedOverrides()).toEqual([])
})

it('a person who comes back while the events of its uuid are rewritten gets another uuid', async () => {
  await capture(anEvent(project, 'x', 'a'), anEvent(project, 'x', 'b'))
  await capture(merge('b', 'a'))
  let back = ''
  const meanwhile: ClickHouse = {
    ...clickhouse,
    command: async (...args) => {
      await inTransaction(sql, (tx) => deletePersons(tx, project, { distinctIds: ['b'] }))
      const event = anEvent(project, 'x', 'a')
      const outcome = await batch(sql, [event])
      await deliver([event], outcome)
      back = outcome.events[0]?.kind === 'keep' ? outcome.events[0].personId : ''
      await clickhouse.command(...args)
    },
  }
  await foldOverrides({ sql, clickhouse: meanwhile })
  expect(back).not.toBe(personUuid(project, 'a'))
  expect(await storedPersons()).toContainEqual(['a', back])
  expect((await one(sql, anEvent(project, 'x', 'a'))).personId).toBe(back)
})

it('a split after folding gives the events back to their ids', async () => {
  await capture(anEvent(project, 'x', 'a'), anEvent(project, 'x', 'b'), anEvent(project, 'x', 'c'))
  await capture(merge('b', 'a'))
  await fold()
  await capture(merge('b', 'c'))
  const split = await inTransaction(sql, (tx) => splitPerson(tx, project, personUuid(project, 'b'), 'b'))
  expect(split?.created.map(({ uuid }) => uuid).sort()).toEqual(
    [personUuid(project, 'a'), personUuid(project, 'c')].sort(),
  )
  expect(split?.rows.person_overrides).toMatchObject([{ old_person_id: personUuid(project, 'c'), is_deleted: 1 }])
  expect(await fold()).toMatchObject({ moved: 3 })
  expect(await storedPersons()).toEqual(['a', 'b', 'c'].map((id) => [id, personUuid(project, id)]))
})
