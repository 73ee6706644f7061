import { isRetryable, type Sql } from '../../src/engines/postgres/index.ts'
import {
  type IdentifiedEvent,
  type IdentityEvent,
  type IdentityOutcome,
  resolveIdentities,
} from '../../src/identity/index.ts'
import type { JsonObject } from '../../src/lib/json.ts'
import { uuidV7 } from '../../src/lib/uuid.ts'

let projects = 0

/** A project of the test's own, so that tests share a server and nothing else. */
export async function newProject(sql: Sql): Promise<number> {
  const [organization] = await sql<[{ id: string }]>`
    INSERT INTO organizations (name) VALUES (${`organization ${process.pid} ${projects++}`}) RETURNING id`
  const [project] = await sql<[{ id: number }]>`
    INSERT INTO projects (organization_id, name, api_token) VALUES (${organization.id}, 'test', ${uuidV7()}) RETURNING id`
  return project.id
}

export const at = (time: string): number => Date.parse(time)

export function anEvent(
  project: number,
  event: string,
  distinctId: string,
  properties: JsonObject = {},
  more: Partial<IdentityEvent> = {},
): IdentityEvent {
  const timestamp = at('2020-01-01T12:00:00Z')
  return { project, uuid: uuidV7(), event, distinctId, timestamp, properties, personProcessing: 'full', ...more }
}

const ATTEMPTS = 50

/** One batch in a transaction of its own, run again as the pipeline does when it meets somebody. */
export async function batch(
  sql: Sql,
  events: readonly IdentityEvent[],
  hooks: { beforeCommit?: () => Promise<void>; onConflict?: () => void } = {},
): Promise<IdentityOutcome> {
  for (let attempt = 1; ; attempt++) {
    try {
      const done = await sql.begin(async (tx) => {
        const outcome = await resolveIdentities(tx, events, new Date())
        await hooks.beforeCommit?.()
        return { outcome }
      })
      return done.outcome
    } catch (error) {
      if (attempt >= ATTEMPTS || !isRetryable(error)) throw error
      hooks.onConflict?.()
    }
  }
}

/** The outcome of a single event that is expected to be kept. */
export async function one(sql: Sql, event: IdentityEvent): Promise<IdentifiedEvent & Pick<IdentityOutcome, 'rows'>> {
  const { events, rows } = await batch(sql, [event])
  const outcome = events[0]
  if (outcome?.kind !== 'keep') throw new Error(`event was dropped: ${JSON.stringify(outcome)}`)
  return { ...outcome, rows }
}

interface StoredPerson {
  id: number
  uuid: string
  properties: JsonObject
  created_at: Date
  version: number
  is_identified: boolean
  last_seen_at: Date | null
  distinct_ids: string[]
}

export async function personsOf(sql: Sql, project: number): Promise<StoredPerson[]> {
  return await sql<StoredPerson[]>`
    SELECT p.id, p.uuid, p.properties, p.created_at, p.version, p.is_identified, p.last_seen_at,
           (SELECT coalesce(array_agg(distinct_id ORDER BY position, distinct_id), '{}') FROM person_distinct_ids d WHERE d.person_id = p.id) AS distinct_ids
    FROM persons p WHERE project_id = ${project} ORDER BY p.id`
}

export async function overridesOf(sql: Sql, project: number): Promise<Record<string, string>> {
  const rows = await sql<{ old: string; now: string }[]>`
    SELECT old_person_uuid AS old, person_uuid AS now FROM person_overrides WHERE project_id = ${project}`
  return Object.fromEntries(rows.map(({ old, now }) => [old, now]))
}
