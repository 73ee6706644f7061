import type { Person } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { valueText } from '../../lib/format.ts'
import type { Properties } from '../../lib/json.ts'
import { lastSeenOf, personName } from '../../lib/names.ts'

/** Somebody, or a group, behind a number. */
export interface Actor {
  /** A group's key, a person's uuid. */
  id: string
  name: string
  /** Without a profile there is no page to open. */
  kind: 'person' | 'group' | 'unknown'
  /** Of a group: of which type. */
  groupTypeIndex: number | null
  distinctIds: string[]
  properties: Properties
  lastSeen: string | null
  sessions: string[]
}

interface ActorPage {
  actors: Actor[]
  /** Where the next ones begin. */
  next: number | null
}

const PAGE = 100

export async function askActors(
  projectId: number,
  source: unknown,
  offset: number,
  signal?: AbortSignal,
  limit = PAGE,
): Promise<ActorPage> {
  const query = { kind: 'ActorsQuery', source, select: ['actor', 'matched_recordings'], limit, offset }
  const answer = await ask<{ results: unknown[][]; hasMore?: boolean }>(inProject(projectId, 'query/'), {
    body: { query },
    signal,
  })
  return {
    actors: answer.results.map(([cell, matched]) => actorOf(cell, matched)),
    next: answer.hasMore ? offset + answer.results.length : null,
  }
}

type Cell = Partial<Person> & { id: string; type?: string; group_key?: string; group_type_index?: number }

function actorOf(cell: unknown, matched: unknown): Actor {
  const person = (typeof cell === 'object' && cell !== null ? cell : { id: cell }) as Cell
  const properties = person.properties ?? {}
  const distinctIds = person.distinct_ids ?? []
  const group = person.type === 'group'
  const name = group
    ? (properties.name ?? person.group_key)
    : (person.name ?? properties.email ?? properties.name ?? distinctIds[0] ?? person.id)
  const sessions = Array.isArray(matched)
    ? matched.map((item) => (item as { session_id?: string }).session_id).filter((id) => id !== undefined)
    : []
  return {
    id: person.uuid ?? String(person.id),
    name: group ? valueText(name) : personName({ name: valueText(name) }),
    kind: group ? 'group' : person.created_at ? 'person' : 'unknown',
    groupTypeIndex: person.group_type_index ?? null,
    distinctIds,
    properties,
    lastSeen: group ? null : lastSeenOf(person),
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
