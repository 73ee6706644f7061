import { ask, inProject } from '../api/http.ts'
import type { Json, Person, Properties } from '../api/types.ts'
import { valueText } from '../lib/format.ts'
import { lastSeenOf, personName } from '../lib/names.ts'

/** Somebody, or a group, behind a number. */
export interface Actor {
  id: string
  name: string
  /** A group's page is named by its key, a person's by its uuid; who has no profile has no page. */
  kind: 'person' | 'group' | 'unknown'
  distinctIds: string[]
  properties: Properties
  lastSeen: string | null
  sessions: string[]
}

export interface ActorPage {
  actors: Actor[]
  /** Where the next ones begin. */
  next: number | null
}

const PAGE = 100

export async function askActors(
  projectId: number,
  source: Json,
  offset: number,
  signal: AbortSignal,
): Promise<ActorPage> {
  const query = { kind: 'ActorsQuery', source, select: ['actor', 'matched_recordings'], limit: PAGE, offset }
  const answer = await ask<{ results: unknown[][]; hasMore?: boolean }>(inProject(projectId, 'query/'), {
    body: { query },
    signal,
  })
  return {
    actors: answer.results.map(([cell, matched]) => actorOf(cell, matched)),
    next: answer.hasMore ? offset + answer.results.length : null,
  }
}

type Cell = Partial<Person> & { id: string; type?: string; group_key?: string }

function actorOf(cell: unknown, matched: unknown): Actor {
  const person = (typeof cell === 'object' && cell !== null ? cell : { id: cell }) as Cell
  const properties = person.properties ?? {}
  const distinctIds = person.distinct_ids ?? []
  const name = person.name ?? person.group_key ?? properties.email ?? properties.name ?? distinctIds[0] ?? person.id
  const sessions = Array.isArray(matched)
    ? matched.map((item) => (item as { session_id?: string }).session_id).filter((id) => id !== undefined)
    : []
  return {
    id: person.uuid ?? String(person.id),
    name: personName({ name: valueText(name) }),
    kind: person.type === 'group' ? 'group' : person.created_at ? 'person' : 'unknown',
    distinctIds,
    properties,
    lastSeen: lastSeenOf(person),
    sessions,
  }
}

/** What tells people apart, in a line. */
export const keyProperties = (properties: Properties): string =>
  Object.entries(properties)
    .filter(
      ([key, value]) =>
        !key.startsWith('$') && !OBVIOUS.has(key) && value !== null && typeof value !== 'object' && value !== '',
    )
    .slice(0, 3)
    .map(([key, value]) => `${key}: ${valueText(value)}`)
    .join(' · ')

const OBVIOUS = new Set(['email', 'name'])
