import type { TransactionSql } from '../../engines/postgres/index.ts'
import { HOUR } from '../../lib/durations.ts'
import type { DefinitionRows } from './store.ts'

/**
 * How many names of events and properties a project may add. Names are stored for lists and pickers: a client that puts
 * an id into each name would flood them, and 76 KB can hold 30,000. Events are stored whatever their name; a name that
 * was left out is added when it is seen again later.
 */
export interface NameLimits {
  readonly events: NameLimit
  readonly properties: NameLimit
}

interface NameLimit {
  readonly total: number
  readonly perHour: number
}

export const NAME_LIMITS: NameLimits = {
  events: { total: 20_000, perHour: 5_000 },
  properties: { total: 50_000, perHour: 20_000 },
}

/** Names of a project that were left out. */
export interface LeftOut {
  readonly project: number
  readonly kind: 'events' | 'properties'
  readonly count: number
  /** A few of them. */
  readonly names: readonly string[]
}

const SAMPLES = 5

/** The rows within the limits. Of names that are new at the same time the first ones are taken. */
export async function withinLimits(
  tx: TransactionSql,
  rows: DefinitionRows,
  limits: NameLimits,
  now: Date,
): Promise<{ rows: DefinitionRows; leftOut: LeftOut[] }> {
  const leftOut: LeftOut[] = []
  const hourAgo = new Date(now.getTime() - HOUR)
  const events = await admitted(tx, 'events', rows.events, ({ name }) => name, limits.events, hourAgo, leftOut)
  const properties = await admitted(tx, 'properties', rows.properties, propertyKey, limits.properties, hourAgo, leftOut)
  if (leftOut.length === 0) return { rows, leftOut }
  const keptEvents = new Set(events.map(({ project, name }) => `${project} ${name}`))
  const keptProperties = new Set(properties.map((row) => `${row.project} ${propertyKey(row)}`))
  const pairs = rows.pairs.filter(
    ({ project, event, name }) =>
      keptEvents.has(`${project} ${event}`) && keptProperties.has(`${project} event/-1/${name}`),
  )
  return { rows: { events, properties, pairs }, leftOut }
}

const propertyKey = ({ type_of, index, name }: DefinitionRows['properties'][number]): string =>
  `${type_of}/${index}/${name}`

async function admitted<Row extends { readonly project: number; readonly name: string }>(
  tx: TransactionSql,
  kind: LeftOut['kind'],
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  limit: NameLimit,
  hourAgo: Date,
  leftOut: LeftOut[],
): Promise<Row[]> {
  const kept: Row[] = []
  for (const [project, own] of byProject(rows)) {
    const { total, recent, known } = await knownNames(tx, kind, project, own.map(keyOf), hourAgo)
    const there = new Set(known)
    let room = Math.min(limit.total - total, limit.perHour - recent)
    const over: string[] = []
    for (const row of own)
      if (there.has(keyOf(row)) || room-- > 0) kept.push(row)
      else over.push(row.name)
    if (over.length > 0) leftOut.push({ project, kind, count: over.length, names: over.slice(0, SAMPLES) })
  }
  return kept
}

function byProject<Row extends { readonly project: number }>(rows: readonly Row[]): Map<number, Row[]> {
  const projects = new Map<number, Row[]>()
  for (const row of rows) {
    const own = projects.get(row.project)
    if (own) own.push(row)
    else projects.set(row.project, [row])
  }
  return projects
}

interface Known {
  readonly total: number
  readonly recent: number
  readonly known: readonly string[]
}

async function knownNames(
  tx: TransactionSql,
  kind: LeftOut['kind'],
  project: number,
  keys: readonly string[],
  hourAgo: Date,
): Promise<Known> {
  const name = kind === 'events' ? tx`name` : tx`type || '/' || group_type_index || '/' || name`
  const table = kind === 'events' ? tx`event_definitions` : tx`property_definitions`
  const [found] = await tx<[Known]>`
    SELECT count(*)::int AS total, (count(*) FILTER (WHERE created_at > ${hourAgo}))::int AS recent,
           coalesce(array_agg(${name}) FILTER (WHERE ${name} = ANY(${keys as string[]}::text[])), '{}') AS known
    FROM ${table} WHERE project_id = ${project}`
  return found
}
