import { afterAll, beforeAll, expect, it } from 'vitest'
import { anEvent, batch, newProject } from '../../../test/support/identity.ts'
import { startTestPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import { findPersonByDistinctId } from '../store/persons.ts'
import { importPersonProperties, importPersons } from './import-persons.ts'

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await startTestPostgres()
})
afterAll(() => postgres?.stop())

const ADA = {
  uuid: '018f1e55-0000-7000-8000-abcdef012345',
  distinct_ids: ['visitor', 'ada'],
  main_distinct_ids: ['ada'],
  created_at: '2024-01-02T03:04:05.678Z',
  is_identified: true,
}
const bring = (project: number) => postgres.sql.begin((tx) => importPersons(tx, project, [ADA]))
const personOf = (project: number, id: string) => findPersonByDistinctId(postgres.sql, project, id)

it('makes a person nobody knows what it was, once', async () => {
  const project = await newProject(postgres.sql)
  expect((await bring(project)).persons).toMatchObject([{ id: ADA.uuid, is_identified: 1, version: 0 }])
  expect(await bring(project)).toEqual(expect.objectContaining({ persons: [], person_overrides: [] }))
  expect(await personOf(project, 'visitor')).toMatchObject({
    uuid: ADA.uuid,
    distinctIds: ['ada', 'visitor'],
    createdAt: new Date(ADA.created_at),
    isIdentified: true,
  })
})

it('merges persons who are one there and two here, and their events with them', async () => {
  const project = await newProject(postgres.sql)
  await batch(postgres.sql, [anEvent(project, 'x', 'visitor'), anEvent(project, 'x', 'ada')])
  const { person_overrides } = await bring(project)
  expect(person_overrides).toHaveLength(1)
  expect((await personOf(project, 'ada'))?.id).toBe((await personOf(project, 'visitor'))?.id)
})

it('sets properties as they were, but takes nothing from whoever has been seen since', async () => {
  const project = await newProject(postgres.sql)
  await bring(project)
  const set = (last_seen_at: string | null) =>
    postgres.sql.begin((tx) =>
      importPersonProperties(tx, project, [
        { distinct_id: 'ada', last_seen_at, properties: { plan: 'pro', city: 'Bonn' } },
      ]),
    )
  expect(await set(null)).toMatchObject([{ version: 1 }])
  expect(await set(null)).toEqual([])
  await postgres.sql`UPDATE persons SET properties = '{"plan": "enterprise"}', last_seen_at = '2025-01-01' WHERE project_id = ${project}`
  await set('2024-12-31T00:00:00Z')
  expect((await personOf(project, 'ada'))?.properties).toEqual({ plan: 'enterprise', city: 'Bonn' })
})
