import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestClickHouse, type TestClickHouse } from '../../../test/support/clickhouse.ts'
import { startTestPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import type { ClickHouse } from '../../engines/clickhouse/index.ts'
import { createLogger } from '../../lib/logger.ts'
import type { ProjectFlags } from '../rules/definition.ts'
import { BehaviourCohorts } from './behaviour-cohorts.ts'
import { readProjectFlags } from './load-flags.ts'

const log = createLogger('silent')
let postgres: TestPostgres
let engine: TestClickHouse
beforeAll(async () => {
  ;[postgres, engine] = await Promise.all([startTestPostgres(), startTestClickHouse()])
})
afterAll(() => Promise.all([postgres?.stop(), engine?.stop()]))

const DID = [{ type: 'behavioral', key: 'bought', value: 'performed_event', event_type: 'events' }]
const BOUGHT = {
  properties: { type: 'AND', values: DID.map((did) => ({ ...did, time_value: 7, time_interval: 'day' })) },
}
const SOMEBODY = '0190b2a4-0000-7000-8000-000000000001'

/** A project of an organisation of its own, with a flag for each of its cohorts. */
async function projectWith(cohorts: number): Promise<{ flags: ProjectFlags; organization: string }> {
  const { sql } = postgres
  const [project] = await sql<[{ id: number; organization_id: string }]>`
    WITH mine AS (INSERT INTO organizations (name) SELECT 'Acme ' || gen_random_uuid() RETURNING id)
    INSERT INTO projects (organization_id, name, api_token) SELECT id, 'One', 'phc_' || id FROM mine
    RETURNING id, organization_id`
  await sql`
    WITH new AS (
      INSERT INTO cohorts (project_id, name, filters)
      SELECT ${project.id}, 'buyers ' || n, ${sql.json(BOUGHT)} FROM generate_series(1, ${cohorts}::int) n RETURNING id)
    INSERT INTO feature_flags (project_id, key, filters)
    SELECT ${project.id}, 'for ' || id, jsonb_build_object('groups', jsonb_build_array(jsonb_build_object('properties',
      jsonb_build_array(jsonb_build_object('type', 'cohort', 'key', 'id', 'value', id))))) FROM new`
  return { flags: await readProjectFlags(sql, project.id), organization: project.organization_id }
}

/** The engine, with something that happens before each question. */
function engineThat(before: (owner: unknown) => Promise<void>): ClickHouse {
  return {
    ...engine.clickhouse,
    async *stream(fragment, options) {
      await before(options?.settings?.quota_key)
      yield* engine.clickhouse.stream<never>(fragment, options)
    },
  }
}

test('twenty slow cohorts are asked about as questions of their project, two at a time, and others have their turn', async () => {
  const asked: unknown[] = []
  let mayEnd = () => {}
  const end = new Promise<void>((resolve) => {
    mayEnd = resolve
  })
  const [slow, other] = [await projectWith(20), await projectWith(1)]
  const ofSlow = `organization-${slow.organization}/project-${slow.flags.projectId}-flags`
  const ofOther = `organization-${other.organization}/project-${other.flags.projectId}-flags`
  const clickhouse = engineThat(async (owner) => {
    asked.push(owner)
    if (owner !== ofOther) await end
  })
  const cohorts = new BehaviourCohorts(postgres.sql, clickhouse, log)
  expect(slow.flags.needs.behaviouralCohorts).toHaveLength(20)
  void cohorts.ready(slow.flags)
  await expect.poll(() => asked).toEqual([ofSlow, ofSlow])
  const isKnown = async () => {
    await cohorts.ready(other.flags)
    const [cohort = 0] = other.flags.needs.behaviouralCohorts
    return cohorts.isIn(other.flags.projectId, cohort, SOMEBODY)?.member
  }
  await expect.poll(isKnown).toBe(false)
  const ofSlowOnes = () => asked.filter((owner) => owner !== ofOther)
  expect(ofSlowOnes()).toEqual([ofSlow, ofSlow])
  mayEnd()
  await expect.poll(ofSlowOnes).toEqual(Array.from({ length: 20 }, () => ofSlow))
})

test('a cohort that could not be read is left alone for a while, unless its definition changes', async () => {
  let asked = 0
  let isBroken = true
  const clickhouse = engineThat(async () => {
    asked++
    if (isBroken) throw new Error('too much to read')
  })
  const { flags } = await projectWith(1)
  const { projectId, needs } = flags
  const [cohort = 0] = needs.behaviouralCohorts
  const open = (firstMs: number) =>
    new BehaviourCohorts(postgres.sql, clickhouse, log, { pause: { firstMs, longestMs: firstMs } })
  const patient = open(3_600_000)
  // As the first answer was: nothing is known, and nobody waits for it.
  for (let request = 0; request < 5; request++) {
    await patient.ready(flags)
    expect(patient.isIn(projectId, cohort, SOMEBODY)).toBeUndefined()
  }
  await expect.poll(() => patient.ready(flags)).toBeNull()
  expect(asked).toBe(1)
  const isMember = async (cohorts: BehaviourCohorts, definitions: ProjectFlags) => {
    await cohorts.ready(definitions)
    return cohorts.isIn(projectId, cohort, SOMEBODY)?.member
  }
  isBroken = false
  const changed = await readProjectFlags(postgres.sql, projectId)
  await expect.poll(() => isMember(patient, changed)).toBe(false)

  isBroken = true
  const hasty = open(1)
  await hasty.ready(flags)
  await expect.poll(() => asked).toBeGreaterThan(2)
  isBroken = false
  await expect.poll(() => isMember(hasty, flags)).toBe(false)
})
